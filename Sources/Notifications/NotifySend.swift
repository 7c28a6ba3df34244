import EventLoop
import Log

/// Shows desktop notifications through `notify-send`.
///
/// One notification a key: a later one takes the place of the earlier, at most once a second. Every wait is bounded. Without the program
/// or a notification server that is said once, and nothing else happens. A pressed button or a click is told by key; closing tells nothing.
public actor NotifySend {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The longest times things may take.
    public struct Limits: Sendable {
        /// For the server to answer.
        public var answer: Duration
        /// For the user to press the button: afterwards the notification stays without one.
        public var decision: Duration
        /// Notifications whose buttons are watched at the same time.
        public var watched: Int

        public init(answer: Duration = .seconds(5), decision: Duration = .seconds(3600), watched: Int = 16) {
            self.answer = answer
            self.decision = decision
            self.watched = watched
        }
    }

    private enum Probe {
        case none, running
        case done(NotificationAbilities)
        /// There is no `notify-send`.
        case missing
    }

    private struct Shown {
        /// As the server gave it; forgotten when the notification is closed.
        var id: UInt32?
        /// The program that waits for its button.
        var waiting: WaitingNotification?
        var isSending = false
        var next: DesktopNotification?
        var closesNext = false
        var order = 0
    }

    /// Called on the loop with the key of a notification whose button was pressed.
    public var onAction: (@Sendable (String) -> Void)?

    /// `notify-send` keeps the id to itself until it ends, unless it is made to write line by line.
    private static let lineBuffering = ["stdbuf", "-oL"]

    private let program: String
    private let environment: [String]?
    private let limits: Limits
    private let loop: EventLoop
    private let bus: NotificationBus
    private let logger: Logger
    private var probe = Probe.none
    private var pacer = NotificationPacer()
    private var timer: Timer?
    private var shown: [String: Shown] = [:]
    private var counter = 0
    private var isStopped = false

    /// - Parameters:
    ///   - program: A path with a slash, or a name in `PATH`.
    ///   - environment: `NAME=value` texts for the programs; `nil` inherits ours.
    public init(
        program: String = "notify-send", environment: [String]? = nil, limits: Limits = Limits(), loop: EventLoop, logger: Logger
    ) {
        self.program = program
        self.environment = environment
        self.limits = limits
        self.loop = loop
        self.logger = logger
        bus = NotificationBus(environment: environment, patience: limits.answer, loop: loop)
    }

    /// Shows a notification, now or when its second is over.
    public func post(_ notification: DesktopNotification) {
        guard !isStopped else { return }
        if let now = pacer.offer(notification, now: .now) { send(now) }
        armTimer()
    }

    /// Closes what a key shows, as far as that can be done.
    public func withdraw(_ key: String) {
        pacer.withdraw(key)
        guard var entry = shown[key] else { return }
        entry.next = nil
        entry.closesNext = entry.isSending
        shown[key] = entry
        if !entry.isSending { close(key) }
    }

    /// Ends all waiting; what is shown stays.
    public func stop() {
        isStopped = true
        timer?.cancel()
        for entry in shown.values { entry.waiting?.end() }
        shown = [:]
    }

    private func armTimer() {
        timer?.cancel()
        guard let deadline = pacer.nextDeadline else { return }
        timer = loop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { sender in
                for notification in sender.pacer.due(now: .now) { sender.send(notification) }
                sender.armTimer()
            }
        }
    }

    // MARK: - Sending

    private func send(_ notification: DesktopNotification) {
        if case .missing = probe { return }
        var entry = shown[notification.key] ?? Shown()
        counter += 1
        entry.order = counter
        entry.closesNext = false
        guard !entry.isSending else {
            entry.next = notification
            shown[notification.key] = entry
            return
        }
        entry.isSending = true
        // Before the new one: two programs that wait for one id would both report its button.
        entry.waiting?.end()
        entry.waiting = nil
        shown[notification.key] = entry
        Task { await self.deliver(notification) }
    }

    private func deliver(_ notification: DesktopNotification) async {
        let abilities = await self.abilities()
        if let abilities, !isStopped { await show(notification, abilities) }
        finished(notification.key)
    }

    private func show(_ notification: DesktopNotification, _ abilities: NotificationAbilities) async {
        let arguments = NotifySendArguments(notification: notification, abilities: abilities)
        let former = shown[notification.key]?.id
        if notification.action != nil, abilities.acts {
            return await showAndWait(notification.key, arguments.showAndWait(replacing: former))
        }
        do throws(ChildProcessError) {
            let result = try await ChildProcess.run(
                program, arguments.show(replacing: former), environment: environment, timeout: limits.answer, outputLimit: 4096, on: loop)
            guard result.succeeded else { return fail(Self.reason(result)) }
            succeed(notification.key, NotifySendArguments.id(result.output))
        } catch {
            fail("\(error)")
        }
    }

    private func succeed(_ key: String, _ id: UInt32?) {
        logger.recovered("notifications", "Desktop notifications are shown again.")
        shown[key]?.id = id
    }

    private func finished(_ key: String) {
        guard var entry = shown[key] else { return }
        entry.isSending = false
        let next = entry.next
        entry.next = nil
        shown[key] = entry
        if entry.closesNext {
            close(key)
        } else if let next, !isStopped {
            send(next)
        } else {
            boundWatched()
        }
    }

    private func close(_ key: String) {
        guard let entry = shown.removeValue(forKey: key) else { return }
        entry.waiting?.end()
        guard let id = entry.id else { return }
        Task { [bus] in await bus.close(id) }
    }

    private func fail(_ reason: String) {
        // A server that comes up later is asked then; it may be another one.
        if case .done = probe { probe = .none }
        logger.logOnce(
            "notifications", .warning, "Desktop notifications cannot be shown: \(reason) Events are still kept; see `deckclient attention`.")
    }

    private static func reason(_ result: ChildResult) -> String {
        if result.status == .timedOut { return "the notification server does not answer." }
        let line = String(decoding: result.errorOutput, as: UTF8.self).split(whereSeparator: \.isNewline).first.map { String($0.prefix(160)) }
        return "no notification server answers (\(line ?? "notify-send failed"))."
    }

    // MARK: - Buttons

    /// Returns when the notification is shown, or cannot be.
    private func showAndWait(_ key: String, _ arguments: [String]) async {
        await withCheckedContinuation { continuation in
            do throws(ChildProcessError) {
                let waiting = try WaitingNotification(
                    Self.lineBuffering[0], Self.lineBuffering.dropFirst() + [program] + arguments, environment: environment, limits: limits, on: loop,
                    onID: { [weak self] id in
                        self?.assumeIsolated { $0.answered(key, id) }
                        continuation.resume()
                    },
                    onEnd: { [weak self] outcome in self?.assumeIsolated { $0.ended(key, outcome) } })
                shown[key]?.waiting = waiting
            } catch {
                fail("\(error)")
                continuation.resume()
            }
        }
    }

    private func answered(_ key: String, _ id: UInt32?) {
        guard !isStopped else { return }
        guard let id else {
            shown[key]?.waiting = nil
            return fail("no notification server answers.")
        }
        succeed(key, id)
        boundWatched()
    }

    /// Lets go of the oldest buttons there are too many of. One that is just being shown is not among them yet; its turn comes when it is.
    private func boundWatched() {
        while true {
            let waiting = shown.filter { $0.value.waiting != nil }
            let settled = waiting.filter { !$0.value.isSending }
            guard waiting.count > limits.watched, let oldest = settled.min(by: { $0.value.order < $1.value.order }) else { return }
            oldest.value.waiting?.end()
            shown[oldest.key]?.waiting = nil
        }
    }

    private func ended(_ key: String, _ outcome: WaitingNotification.Outcome) {
        guard let entry = shown[key] else { return }
        shown[key]?.waiting = nil
        guard outcome != .leftAlone else { return }
        // It is closed: the server may give its id to another one.
        if entry.isSending { shown[key]?.id = nil } else { shown[key] = nil }
        if outcome == .pressed { onAction?(key) }
    }

    // MARK: - Abilities

    private func abilities() async -> NotificationAbilities? {
        while case .running = probe { await withCheckedContinuation { probeWaiters.append($0) } }
        switch probe {
        case .done(let abilities): return abilities
        case .missing: return nil
        case .none, .running: break
        }
        probe = .running
        let found = await lookUp()
        probe = found.map(Probe.done) ?? .missing
        for waiter in probeWaiters { waiter.resume() }
        probeWaiters = []
        return found
    }

    private var probeWaiters: [CheckedContinuation<Void, Never>] = []

    private func lookUp() async -> NotificationAbilities? {
        let help: ChildResult
        do throws(ChildProcessError) {
            help = try await ChildProcess.run(program, ["--help"], environment: environment, timeout: limits.answer, on: loop)
        } catch {
            fail("\(error)")
            return nil
        }
        var abilities = NotificationAbilities(help: String(decoding: help.output, as: UTF8.self), serverReply: await bus.capabilities())
        if abilities.acts, await !canLineBuffer() { abilities.acts = false }
        return abilities
    }

    private func canLineBuffer() async -> Bool {
        do throws(ChildProcessError) {
            return try await ChildProcess.run(
                Self.lineBuffering[0], Self.lineBuffering.dropFirst() + ["true"], environment: environment, timeout: limits.answer, on: loop
            ).succeeded
        } catch {
            logger.info("Notifications have no button: \(error)")
            return false
        }
    }
}
