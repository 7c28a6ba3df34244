/// The state word of a slot, as its host spelled it.
///
/// A word nobody knows is kept for forwarding and treated as ``Meaning/idle`` for display.
public struct TaskStatus: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let off = Self(rawValue: "off")
    public static let idle = Self(rawValue: "idle")
    public static let working = Self(rawValue: "working")
    public static let thinking = Self(rawValue: "thinking")
    public static let unread = Self(rawValue: "unread")
    public static let complete = Self(rawValue: "complete")
    public static let completed = Self(rawValue: "completed")
    public static let done = Self(rawValue: "done")
    public static let approval = Self(rawValue: "approval")
    public static let awaitingApproval = Self(rawValue: "awaiting-approval")
    public static let awaitingResponse = Self(rawValue: "awaiting-response")
    public static let error = Self(rawValue: "error")

    /// What a state word means, weakest first: the order in which one copy of a task outweighs another.
    public enum Meaning: Int, Sendable, Comparable, CaseIterable {
        case off, idle, finished, working, failed, waiting

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The meaning of the word; ``Meaning/idle`` for an unknown one.
    public var meaning: Meaning {
        switch self {
        case .off: .off
        case .working, .thinking: .working
        case .unread, .complete, .completed, .done: .finished
        case .approval, .awaitingApproval, .awaitingResponse: .waiting
        case .error: .failed
        default: .idle
        }
    }

    public var description: String { rawValue }
}

/// Milliseconds since 1970-01-01 00:00 UTC: positive and finite, as every time on the wire.
public struct UnixMilliseconds: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// 1 … 8.64e15, the range in which every peer's number type is exact.
    public let value: Int64

    /// - Returns: `nil` outside 1 … 8.64e15.
    public init?(_ value: Int64) {
        guard (1...8_640_000_000_000_000).contains(value) else { return nil }
        self.value = value
    }

    /// Rounds down; `nil` when not finite or outside the range.
    public init?(_ value: Double) {
        guard value.isFinite, value >= 1, value <= 8.64e15 else { return nil }
        self.value = Int64(value)
    }

    /// Whole seconds since the epoch; `nil` outside the range.
    public init?(seconds: Int64) {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return nil }
        self.init(milliseconds)
    }

    /// Brings `value` into the range.
    public init(clamping value: Int64) { self.value = min(max(value, 1), 8_640_000_000_000_000) }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// `self - other` in milliseconds, negative when `other` is later.
    public func milliseconds(since other: Self) -> Int64 { value - other.value }

    /// The time `milliseconds` later, kept in range.
    public func advanced(byMilliseconds milliseconds: Int64) -> Self {
        let (sum, overflow) = value.addingReportingOverflow(milliseconds)
        return Self(clamping: overflow ? (milliseconds < 0 ? 1 : .max) : sum)
    }

    public var description: String { String(value) }
}
