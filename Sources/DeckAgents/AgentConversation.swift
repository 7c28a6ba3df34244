import CodexKit
import FoundationEssentials
import JSON

/// A thread in the form in which the app-server of the Codex CLI tells its own, so that one writer of documents serves both.
public struct AgentConversation: Hashable, Sendable {
    /// The facts of the thread: `createdAt` in seconds, `model`, `cwd`, which is null when it was lost.
    public let thread: JSONValue
    /// The turns with their items, the oldest first.
    public let turns: [JSONValue]

    init(_ thread: AgentThread, folder: String?, model: String, turns: [AgentTurn], records: [AgentHistoryRecord]) {
        let place = folder.map { JSONValue.string($0) } ?? .null
        self.thread = .object(["createdAt": .number(Self.seconds(thread.createdAt)), "model": .string(model), "cwd": place])
        let known = Dictionary(turns.map { ($0.id, $0) }) { first, _ in first }
        var results: [String: ToolResultEnvelope] = [:]
        for record in records { if case .toolResult(let result) = record.item { results[result.invocationID] = result } }
        var groups: [(id: String?, at: Date, items: [JSONValue])] = []
        for record in records {
            guard let item = Self.item(record.item, results) else { continue }
            if groups.last.map({ $0.id == record.turnID }) != true { groups.append((record.turnID, record.createdAt, [])) }
            groups[groups.count - 1].items.append(item)
        }
        self.turns = groups.map { Self.turn($0.id.flatMap { known[$0] }, at: $0.at, $0.items) }
    }

    private static func turn(_ turn: AgentTurn?, at: Date, _ items: [JSONValue]) -> JSONValue {
        var fields: [String: JSONValue] = ["items": .array(items), "startedAt": .number(seconds(turn?.startedAt ?? at))]
        switch turn?.status {
        case .running: fields["status"] = "inProgress"
        case .interrupted: fields["status"] = "interrupted"
        case .failed:
            fields["status"] = "failed"
            if let failure = turn?.failure { fields["error"] = .object(["message": .string(failure.message)]) }
        case .completed, nil: fields["status"] = "completed"
        }
        return .object(fields)
    }

    private static func item(_ item: AgentHistoryItem, _ results: [String: ToolResultEnvelope]) -> JSONValue? {
        switch item {
        case .message(let message) where message.role == .user:
            let parts = (message.text.isEmpty ? [] : [JSONValue.object(["type": "text", "text": .string(message.text)])])
            return .object(["type": "userMessage", "content": .array(parts + message.images.map { _ in .object(["type": "image"]) })])
        case .message(let message):
            let pictures = message.images.map { _ in "*(a picture)*" }
            return .object(["type": "agentMessage", "text": .string(([message.text] + pictures).filter { !$0.isEmpty }.joined(separator: "\n\n"))])
        case .toolCall(let call, _): return self.call(call, results[call.id])
        case .compaction: return .object(["type": "contextCompaction"])
        case .toolResult, .approval: return nil
        }
    }

    private static func call(_ call: ToolInvocation, _ result: ToolResultEnvelope?) -> JSONValue {
        // Whoever denied a call knows it; the model was told in these words.
        let wasDenied = result?.errorMessage == ToolResultEnvelope.denied(invocation: call).errorMessage
        let status: JSONValue = result == nil ? "inProgress" : wasDenied ? "declined" : result?.success == true ? "completed" : "failed"
        guard call.toolName == HostTools.commandName, let command = try? CommandCall(call.arguments) else {
            return .object(["type": "dynamicToolCall", "tool": .string((call.toolName + " " + ToolSummary.line(call))), "status": status])
        }
        var fields: [String: JSONValue] = ["type": "commandExecution", "command": .string(command.text), "status": status]
        if !wasDenied, let text = result?.primaryText { fields["aggregatedOutput"] = .string(text) }
        return .object(fields)
    }

    private static func seconds(_ date: Date) -> Double {
        let value = date.timeIntervalSince1970.rounded(.down)
        return value.isFinite ? value : 0
    }
}
