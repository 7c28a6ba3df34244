/// Decides when to ping a silent peer and when to give it up.
///
/// Any byte from the peer counts as life, not only the pong: a peer in the middle of sending a long message may be slow to answer.
struct KeepAlive: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Verdict: Equatable {
        case wait, ping, dead
    }

    /// Silence after which a ping goes out; `nil` never pings by itself.
    let interval: Duration?
    /// Silence after a ping that means the peer is gone.
    let timeout: Duration
    private var lastHeard: Instant
    private var pingSent: Instant?

    init(interval: Duration?, timeout: Duration, now: Instant) {
        self.interval = interval
        self.timeout = timeout
        lastHeard = now
    }

    var isWaiting: Bool { pingSent != nil }

    var nextDeadline: Instant? {
        if let pingSent { return pingSent + timeout }
        return interval.map { lastHeard + $0 }
    }

    mutating func heard(now: Instant) {
        lastHeard = now
        pingSent = nil
    }

    mutating func pinged(now: Instant) {
        pingSent = now
    }

    /// What is due at `now`.
    ///
    /// A deadline missed by more than `timeout` means that this computer slept, not the peer; the peer gets another chance to answer.
    func verdict(now: Instant) -> Verdict {
        guard let deadline = nextDeadline, now >= deadline else { return .wait }
        return isWaiting && now < deadline + timeout ? .dead : .ping
    }
}
