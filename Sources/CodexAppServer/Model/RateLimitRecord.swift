import JSON
import RelayProtocol

/// The account's limits as the server last heard of them.
public struct RateLimitRecord: Equatable, Sendable {
    public struct Window: Equatable, Sendable {
        /// 0 or more; some servers report more than 100.
        public var usedPercent: Double
        /// More than 0.
        public var durationMinutes: Double?
        public var resetsAt: UnixMilliseconds?

        init?(_ value: JSONValue?) {
            guard let used = value?["usedPercent"]?.number, used.isFinite, used >= 0 else { return nil }
            usedPercent = used
            durationMinutes = value?["windowDurationMins"]?.number.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
            resetsAt = value?["resetsAt"]?.int.flatMap { UnixMilliseconds(seconds: $0) }
        }
    }

    /// The family of limits, `codex` for the account's own; `nil` from versions that know only one.
    public var limitID: String?
    /// `nil` says nothing: an answer of the model without limits must not clear what is known.
    public var primary: Window?
    public var secondary: Window?

    init?(_ value: JSONValue?) {
        guard let value, value.object != nil else { return nil }
        limitID = value["limitId"]?.string
        primary = Window(value["primary"])
        secondary = Window(value["secondary"])
    }

    /// Whether these are the account's own windows and not those of a single model or feature.
    public var isMain: Bool { limitID == nil || limitID == "codex" }
}

/// The answer to a question for the account's limits.
public struct AccountLimits: Equatable, Sendable {
    public var limits: RateLimitRecord
    /// Credits that would each reset the limits once; `nil` when the server does not say.
    public var resetCredits: Int?

    init?(_ value: JSONValue) {
        guard let limits = RateLimitRecord(value["rateLimits"]) else { return nil }
        self.limits = limits
        resetCredits = value["rateLimitResetCredits"]?["availableCount"]?.int.flatMap { Int(exactly: $0) }.map { max($0, 0) }
    }
}

/// How the use of a reset credit ended.
public enum ResetOutcome: String, Hashable, Sendable { case reset, nothingToReset, noCredit, alreadyRedeemed, unknown }
