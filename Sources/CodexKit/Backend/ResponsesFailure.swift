import FoundationEssentials
import HTTP
import JSON

/// What the failures of the Responses interface mean.
enum ResponsesFailure {
    /// Of an `error` object within the stream.
    static func from(_ error: JSONValue?, now: Date) -> AgentRuntimeError {
        let code = error?["code"]?.string ?? error?["type"]?.string
        let text = error?["message"]?.string.map(ServerAnswer.presentable)
        let wait = reset(error, now: now) ?? error?["message"]?.string.flatMap(waitInText)
        return make(code: code, text: text, status: error?["status"]?.int.flatMap { Int(exactly: $0) }, retryAfter: wait)
    }

    /// Of an answer that is no stream.
    static func from(_ answer: ServerAnswer, now: Date) -> AgentRuntimeError {
        let seconds = now.timeIntervalSince1970
        if answer.isChallenge {
            return AgentRuntimeError(
                code: .challenged,
                message: "A web page that checks for robots came instead of an answer. Wait a little, or use another network.",
                status: answer.status, retryAfter: answer.retryAfter(now: seconds))
        }
        let (code, type, text) = answer.failure
        let wait = answer.retryAfter(now: seconds) ?? reset(answer.json?["error"], now: now)
        return make(code: code ?? type, text: text, status: answer.status, retryAfter: wait)
    }

    static func incomplete(_ reason: String?) -> AgentRuntimeError {
        let why =
            switch reason {
            case "max_output_tokens": "it reached its greatest length"
            case "content_filter": "a content filter stopped it"
            default: "the server gave no reason"
            }
        return AgentRuntimeError(code: .responseIncomplete, message: "The answer is not complete: \(why).")
    }

    private static func make(code: String?, text: String?, status: Int?, retryAfter: Duration?) -> AgentRuntimeError {
        let kind = kind(code: code, status: status)
        let what =
            switch kind {
            case .rateLimited: "The server takes no more requests for now"
            case .usageLimitReached: "The usage of this plan is spent"
            case .contextTooLong: "The conversation is longer than the model can read"
            case .unauthorized: "The server does not accept the session"
            case .serverFailed: "The server failed"
            default: "The server refused the request"
            }
        let reason = text ?? code.map(ServerAnswer.presentable) ?? status.map { "status \($0)" } ?? "no reason was given"
        return AgentRuntimeError(code: kind, message: "\(what) (\(reason)).", status: status, retryAfter: retryAfter)
    }

    private static func kind(code: String?, status: Int?) -> AgentRuntimeError.Code {
        switch code {
        case "usage_limit_reached", "usage_not_included", "insufficient_quota", "billing_hard_limit_reached": return .usageLimitReached
        case "rate_limit_exceeded", "rate_limit_error", "slow_down": return .rateLimited
        case "context_length_exceeded": return .contextTooLong
        case "server_error", "server_is_overloaded", "overloaded_error", "vector_store_timeout": return .serverFailed
        case "invalid_prompt", "invalid_request_error", "invalid_image", "cyber_policy", "model_not_found": return .requestRefused
        default: break
        }
        // An error within a stream whose word is new: whether it passes is not known, and the server said nothing against it.
        guard let status else { return .serverFailed }
        switch status {
        case 401: return .unauthorized
        case 429: return .rateLimited
        case 408, 425, 500...: return .serverFailed
        default: return .requestRefused
        }
    }

    /// When a limit ends, as the usage limits say it.
    private static func reset(_ error: JSONValue?, now: Date) -> Duration? {
        func bounded(_ seconds: Double) -> Duration { .milliseconds(Int64(min(max(seconds, 0), 31_536_000) * 1000)) }
        if let seconds = error?["resets_in_seconds"]?.number { return bounded(seconds) }
        if let date = error?["resets_at"]?.number { return bounded(date - now.timeIntervalSince1970) }
        return nil
    }

    /// The wait in `Please try again in 11.054s.`, which the stream gives in words only; also `28ms`.
    private static func waitInText(_ text: String) -> Duration? {
        let words = Array(text.lowercased().utf8), marker = Array("try again in ".utf8)
        guard words.count < 4096, words.count > marker.count,
            let start = (0...(words.count - marker.count)).first(where: { words[$0..<($0 + marker.count)].elementsEqual(marker) })
        else { return nil }
        let rest = words[(start + marker.count)...]
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
        guard let value = Double(String(decoding: digits, as: UTF8.self)), value < 86_400_000 else { return nil }
        let unit = rest.dropFirst(digits.count).drop { $0 == 0x20 }
        if unit.starts(with: Array("ms".utf8)) { return .milliseconds(Int64(value)) }
        return unit.first == UInt8(ascii: "s") ? .milliseconds(Int64(min(value, 86_400) * 1000)) : nil
    }
}
