import EventLoop
import Log
import RelayProtocol

/// Follows the rollouts of one $CODEX_HOME and reports what changes, as it changes.
///
/// Give it an event loop of its own: it reads files there, which blocks for moments (the first index for up to some hundred
/// milliseconds). It waits for $CODEX_HOME when that does not exist, never writes, and never opens anything but rollouts,
/// `session_index.jsonl` and the kernel's lock table. Call ``stop()`` before letting go of it.
public actor RolloutSource {
    private let loop: EventLoop
    private let now: @Sendable () -> UnixMilliseconds
    private let onChange: @Sendable ([RolloutChange]) -> Void
    private let index: RolloutIndex
    private var watch: Watch?
    private var timer: Timer?
    private var timerDeadline: UnixMilliseconds?
    private var isStarted = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - codexHome: Absolute path, without a slash at the end; need not exist.
    ///   - loop: Where it runs and reads; not the loop that serves connections.
    ///   - now: The wall clock, which record times are compared with.
    ///   - onChange: Called on `loop` with the changes that belong together, never with none. After ``start()`` it is first called with
    ///     all sessions that were read.
    public init(
        codexHome: String, loop: EventLoop, log: Logger, now: @escaping @Sendable () -> UnixMilliseconds,
        onChange: @escaping @Sendable ([RolloutChange]) -> Void
    ) {
        self.loop = loop
        self.now = now
        self.onChange = onChange
        index = RolloutIndex(home: codexHome, log: log)
    }

    /// Reads what is there and begins to follow it; once.
    public func start() {
        guard !isStarted else { return }
        isStarted = true
        let changes = index.start(now: now())
        if index.watcher.descriptor >= 0 {
            do throws(SystemError) {
                watch = try loop.watch(index.watcher.descriptor, .readable) { [weak self] _ in
                    self?.assumeIsolated { $0.advance { $0.processEvents(now: $1) } }
                }
            } catch {
                index.log.error("Session files cannot be followed: \(error)")
            }
        }
        deliver(changes)
    }

    /// Stops following. What was read stays readable.
    public func stop() {
        watch?.cancel()
        timer?.cancel()
        watch = nil
        timer = nil
    }

    /// Looks at every folder anew, for instance after the computer slept.
    public func recheck() {
        advance { index, now in
            index.rescan(now: now)
            return index.report(now: now)
        }
    }

    /// Reads a session that is not among the newest, for instance because its owner pinned it; it is in ``sessions`` afterwards if it exists.
    public func load(_ identity: TaskIdentity) { advance { $0.load(identity, now: $1) } }

    /// The live tasks of the user that were read, newest activity first.
    public var sessions: [RolloutSession] { index.sessions }

    public func session(_ identity: TaskIdentity) -> RolloutSession? { index.published[identity] }

    /// The account's usage windows from the newest record of any session.
    public var limits: RateLimits { index.limits }

    public var statistics: RolloutStatistics { index.statistics }

    private func advance(_ step: (RolloutIndex, UnixMilliseconds) -> [RolloutChange]) {
        guard isStarted else { return }
        deliver(step(index, now()))
    }

    private func deliver(_ changes: [RolloutChange]) {
        planTimer()
        if !changes.isEmpty { onChange(changes) }
    }

    private func planTimer() {
        let now = now()
        let deadline = index.nextDeadline(now: now)
        if deadline == timerDeadline, timer?.isPending == true { return }
        timer?.cancel()
        timerDeadline = deadline
        timer = deadline.map { deadline in
            loop.schedule(after: .milliseconds(max(deadline.milliseconds(since: now), 0))) { [weak self] in
                self?.assumeIsolated { $0.advance { $0.handleTimeout(now: $1) } }
            }
        }
    }
}
