import JSON

/// A request that the local server received.
public struct LocalRequest: Sendable {
    public let method: String
    /// Path and query.
    public let target: String
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]
    /// Which connection brought it, from 0; two requests of one number shared a connection.
    public let connection: Int
    /// Which request of the server it is, from 0.
    public let index: Int

    public var path: String { String(target.prefix { $0 != "?" }) }
    public var text: String { String(decoding: body, as: UTF8.self) }
    public var json: JSONValue? { try? JSONParser().parse(body) }

    /// The value of a field, whatever the case of its name.
    public subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Finds whole requests in what a connection has received.
struct RequestReader {
    private var buffer: [UInt8] = []

    mutating func receive(_ bytes: UnsafeRawBufferPointer) { buffer += bytes }

    /// The next request that is complete.
    mutating func next(connection: Int, index: Int) -> LocalRequest? {
        guard let end = headEnd else { return nil }
        let lines = String(decoding: buffer[..<end], as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = lines.first?.split(separator: " ").map(String.init) ?? []
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        guard buffer.count >= end + length, words.count == 3 else { return nil }
        defer { buffer.removeFirst(end + length) }
        return LocalRequest(
            method: words[0], target: words[1], fields: fields, body: Array(buffer[end..<(end + length)]), connection: connection, index: index)
    }

    private var headEnd: Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard buffer.count >= mark.count else { return nil }
        return (0...(buffer.count - mark.count)).first { buffer[$0..<($0 + mark.count)].elementsEqual(mark) }.map { $0 + mark.count }
    }
}
