import FoundationEssentials

/// The time of day, and waiting, as signing in needs them.
struct AuthClock: Sendable {
    var now: @Sendable () -> Date
    var sleep: @Sendable (Duration) async throws -> Void

    static let system = AuthClock(now: { Date() }, sleep: { try await Task.sleep(for: $0) })
}
