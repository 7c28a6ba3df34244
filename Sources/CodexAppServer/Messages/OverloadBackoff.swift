/// How long to wait before a request is sent again that an overloaded server refused: it doubles, with jitter, up to a limit.
struct OverloadBackoff: Sendable {
    static let firstDelay = Duration.milliseconds(100)
    static let maximumDelay = Duration.seconds(2)
    static let maximumAttempts = 5

    /// - Parameters:
    ///   - attempt: How often it was refused already, from 1.
    ///   - random: Draws the jitter; half to all of the delay is waited, so that many clients do not come back at once.
    /// - Returns: `nil` when it should not be tried any more.
    static func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> Duration? {
        guard attempt >= 1, attempt < maximumAttempts else { return nil }
        let full = min(firstDelay * (1 << (attempt - 1)), maximumDelay)
        return full * Double.random(in: 0.5...1, using: &random)
    }
}
