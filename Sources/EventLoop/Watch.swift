import CLinux

/// What a descriptor is ready for, or is watched for.
public struct Readiness: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// Reported without being asked for: the descriptor has an error pending.
    public static let failed = Readiness(rawValue: EPOLLERR.rawValue)
    /// Reported without being asked for: both directions are closed, or a pipe's other end is.
    public static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
    /// The loop ends; told only to watches that ask for it. No event of epoll has this bit.
    static let loopEnded = Readiness(rawValue: 1 << 24)
}

/// A descriptor that a loop watches, level-triggered. The loop keeps it until it is cancelled.
///
/// `@unchecked Sendable`: it is touched on its loop's thread only, which every member checks.
public final class Watch: @unchecked Sendable {
    /// The descriptor; the watch does not own it. Cancel the watch before closing it.
    public let descriptor: Int32
    /// What it waits for now. Empty: nothing is reported, not even errors.
    public internal(set) var interest: Readiness
    let generation: UInt32
    var handler: ((Readiness) -> Void)?
    var isCancelled = false
    /// Whether the handler wants to hear of the loop's end.
    var reportsLoopEnd = false
    private let loop: EventLoop

    init(descriptor: Int32, interest: Readiness, generation: UInt32, loop: EventLoop, handler: @escaping (Readiness) -> Void) {
        self.descriptor = descriptor
        self.interest = interest
        self.generation = generation
        self.loop = loop
        self.handler = handler
    }

    /// What comes back with an event: it names this watch and no later one of the same descriptor.
    var eventData: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }

    /// Waits for something else from now on.
    ///
    /// - Throws: ``SystemError`` when the kernel refuses (out of memory or of watches).
    public func modify(_ interest: Readiness) throws(SystemError) {
        loop.preconditionOnLoop()
        guard !isCancelled, interest != self.interest else { return }
        try loop.poller.change(self, to: interest)
    }

    /// Stops watching. The handler is not called after this, not even for an event of the batch that runs now.
    public func cancel() {
        loop.preconditionOnLoop()
        guard !isCancelled else { return }
        loop.poller.remove(self)
    }
}
