extension WebSocketConnection {
    /// When to call ``handleTimeout(now:)`` next; `nil` when nothing is due. Changes with every other call.
    public var nextDeadline: Instant? {
        switch state {
        case .open: keepAlive.nextDeadline
        case .closing(let deadline), .lingering(let deadline): deadline
        case .finished: nil
        }
    }

    /// Does what is due at `now`; harmless when called early. Output, an event or another ``status`` may be the result.
    public mutating func handleTimeout(now: Instant) {
        switch state {
        case .open:
            switch keepAlive.verdict(now: now) {
            case .wait: return
            case .ping: sendKeepAlivePing(now: now)
            case .dead: lose(.silence)
            }
        case .closing(let deadline):
            if now >= deadline { lose(.closeUnanswered) }
        case .lingering(let deadline):
            if now >= deadline { state = .finished }
        case .finished:
            return
        }
    }

    /// Pings now and gives the peer up after the pong time-out, instead of waiting for the ping interval: for when the clock jumped
    /// or the network changed. Does nothing while such a ping is unanswered, or unless the connection is open.
    public mutating func probe(now: Instant) {
        guard case .open = state, !keepAlive.isWaiting else { return }
        sendKeepAlivePing(now: now)
    }

    /// To be called when the transport ended or broke, after the last events were pulled.
    public mutating func transportEnded() {
        switch state {
        case .open, .closing: lose(.endOfStream)
        case .lingering: state = .finished
        case .finished: return
        }
    }

    private mutating func sendKeepAlivePing(now: Instant) {
        append(.ping, payload: [UInt8]())
        keepAlive.pinged(now: now)
    }

    private mutating func lose(_ loss: NetworkLoss) {
        state = .finished
        pendingFailure = .network(loss)
        releaseInput()
    }
}
