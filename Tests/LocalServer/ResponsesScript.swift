import JSON

/// The events of the Responses interface, as a server sends them.
public enum ResponsesScript {
    public enum LineEnd: String, Sendable, CaseIterable {
        case lf = "\n", cr = "\r", crlf = "\r\n"
    }

    /// One event as lines.
    public static func event(_ json: JSONValue, lineEnd: LineEnd = .lf) -> [UInt8] {
        let end = lineEnd.rawValue
        let type = json["type"]?.string ?? "message"
        return Array("event: \(type)\(end)data: ".utf8) + json.encoded() + Array((end + end).utf8)
    }

    public static func created(id: String = "resp_1", model: String = "gpt-5.4") -> JSONValue {
        ["type": "response.created", "response": ["id": .string(id), "model": .string(model), "status": "in_progress"]]
    }

    public static func delta(_ text: String, item: String = "msg_1") -> JSONValue {
        ["type": "response.output_text.delta", "item_id": .string(item), "output_index": 0, "content_index": 0, "delta": .string(text)]
    }

    public static func message(_ text: String, item: String = "msg_1") -> JSONValue {
        done([
            "type": "message", "id": .string(item), "role": "assistant", "status": "completed",
            "content": [["type": "output_text", "text": .string(text), "annotations": []]],
        ])
    }

    public static func functionCall(_ name: String, arguments: String, call: String = "call_1") -> JSONValue {
        done(["type": "function_call", "id": "fc_1", "call_id": .string(call), "name": .string(name), "arguments": .string(arguments)])
    }

    public static func done(_ item: JSONValue) -> JSONValue { ["type": "response.output_item.done", "output_index": 0, "item": item] }

    public static func completed(id: String = "resp_1", input: Int64 = 10, output: Int64 = 5) -> JSONValue {
        let usage: JSONValue = [
            "input_tokens": .number(Double(input)), "input_tokens_details": ["cached_tokens": 4], "output_tokens": .number(Double(output)),
            "output_tokens_details": ["reasoning_tokens": 2], "total_tokens": .number(Double(input + output)),
        ]
        return ["type": "response.completed", "response": ["id": .string(id), "status": "completed", "usage": usage]]
    }

    /// A whole answer of one text, in pieces.
    public static func text(_ pieces: [String]) -> [JSONValue] {
        [created()] + pieces.map { delta($0) } + [message(pieces.joined()), completed()]
    }
}

extension LocalAnswer {
    /// How events are cut into pieces on their way.
    public enum Cut: Sendable {
        case oneEventAChunk
        case everyByte
        case allAtOnce
    }

    /// A stream of events with an end.
    public static func events(_ events: [JSONValue], cut: Cut = .oneEventAChunk, lineEnd: ResponsesScript.LineEnd = .lf) -> Self {
        .stream(steps(events.map { ResponsesScript.event($0, lineEnd: lineEnd) }, cut: cut) + [.end])
    }

    public static func steps(_ pieces: [[UInt8]], cut: Cut) -> [Step] {
        switch cut {
        case .oneEventAChunk: pieces.map { .chunk($0) }
        case .everyByte: pieces.flatMap { $0.map { .chunk([$0]) } }
        case .allAtOnce: [.chunk(Array(pieces.joined()))]
        }
    }
}
