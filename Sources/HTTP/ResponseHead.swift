/// Collects the head of an answer, line by line as curl hands it over.
struct ResponseHead {
    private(set) var status = 0
    private(set) var fields: [HTTPField] = []
    private(set) var isComplete = false
    private var length = 0

    static let longest = 65_536
    static let mostFields = 256

    /// Takes one line with its line break.
    ///
    /// - Returns: Whether the line is acceptable.
    mutating func receive(_ line: UnsafeRawBufferPointer) -> Bool {
        length += line.count
        guard length <= Self.longest else { return false }
        // Trailers after the body are counted and dropped.
        guard !isComplete else { return true }
        var line = line[...]
        while let last = line.last, last == 0x0A || last == 0x0D { line = line.dropLast() }
        if line.isEmpty {
            // 1xx: a provisional head; the real one follows.
            isComplete = status >= 200
            return true
        }
        if line.starts(with: Array("HTTP/".utf8)) { return begin(line) }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), fields.count < Self.mostFields else { return fields.count < Self.mostFields }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        var value = line[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        fields.append(HTTPField(name, String(decoding: value, as: UTF8.self)))
        return true
    }

    private mutating func begin(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        fields = []
        guard let space = line.firstIndex(of: 0x20) else { return false }
        let digits = line[(space + 1)...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count == 3, let status = Int(String(decoding: digits, as: UTF8.self)), status >= 100 else { return false }
        self.status = status
        return true
    }
}
