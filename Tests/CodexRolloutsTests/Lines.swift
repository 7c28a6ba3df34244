import RelayProtocol

@testable import CodexRollouts

/// Makes rollout lines for tests. Times are seconds after 2026-11-30T00:00:00Z.
enum Lines {
    static let midnight: Int64 = 1_795_996_800_000

    static func time(_ seconds: Int) -> UnixMilliseconds { UnixMilliseconds(clamping: midnight + Int64(seconds) * 1000) }

    static func stamp(_ seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "2026-11-30T\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).000Z"
    }

    static func record(_ type: String, _ payload: String, at seconds: Int = 0) -> String {
        #"{"timestamp":"\#(stamp(seconds))","type":"\#(type)","payload":\#(payload)}"#
    }

    static func event(_ type: String, _ members: String = "", at seconds: Int = 0) -> String {
        record("event_msg", #"{"type":"\#(type)"\#(members.isEmpty ? "" : "," + members)}"#, at: seconds)
    }

    static func item(_ type: String, _ members: String = "", at seconds: Int = 0) -> String {
        record("response_item", #"{"type":"\#(type)"\#(members.isEmpty ? "" : "," + members)}"#, at: seconds)
    }

    static func meta(
        _ id: TaskIdentity, _ members: String = #""source":"exec","cli_version":"0.163.0","originator":"codex_exec""#, at seconds: Int = 0
    )
        -> String
    {
        record("session_meta", #"{"session_id":"\#(id)","id":"\#(id)",\#(members)}"#, at: seconds)
    }

    static func userMessage(_ text: String, at seconds: Int = 0) -> String { event("user_message", #""message":"\#(text)""#, at: seconds) }

    static func started(at seconds: Int = 0) -> String {
        event("task_started", #""turn_id":"t\#(seconds)","model_context_window":1000"#, at: seconds)
    }
    static func complete(at seconds: Int = 0) -> String { event("task_complete", #""turn_id":"t","last_agent_message":"ok""#, at: seconds) }
    static func aborted(at seconds: Int = 0) -> String { event("turn_aborted", #""reason":"interrupted""#, at: seconds) }
    static func reasoning(at seconds: Int = 0) -> String { item("reasoning", #""summary":[]"#, at: seconds) }
    static func settings(at seconds: Int = 0) -> String { event("thread_settings_applied", at: seconds) }

    static func tokens(_ total: Int, window: Int = 1000, limits: String = "null", at seconds: Int = 0) -> String {
        event(
            "token_count",
            #""info":{"last_token_usage":{"total_tokens":\#(total)},"model_context_window":\#(window)},"rate_limits":\#(limits)"#, at: seconds)
    }

    /// A turn of five lines.
    static func turn(from seconds: Int, _ text: String = "hello") -> [String] {
        [started(at: seconds), userMessage(text, at: seconds), reasoning(at: seconds + 1), tokens(250, at: seconds + 2), complete(at: seconds + 3)]
    }

    static func identity(_ number: Int) -> TaskIdentity {
        let digits = String(number, radix: 16)
        return TaskIdentity("01a22a90-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)!
    }

    /// The state after these lines, with true offsets.
    static func state(_ lines: [String]) -> SessionState {
        var state = SessionState()
        var offset: Int64 = 0
        for line in lines {
            if let record = RecordParser().parse(line.utf8, offset: offset) { state.apply(record) }
            offset += Int64(line.utf8.count) + 1
        }
        return state
    }

    /// The offset of a line among these.
    static func offset(of index: Int, in lines: [String]) -> Int64 { Int64(lines[..<index].reduce(0) { $0 + $1.utf8.count + 1 }) }
}
