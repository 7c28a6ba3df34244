import CodexAppServer
import EventLoop
import Log
import RelayProtocol

/// Follows the shared daemon of the Codex CLI and acts through it.
///
/// It lives on a loop of its own, so that a long conversation that is read for one person does not delay a key press of another.
actor AppServerSource {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The CLI serves no more than this many threads of a list at once; older ones are on no key.
    private static let maximumPages = 4

    let limits: AppServerLimits
    let loop: EventLoop
    /// Which connection this is: what a call began with may be gone when it goes on.
    private(set) var epoch = 0
    let logger: Logger
    let now: @Sendable () -> UnixMilliseconds
    private let onChange: @Sendable ([AppServerChange]) -> Void
    private let link: AppServerLink
    var book = ThreadBook()
    private(set) var models: [ModelRecord] = []
    private(set) var condition = AppServerCondition()
    private var published: [TaskIdentity: ThreadFacts] = [:]
    private var publishedCredits: Int?
    /// Threads that were made fast here: the daemon forgets it when it loads a thread anew.
    var fastThreads: Set<TaskIdentity> = []
    /// Requests this node is answering at the moment.
    var answering: Set<RequestID> = []
    /// The items those requests are about, and how they ended.
    var watchedItems: Set<String> = []
    var itemEnds: [String: ItemRecord.Status] = [:]
    let resolutions: Waiters<RequestID, Void>
    let items: Waiters<String, ItemRecord.Status>
    let requests: Waiters<TaskIdentity, Void>
    let turns: Waiters<TaskIdentity, Void>
    let settings: Waiters<TaskIdentity, Void>
    let commands: Waiters<Int, Result<CommandResult, AppServerError>>
    var commandsStarted = 0
    private var limitsReadAt: ContinuousClock.Instant?

    /// - Parameter onChange: Called on `loop` with what belongs together, never with nothing.
    init(
        codexHome: String, version: String, limits: AppServerLimits = AppServerLimits(), loop: EventLoop, logger: Logger,
        now: @escaping @Sendable () -> UnixMilliseconds, onChange: @escaping @Sendable ([AppServerChange]) -> Void
    ) {
        self.limits = limits
        self.loop = loop
        self.logger = logger
        self.now = now
        self.onChange = onChange
        let client = ClientInfo(name: "decknode", title: "Codex Deck", version: version)
        link = AppServerLink(socketPath: AppServerLink.socketPath(codexHome: codexHome), as: client, on: loop)
        resolutions = Waiters(on: loop)
        items = Waiters(on: loop)
        requests = Waiters(on: loop)
        turns = Waiters(on: loop)
        settings = Waiters(on: loop)
        commands = Waiters(on: loop)
    }

    // MARK: Life

    func start() {
        link.onReady = { [weak self] _, _ in self?.assumeIsolated { $0.begin() } }
        link.onEvent = { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
        link.onCondition = { [weak self] condition in self?.assumeIsolated { $0.follow(condition) } }
        link.start()
    }

    func stop() {
        link.stop()
        endWaiting()
    }

    var connection: AppServerConnection? { link.ready }

    private func follow(_ new: AppServerLink.Condition) {
        let wasConnected = condition.isConnected
        condition.link = new
        switch new {
        case .waiting(let end):
            if wasConnected { logger.logOnce("app-server", .notice, "\(end) Sessions are watched from their files until it is back.") }
            condition.missing = []
            // One report, or for a moment every task would be told to be one the daemon has closed.
            onChange([.condition(condition)] + forgetEverything())
        case .connected(let info):
            logger.recovered("app-server", "Connected to the Codex daemon again.")
            logger.info("Connected to the Codex daemon \(info.version ?? "of an unknown version").")
            onChange([.condition(condition)])
        }
    }

    /// The connection is gone, and with it what only it told: requests, what runs, read marks.
    private func forgetEverything() -> [AppServerChange] {
        var gone = published.keys.sorted().map { AppServerChange.gone($0, isRemoved: false) }
        if publishedCredits != nil { gone.append(.credits(nil)) }
        epoch += 1
        book = ThreadBook(sideChats: book.sideChats)
        published = [:]
        models = []
        answering = []
        publishedCredits = nil
        endWaiting()
        return gone
    }

    private func endWaiting() {
        resolutions.resumeAll()
        items.resumeAll()
        requests.resumeAll()
        turns.resumeAll()
        settings.resumeAll()
        commands.resumeAll()
    }

    // MARK: Reading

    private func begin() {
        limitsReadAt = nil
        list(cursor: nil, page: 1)
        listLoaded()
        listModels()
        readLimits()
    }

    private func list(cursor: String?, page: Int) {
        ask(.threadList(cursor: cursor)) { source, result in
            switch result {
            case .success(let threads):
                for thread in threads.threads { source.book.note(thread, readState: threads.readStates[thread.identity]) }
                if !threads.hasReadStates { source.miss("This version of Codex keeps no read marks; what was seen is kept by this node only.") }
                if let next = threads.nextCursor, page < Self.maximumPages { source.list(cursor: next, page: page + 1) }
            case .failure(let error):
                source.logger.logOnce("app-server-list", "The Codex daemon does not list its threads: \(error)")
                source.retry(after: error) { $0.list(cursor: cursor, page: page) }
            }
        }
    }

    private func listLoaded() {
        ask(.loadedThreads()) { source, result in
            switch result {
            case .success(let loaded): for id in loaded where !source.book.knows(id) { source.read(id) }
            case .failure(let error): source.retry(after: error) { $0.listLoaded() }
            }
        }
    }

    private func listModels() {
        ask(.models()) { source, result in
            switch result {
            case .success(let models): source.models = models
            case .failure(.refused(let refusal)) where !refusal.isOverload:
                source.miss("This version of Codex lists no models, so effort and speed cannot be changed.")
            case .failure(let error): source.retry(after: error) { $0.listModels() }
            }
        }
    }

    /// Asks again for what the daemon had no time to tell. What it refused, or told in words nobody knows, it would refuse again.
    private func retry(after error: AppServerError, _ body: @escaping @Sendable (isolated AppServerSource) -> Void) {
        switch error {
        case .refused(let refusal) where !refusal.isOverload: return
        case .disconnected, .unexpectedAnswer: return
        case .refused, .timedOut: break
        }
        let epoch = epoch
        loop.schedule(after: limits.retry) { [weak self] in
            self?.assumeIsolated { source in
                if source.epoch == epoch { body(source) }
            }
        }
    }

    func read(_ id: TaskIdentity) {
        ask(.readThread(id)) { source, result in
            // A thread nobody has: it was a helper that is over by now.
            if case .success(let reading) = result { source.book.note(reading.thread, readState: reading.readState) }
        }
    }

    private func subscribe(_ id: TaskIdentity) {
        ask(.resume(loaded: id)) { source, result in
            switch result {
            case .success(let opened):
                source.book.noteOpened(opened)
                source.restoreFast(id)
            case .failure: source.book.subscriptionFailed(id)
            }
        }
    }

    /// Asks the account for its limits, not too often: the daemon passes the question on over the network.
    func readLimits(force: Bool = false) {
        if let limitsReadAt, !force, ContinuousClock.now - limitsReadAt < limits.accountInterval { return }
        limitsReadAt = .now
        ask(.rateLimits()) { source, result in
            // Refused without a signed-in account, which is no fault.
            guard case .success(let account) = result else { return source.report(credits: nil) }
            source.onChange([.limits(account.limits)])
            source.report(credits: account.resetCredits)
        }
    }

    func report(credits: Int?) {
        guard credits != publishedCredits else { return }
        publishedCredits = credits
        onChange([.credits(credits)])
    }

    func miss(_ sentence: String) {
        guard !condition.missing.contains(sentence) else { return }
        condition.missing.append(sentence)
        onChange([.condition(condition)])
    }

    /// A call whose answer changes the book: it is taken in the order in which the daemon sent it, between the events around it.
    private func ask<Answer>(
        _ call: AppServerCall<Answer>, _ take: @escaping @Sendable (isolated AppServerSource, Result<Answer, AppServerError>) -> Void
    ) {
        connection?.call(call) { [weak self] result in
            self?.assumeIsolated { source in
                take(source, result)
                source.flush()
            }
        }
    }

    // MARK: Events

    private func handle(_ event: AppServerEvent) {
        book.apply(event, now: now())
        switch event {
        case .rateLimits(let limits):
            onChange([.limits(limits)])
            readLimits()
        case .request(let request):
            if let thread = request.thread { requests.resume(book.root(of: thread), with: ()) }
        case .requestResolved(_, let id):
            answering.remove(id)
            resolutions.resume(id, with: ())
        case .itemCompleted(_, let item):
            if watchedItems.contains(item.id) { itemEnds[item.id] = item.status }
            items.resume(item.id, with: item.status)
        case .turnStarted(let id, _), .turnCompleted(let id, _): turns.resume(id, with: ())
        case .settingsUpdated(let id, let new):
            settings.resume(id, with: ())
            if !new.isFast { fastThreads.remove(id) } else { fastThreads.insert(id) }
        default: break
        }
        flush()
    }

    /// Carries out what the book wishes, and reports what has changed in it.
    func flush() {
        for wish in book.takeWishes() {
            switch wish {
            case .subscribe(let id): subscribe(id)
            case .read(let id): read(id)
            }
        }
        let (changed, removed) = book.takeChanges()
        var changes: [AppServerChange] = []
        for id in removed {
            published[id] = nil
            fastThreads.remove(id)
            changes.append(.gone(id, isRemoved: true))
        }
        for id in changed.sorted() {
            let facts = book.facts(id)
            guard facts != published[id] else { continue }
            published[id] = facts
            changes.append(facts.map { .thread($0) } ?? .gone(id, isRemoved: false))
        }
        if !changes.isEmpty { onChange(changes) }
    }

    private func restoreFast(_ id: TaskIdentity) {
        guard fastThreads.contains(id), book.entries[id]?.settings?.isFast == false else { return }
        ask(.setFast(true, of: id)) { _, _ in }
    }

    // MARK: Calls of actions

    /// A call whose answer only its caller wants.
    func call<Answer>(_ call: AppServerCall<Answer>) async throws(AppServerError) -> Answer {
        guard let connection else { throw .disconnected }
        let result = await withCheckedContinuation { continuation in connection.call(call) { continuation.resume(returning: $0) } }
        if case .failure(let error) = result, let detail = error.detail { logger.info("\(call.method): \(detail)") }
        return try result.get()
    }

    func model(of id: TaskIdentity) -> ModelRecord? {
        guard let name = book.entries[id]?.settings?.model else { return nil }
        return models.first { $0.name == name }
    }
}
