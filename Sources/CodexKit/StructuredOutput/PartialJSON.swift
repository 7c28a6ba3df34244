import JSON

/// Makes a value of the beginning of a JSON text, to show what there is so far.
enum PartialJSON {
    /// The longest beginning that can be closed into valid JSON, closed; `nil` when there is none yet.
    static func value(of bytes: [UInt8]) -> JSONValue? {
        var closers: [UInt8] = []
        var isInString = false, isEscaped = false
        // Where the text can be cut so that closing what is open there gives JSON, and what is open.
        var cut: (end: Int, closers: [UInt8])?
        for (index, byte) in bytes.enumerated() {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"):
                closers.append(UInt8(ascii: "}"))
                cut = (index + 1, closers)
            case UInt8(ascii: "["):
                closers.append(UInt8(ascii: "]"))
                cut = (index + 1, closers)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard closers.popLast() == byte else { return nil }
                cut = (index + 1, closers)
            case UInt8(ascii: ","): cut = (index, closers)
            default: break
            }
        }
        guard let cut else { return nil }
        let closed = Array(bytes[..<cut.end]) + cut.closers.reversed()
        do throws(JSONError) { return try JSONParser(duplicateKeys: .lastWins).parse(closed) } catch { return nil }
    }
}
