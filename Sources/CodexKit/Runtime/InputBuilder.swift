import FoundationEssentials

/// Makes what the model reads out of what happened in a thread.
enum InputBuilder {
    /// The records as input. Calls without a result get one that says so, as the service wants an answer to each; results without a
    /// call are left out.
    static func items(of records: [AgentHistoryRecord], summary: String? = nil) -> [AgentInputItem] {
        var items: [AgentInputItem] = []
        if let summary { items.append(.text(.developer, "Summary of the conversation up to here:\n" + summary)) }
        var answered: Set<String> = []
        for record in records { if case .toolResult(let result) = record.item { answered.insert(key(result.invocationID, record)) } }
        var called: Set<String> = []
        for record in records {
            switch record.item {
            case .message(let message): items.append(item(of: message))
            case .toolCall(let call, let arguments):
                called.insert(key(call.id, record))
                items.append(.functionCall(callID: call.id, name: call.toolName, arguments: arguments))
                if !answered.contains(key(call.id, record)) { items.append(.functionCallOutput(callID: call.id, output: [.text(interrupted)])) }
            case .toolResult(let result):
                if called.contains(key(result.invocationID, record)) {
                    items.append(.functionCallOutput(callID: result.invocationID, output: result.content))
                }
            case .approval, .compaction: break
            }
        }
        return items
    }

    static let interrupted = "The program was interrupted; whether the call took effect is not known."

    /// Call ids are the service's, and need not differ between turns.
    private static func key(_ callID: String, _ record: AgentHistoryRecord) -> String { (record.turnID ?? "") + "\0" + callID }

    static func item(of message: AgentMessage) -> AgentInputItem {
        switch message.role {
        case .user: return userItem(text: message.text, images: message.images)
        case .assistant:
            // The service takes no pictures from the model's side.
            let note = message.images.isEmpty ? "" : "[\(message.images.count) image\(message.images.count == 1 ? "" : "s") shown to the user]"
            return .text(.assistant, [message.text, note].filter { !$0.isEmpty }.joined(separator: "\n"))
        }
    }

    static func userItem(text: String, images: [AgentImageAttachment]) -> AgentInputItem {
        var parts: [AgentInputPart] = text.isEmpty ? [] : [.text(text)]
        parts += images.map { $0.data.isEmpty ? .text("[an image that is no longer available]") : .image($0.data, mimeType: $0.mimeType) }
        return .message(.user, parts)
    }

    /// A rough count of tokens, for deciding when to compact: four bytes of text each, and a fixed number for a picture.
    static func estimatedTokens(_ items: [AgentInputItem]) -> Int {
        items.reduce(0) { sum, item in
            switch item {
            case .message(_, let parts):
                sum + parts.reduce(4) { sum, part in if case .text(let text) = part { sum + text.utf8.count / 4 } else { sum + 1_000 } }
            case .functionCall(_, let name, let arguments): sum + 8 + (name.utf8.count + arguments.utf8.count) / 4
            case .functionCallOutput(_, let output):
                sum + output.reduce(8) { sum, part in if case .text(let text) = part { sum + text.utf8.count / 4 } else { sum + 1_000 } }
            case .opaque(let value): sum + value.encoded().count / 4
            }
        }
    }
}
