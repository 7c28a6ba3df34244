import JSON
import RelayProtocol

/// What the names in events and conversation items mean, in both record families.
extension RecordParser {
    func event(_ names: RecordNames, _ line: UnsafeRawBufferPointer) -> RolloutRecord.Kind? {
        switch names.payload {
        case "task_started", "turn_started":
            whole(line).map { .turnStarted(contextWindow: Self.positive($0["model_context_window"])) }
        case "task_complete", "task_completed", "turn_complete", "turn_completed": whole(line).map(Self.completion)
        case "task_failed", "turn_failed": whole(line).map { _ in .turnCompleted(.failed) }
        case "turn_aborted", "task_aborted", "turn_interrupted": whole(line).map { _ in .turnAborted }
        case "error": whole(line).map { _ in .error }
        case "token_count": whole(line).map { .tokenCount(Self.tokenCount($0, at: names.timestamp)) }
        case "user_message": .userMessage(preview: preview(line, Self.eventText))
        case "item_completed": completedItem(names.item ?? value(line, Self.itemType)?.string, line)
        case "item_started", "item_updated": .activity
        case .some(let name): Self.eventKind(name)
        case nil: .bookkeeping
        }
    }

    /// A conversation item; `place` is where its members stand in the line.
    func item(_ name: String?, _ names: RecordNames, _ line: UnsafeRawBufferPointer, in place: [String]) -> RolloutRecord.Kind {
        switch name {
        case "message":
            switch names.role ?? value(line, JSONSkimmer([place + ["role"]]))?.string {
            case "assistant": .activity
            case "user": .userItem(preview: preview(line, JSONSkimmer([place + ["content"]])))
            default: .bookkeeping
            }
        case "reasoning": .activity
        case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call": .toolCall(id: callID(names, line, in: place))
        case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output":
            .toolResult(id: callID(names, line, in: place))
        case .some(let name) where name.hasSuffix("_output"): .toolResult(id: nil)
        // Calls that the model's own side carries out, such as a web search: no result of theirs is written.
        case .some(let name) where name.hasSuffix("_call"): .activity
        default: .bookkeeping
        }
    }

    private static let eventText = JSONSkimmer([["payload", "message"]])
    private static let itemContent = JSONSkimmer([["payload", "item", "content"]])
    private static let itemType = JSONSkimmer([["payload", "item", "type"]])

    private func completedItem(_ type: String?, _ line: UnsafeRawBufferPointer) -> RolloutRecord.Kind {
        switch type.map({ $0.lowercased().filter { $0 != "_" } }) {
        case "usermessage": .userMessage(preview: preview(line, Self.itemContent))
        case "agentmessage", "reasoning", "plan", "enteredreviewmode": .activity
        default: .toolResult(id: nil)
        }
    }

    private static func eventKind(_ name: String) -> RolloutRecord.Kind {
        if name.hasPrefix("agent_") || name.hasSuffix("_begin") || name.hasSuffix("_approval_request") { return .activity }
        if name.hasSuffix("_end") { return .toolResult(id: nil) }
        switch name {
        case "entered_review_mode", "plan_update", "stream_error", "request_user_input", "elicitation_request": return .activity
        case "exited_review_mode", "view_image_tool_call", "exec_command_output_delta", "context_compacted": return .toolResult(id: nil)
        default: return .bookkeeping
        }
    }

    /// The payload of a record that counts, after all of it was read.
    private func whole(_ line: UnsafeRawBufferPointer) -> JSONValue? { (try? Self.parser.parse(line))?["payload"] }

    private func value(_ line: UnsafeRawBufferPointer, _ skimmer: JSONSkimmer) -> JSONValue? {
        (try? skimmer.fields(of: line))?.first ?? nil
    }

    private func callID(_ names: RecordNames, _ line: UnsafeRawBufferPointer, in place: [String]) -> String? {
        names.callID ?? value(line, JSONSkimmer([place + ["call_id"]]))?.string
    }

    private func preview(_ line: UnsafeRawBufferPointer, _ skimmer: JSONSkimmer) -> String? {
        wantsPreview ? Preview.line(ofContent: value(line, skimmer)) : nil
    }
}

/// The members of records that count.
extension RecordParser {
    private static func completion(_ payload: JSONValue) -> RolloutRecord.Kind {
        let status = payload["status"]?.string ?? payload["turn"]?["status"]?.string
        let error = payload["error"] ?? payload["turn"]?["error"]
        let began = payload["turn_id"]?.string.flatMap { TaskIdentity($0) }?.createdAt
        if let error, !error.isNull { return .turnCompleted(.failed, began: began) }
        switch status {
        case "failed", "error": return .turnCompleted(.failed, began: began)
        case "interrupted", "aborted", "cancelled": return .turnAborted
        default: return .turnCompleted(payload["last_agent_message"].map(\.isNull) ?? true ? .silent : .answered, began: began)
        }
    }

    private static func tokenCount(_ payload: JSONValue, at time: UnixMilliseconds?) -> TokenCount {
        let info = payload["info"]
        return TokenCount(
            lastTotal: info?["last_token_usage"]?["total_tokens"].flatMap(number).flatMap { $0 >= 0 ? $0 : nil },
            contextWindow: positive(info?["model_context_window"]), limits: limits(payload["rate_limits"], at: time))
    }

    /// Other limit families (a model of its own, say) come under other ids and say nothing about the two main windows.
    private static func limits(_ value: JSONValue?, at time: UnixMilliseconds?) -> RateLimits? {
        guard let value, value.object != nil, let time else { return nil }
        if let id = value["limit_id"], !id.isNull, id.string != "codex" { return nil }
        let limits = RateLimits(primary: window(value["primary"], at: time), secondary: window(value["secondary"], at: time))
        return limits.observedAt == nil ? nil : limits
    }

    private static func window(_ value: JSONValue?, at time: UnixMilliseconds) -> RateLimits.Window? {
        guard let value, let used = number(value["used_percent"]) else { return nil }
        let reset =
            number(value["resets_at"]).flatMap { UnixMilliseconds($0 * 1000) }
            ?? number(value["resets_in_seconds"]).flatMap { UnixMilliseconds(Double(time.value) + $0 * 1000) }
        return RateLimits.Window(
            usedPercent: min(max(used, 0), 100), durationMinutes: positive(value["window_minutes"]), resetsAt: reset, observedAt: time)
    }

    private static func positive(_ value: JSONValue?) -> Double? { number(value).flatMap { $0 > 0 ? $0 : nil } }

    /// A finite number; some writers put numbers into strings.
    private static func number(_ value: JSONValue?) -> Double? {
        let number = value?.number ?? value?.string.flatMap { $0.utf8.count <= 32 ? Double($0) : nil }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}
