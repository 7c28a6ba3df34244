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
        self.init(value)
    }

    fileprivate init(_ value: JSONValue) {
        if let sentence = value["error"]?.string { self = .failure(sentence) } else { self = .success(value["result"] ?? .null) }
    }

    var line: [UInt8] {
        switch self {
        case .success(let value): JSONValue.object(["result": value]).encoded() + [0x0a]
        case .failure(let sentence): JSONValue.object(["error": .string(sentence)]).encoded() + [0x0a]
        }
    }
}

/// A line of a longer answer: something that happened, or the end of it.
public enum ControlLine: Sendable {
    case event(JSONValue)
    case end(ControlReply)

    init?(line: [UInt8]) {
        guard let value = try? JSONParser(maximumDepth: 64).parse(line), value.object != nil else { return nil }
        if let event = value["event"] { self = .event(event) } else { self = .end(ControlReply(value)) }
    }

    var line: [UInt8] {
        switch self {
        case .event(let event): JSONValue.object(["event": event]).encoded() + [0x0a]
        case .end(let reply): reply.line
        }
    }
}
