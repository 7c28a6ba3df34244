/// A handler that the loop calls once, when its time has come.
///
/// `@unchecked Sendable`: it is touched on its loop's thread only, which every member checks; a timer whose loop is
/// gone does nothing.
public final class Timer: @unchecked Sendable {
    /// When it fires, or fired.
    public internal(set) var deadline: ContinuousClock.Instant
    var sequence: UInt64 = 0
    var heapIndex = -1
    private var handler: (() -> Void)?
    private let loop: EventLoop

    init(deadline: ContinuousClock.Instant, loop: EventLoop, handler: @escaping () -> Void) {
        self.deadline = deadline
        self.loop = loop
        self.handler = handler
    }

    /// Whether it is still going to fire.
    public var isPending: Bool { heapIndex >= 0 }

    /// Stops it. It does not fire after this, not even when it was due in the batch that runs now.
    public func cancel() {
        loop.preconditionOnLoop()
        loop.removeTimer(self)
        handler = nil
    }

    /// Sets another time, also from its own handler. Does nothing once it was cancelled.
    public func reschedule(at deadline: ContinuousClock.Instant) {
        guard handler != nil else { return }
        loop.preconditionOnLoop()
        loop.removeTimer(self)
        self.deadline = deadline
        loop.insertTimer(self)
    }

    /// Calls the handler, and lets go of it unless the handler set another time.
    func fire() {
        let body = handler
        body?()
        if heapIndex < 0 { handler = nil }
    }

    func discard() { handler = nil }
}
