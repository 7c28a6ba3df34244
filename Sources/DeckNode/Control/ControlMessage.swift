import JSON

/// What a command of the same user asks of the running node, one JSON object a line.
public struct ControlRequest: Sendable {
    public var command: String
    public var arguments: [String: JSONValue]

    public init(_ command: String, _ arguments: [String: JSONValue] = [:]) {
        self.command = command
        self.arguments = arguments
    }

    init?(line: [UInt8]) {
        guard let value = try? JSONParser(maximumDepth: 8).parse(line), let command = value["command"]?.string else { return nil }
        self.command = command
        arguments = value["arguments"]?.object ?? [:]
    }

    var line: [UInt8] { JSONValue.object(["command": .string(command), "arguments": .object(arguments)]).encoded() + [0x0a] }
}

/// What the node answers.
public enum ControlReply: Sendable {
    case success(JSONValue)
    /// One sentence for standard error.
    case failure(String)

    init?(line: [UInt8]) {
        guard let value = try? JSONParser(maximumDepth: 32).parse(line) else { return nil }
        if let sentence = value["error"]?.string { self = .failure(sentence) } else { self = .success(value["result"] ?? .null) }
    }

    var line: [UInt8] {
        switch self {
        case .success(let value): JSONValue.object(["result": value]).encoded() + [0x0a]
        case .failure(let sentence): JSONValue.object(["error": .string(sentence)]).encoded() + [0x0a]
        }
    }
}

/// Cuts a stream of bytes into lines of bounded length.
struct LineReader {
    private var buffer: [UInt8] = []
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Returns: The complete lines without their ends; `nil` once a line is longer than the limit.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]]? {
        buffer.append(contentsOf: bytes)
        var lines: [[UInt8]] = []
        while let end = buffer.firstIndex(of: 0x0a) {
            guard end <= limit else { return nil }
            lines.append(Array(buffer[..<end]))
            buffer.removeSubrange(...end)
        }
        return buffer.count > limit ? nil : lines
    }
}
