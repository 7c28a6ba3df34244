import CLinux
import Glibc
import Synchronization

/// One thread that waits for descriptors, timers and jobs, and runs whatever they call for.
///
/// It is a `SerialExecutor`: an actor that returns it as its `unownedExecutor` runs on the loop's thread, and may use
/// `assumeIsolated` in the handlers of watches and timers, which run on that thread too. Handlers and jobs must not block.
///
/// Members marked *on the loop* trap on any other thread. The loop lives until ``shutdown()``.
///
/// `@unchecked Sendable`: the queue has its own lock; everything else that changes is touched on the loop's thread only,
/// which every entry checks.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
    /// The thread's name, as `ps -L` and debuggers show its first 15 bytes.
    public let name: String

    let queue: JobQueue
    let poller: Poller
    /// Lent to whoever reads a socket, for the length of one handler: 64 KiB.
    let scratch: UnsafeMutableRawBufferPointer

    private enum Local {
        case job(UnownedJob)
        case call(() -> Void)
    }

    private var local: [Local] = []
    private var localBatch: [Local] = []
    private var sharedBatch: [JobQueue.Item] = []
    private var timers = TimerHeap()
    private var armedDeadline: ContinuousClock.Instant?
    private var acceptsWork = true
    private var stopHandlers: [ObjectIdentifier: () -> Void] = [:]
    private let loopThread = Atomic<UInt>(0)
    private let joinable = Mutex<pthread_t?>(nil)

    /// Starts the loop's thread.
    ///
    /// - Throws: ``SystemError`` when the process is out of descriptors, memory or threads.
    public init(name: String) throws(SystemError) {
        self.name = name
        queue = try JobQueue()
        poller = try Poller(wakeDescriptor: queue.wakeDescriptor)
        scratch = .allocate(byteCount: 65_536, alignment: 64)
        let thread = try startThread()
        joinable.withLock { $0 = thread }
    }

    deinit { scratch.deallocate() }

    // MARK: Any thread

    /// Runs `body` on the loop, after what this thread handed in before.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        if isOnLoop { local.append(.call(body)) } else { append(.call(body)) }
    }

    /// Whether the caller is on the loop's thread.
    public var isOnLoop: Bool { loopThread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Ends the loop: what is queued still runs, watches and pending timers are dropped. Called elsewhere than on the loop,
    /// it returns when the thread has ended. Jobs that come later (of actors that live on) run one after another on a
    /// thread made for them.
    public func shutdown() {
        queue.requestStop()
        let thread = joinable.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return }
        if isOnLoop { pthread_detach(thread) } else { pthread_join(thread, nil) }
    }

    // MARK: On the loop

    /// Calls `handler` on the loop as long as `descriptor` is ready. One watch per descriptor. On the loop.
    ///
    /// - Parameter interest: May be empty, to be set later with ``Watch/modify(_:)``.
    /// - Throws: ``SystemError``: EPERM for a regular file, ENOSPC or ENOMEM when the kernel is out of watches,
    ///   ECANCELED after ``shutdown()``.
    public func watch(
        _ descriptor: Int32, _ interest: Readiness, handler: @escaping (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        preconditionOnLoop()
        guard acceptsWork else { throw SystemError(call: "epoll_ctl", code: ECANCELED) }
        return try poller.add(descriptor, for: interest, loop: self, handler: handler)
    }

    /// Calls `handler` once, at `deadline` or as soon after as the loop is free. On the loop.
    ///
    /// Deadlines have nanoseconds and count the time that the computer sleeps. Timers of equal deadline fire in the order
    /// they were made. After ``shutdown()`` the timer never fires.
    @discardableResult
    public func schedule(at deadline: ContinuousClock.Instant, _ handler: @escaping () -> Void) -> Timer {
        preconditionOnLoop()
        let timer = Timer(deadline: deadline, loop: self, handler: handler)
        insertTimer(timer)
        return timer
    }

    /// Calls `handler` once, `delay` from now. On the loop. See ``schedule(at:_:)``.
    @discardableResult
    public func schedule(after delay: Duration, _ handler: @escaping () -> Void) -> Timer {
        schedule(at: .now + delay, handler)
    }

    /// Runs `body` after the handler or job that runs now, before the loop waits again. On the loop.
    public func later(_ body: @escaping () -> Void) {
        preconditionOnLoop()
        local.append(.call(body))
    }

    /// Traps elsewhere than on the loop's thread.
    @inline(__always)
    public func preconditionOnLoop() {
        precondition(isOnLoop, "used off its event loop")
    }

    func insertTimer(_ timer: Timer) {
        if acceptsWork { timers.insert(timer) } else { timer.discard() }
    }

    func removeTimer(_ timer: Timer) { timers.remove(timer) }

    /// Calls `body` when the loop is asked to stop, so that nobody waits for `owner` for ever.
    func whenStopping(_ owner: AnyObject, _ body: @escaping () -> Void) { stopHandlers[ObjectIdentifier(owner)] = body }

    func forgetStopping(_ owner: AnyObject) { stopHandlers[ObjectIdentifier(owner)] = nil }

    // MARK: SerialExecutor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnLoop { local.append(.job(job)) } else { append(.job(job)) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { preconditionOnLoop() }

    public func isIsolatingCurrentContext() -> Bool? { isOnLoop }
}

// MARK: The thread

extension EventLoop {
    private func append(_ item: JobQueue.Item) {
        guard queue.append(item) == .ended else { return }
        // The loop has ended: a thread of its own runs this and what follows until the queue is empty again. Should the
        // system have no thread to give, the queue keeps its items until a later one starts it.
        if let thread = try? startThread() { pthread_detach(thread) }
    }

    private func startThread() throws(SystemError) -> pthread_t {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        // Signals go to other threads: handlers here are not interrupted, and writing to a closed pipe is EPIPE.
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        let code = pthread_create(&thread, nil, { context in
            if let context { Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run() }
            return nil
        }, context.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard code == 0 else {
            context.release()
            throw SystemError(call: "pthread_create", code: code)
        }
        return thread
    }

    private func run() {
        loopThread.store(UInt(pthread_self()), ordering: .relaxed)
        _ = String(decoding: name.utf8.prefix(15), as: UTF8.self).withCString { pthread_setname_np(pthread_self(), $0) }
        while true {
            runJobs()
            if queue.isStopRequested {
                dropWork()
                if local.isEmpty && queue.endIfIdle() { break }
                continue
            }
            armTimer()
            let count = poller.wait(mayBlock: local.isEmpty && queue.prepareToSleep())
            queue.awake()
            poller.dispatch(count)
            if poller.timerFired { fireTimers() }
        }
        // Not a plain store: a thread for late jobs may have begun meanwhile.
        _ = loopThread.compareExchange(expected: UInt(pthread_self()), desired: 0, ordering: .relaxed)
    }

    /// Runs queued jobs and those they queue, up to a bound, so that chains of hops between actors cost no system call
    /// and still cannot keep sockets and timers waiting.
    private func runJobs() {
        let executor = asUnownedSerialExecutor()
        for _ in 0..<64 {
            queue.take(into: &sharedBatch)
            swap(&local, &localBatch)
            if sharedBatch.isEmpty && localBatch.isEmpty { return }
            for item in sharedBatch {
                switch item {
                case .job(let job): job.runSynchronously(on: executor)
                case .call(let body): body()
                }
            }
            sharedBatch.removeAll(keepingCapacity: sharedBatch.count < 1024)
            for item in localBatch {
                switch item {
                case .job(let job): job.runSynchronously(on: executor)
                case .call(let body): body()
                }
            }
            localBatch.removeAll(keepingCapacity: localBatch.count < 1024)
        }
    }

    private func armTimer() {
        guard let deadline = timers.first?.deadline else { return }
        // A descriptor armed for an earlier time is left alone: it fires, finds nothing due and is armed again.
        if let armedDeadline, armedDeadline <= deadline { return }
        armedDeadline = deadline
        poller.armTimer(after: deadline - .now)
    }

    private func fireTimers() {
        poller.timerFired = false
        armedDeadline = nil
        let now = ContinuousClock.Instant.now
        let limit = timers.upcomingSequence
        while let timer = timers.popDue(now: now, before: limit) { timer.fire() }
    }

    private func dropWork() {
        acceptsWork = false
        let handlers = stopHandlers.values
        stopHandlers = [:]
        for handler in handlers { handler() }
        poller.removeAll()
        timers.removeAll()
    }
}
