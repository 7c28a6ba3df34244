import CodexKit
import JSON
import RelayProtocol

/// What happens while something is asked, in order. After ``completed(_:)``, ``failed(code:sentence:)`` or ``interrupted`` nothing follows.
public enum AgentAskEvent: Hashable, Sendable {
    /// The thread that answers: always the first event. The folder is empty when it was lost.
    case thread(TaskIdentity, title: String?, folder: String, isNew: Bool)
    case turn(id: String)
    /// Another attempt to reach the model begins; nothing of the former one was shown.
    case retrying(attempt: Int, reason: String)
    /// More of the answer's text.
    case delta(String)
    /// A message of the model is complete; its text was told in deltas before.
    case message(String, images: Int)
    case toolStarted(id: String, tool: String, summary: String)
    case toolFinished(id: String, tool: String, succeeded: Bool, summary: String)
    case approvalRequested(AgentApproval)
    /// `by` is `nil` when it is not known.
    case approvalResolved(id: String, approved: Bool, by: AgentAnswerer?)
    /// `nil` when the service did not tell the use.
    case completed(AgentUsage?)
    /// `code` is stable, ``AgentRuntimeError/Code``.
    case failed(code: String, sentence: String)
    /// Stopped by whoever asked, or by the end of the node.
    case interrupted

    /// Whether nothing follows.
    public var isEnd: Bool {
        switch self {
        case .completed, .failed, .interrupted: true
        default: false
        }
    }
}

extension AgentAskEvent {
    /// One line of `decknode ask --json`, and of the control socket.
    public var json: JSONValue {
        switch self {
        case .thread(let id, let title, let folder, let isNew):
            Self.object(
                "thread",
                ["id": .string(id.uuid), "title": title.map { .string($0) } ?? .null, "folder": .string(folder), "new": .bool(isNew)])
        case .turn(let id): Self.object("turn", ["id": .string(id)])
        case .retrying(let attempt, let reason): Self.object("retrying", ["attempt": .number(Double(attempt)), "reason": .string(reason)])
        case .delta(let text): Self.object("delta", ["text": .string(text)])
        case .message(let text, let images): Self.object("message", ["text": .string(text), "images": .number(Double(images))])
        case .toolStarted(let id, let tool, let summary):
            Self.object("toolStarted", ["id": .string(id), "tool": .string(tool), "summary": .string(summary)])
        case .toolFinished(let id, let tool, let succeeded, let summary):
            Self.object(
                "toolFinished", ["id": .string(id), "tool": .string(tool), "succeeded": .bool(succeeded), "summary": .string(summary)])
        case .approvalRequested(let approval): Self.object("approvalRequested", ["approval": approval.json])
        case .approvalResolved(let id, let approved, let by):
            Self.object(
                "approvalResolved", ["id": .string(id), "approved": .bool(approved), "by": by.map { .string($0.rawValue) } ?? .null])
        case .completed(let usage): Self.object("completed", ["usage": usage.map(Self.json) ?? .null])
        case .failed(let code, let sentence): Self.object("failed", ["code": .string(code), "message": .string(sentence)])
        case .interrupted: Self.object("interrupted", [:])
        }
    }

    /// Reads what ``json`` wrote; `nil` when it is something else.
    public init?(json: JSONValue) {
        func text(_ name: String) -> String? { json[name]?.string }
        let read: Self?
        switch text("event") {
        case "thread":
            read = text("id").flatMap { TaskIdentity($0) }.flatMap { id in
                text("folder").map { .thread(id, title: text("title"), folder: $0, isNew: json["new"]?.bool ?? false) }
            }
        case "turn": read = text("id").map { .turn(id: $0) }
        case "retrying": read = .retrying(attempt: json["attempt"]?.int.map { Int($0) } ?? 0, reason: text("reason") ?? "")
        case "delta": read = text("text").map { .delta($0) }
        case "message": read = text("text").map { .message($0, images: json["images"]?.int.map { Int($0) } ?? 0) }
        case "toolStarted": read = .toolStarted(id: text("id") ?? "", tool: text("tool") ?? "", summary: text("summary") ?? "")
        case "toolFinished":
            read = .toolFinished(
                id: text("id") ?? "", tool: text("tool") ?? "", succeeded: json["succeeded"]?.bool ?? false, summary: text("summary") ?? "")
        case "approvalRequested": read = json["approval"].flatMap { AgentApproval(json: $0) }.map { .approvalRequested($0) }
        case "approvalResolved":
            read = text("id").map {
                .approvalResolved(id: $0, approved: json["approved"]?.bool ?? false, by: text("by").flatMap { AgentAnswerer(rawValue: $0) })
            }
        case "completed": read = .completed(json["usage"].flatMap(Self.usage))
        case "failed": read = .failed(code: text("code") ?? "", sentence: text("message") ?? "")
        case "interrupted": read = .interrupted
        default: read = nil
        }
        guard let read else { return nil }
        self = read
    }

    private static func object(_ name: String, _ fields: [String: JSONValue]) -> JSONValue {
        var fields = fields
        fields["event"] = .string(name)
        return .object(fields)
    }

    private static func json(_ usage: AgentUsage) -> JSONValue {
        .object([
            "inputTokens": .number(Double(usage.inputTokens)), "cachedInputTokens": .number(Double(usage.cachedInputTokens)),
            "outputTokens": .number(Double(usage.outputTokens)), "reasoningOutputTokens": .number(Double(usage.reasoningOutputTokens)),
            "totalTokens": .number(Double(usage.totalTokens)),
        ])
    }

    private static func usage(_ json: JSONValue) -> AgentUsage? {
        func count(_ name: String) -> Int { json[name]?.int.map { Int($0) } ?? 0 }
        guard json.object != nil else { return nil }
        return AgentUsage(
            inputTokens: count("inputTokens"), cachedInputTokens: count("cachedInputTokens"), outputTokens: count("outputTokens"),
            reasoningOutputTokens: count("reasoningOutputTokens"), totalTokens: count("totalTokens"))
    }
}
