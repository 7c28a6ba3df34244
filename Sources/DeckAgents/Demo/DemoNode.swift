import CodexKit
import FoundationEssentials
import RelayProtocol

/// The demo of `decknode serve --demo`: six made-up tasks in an ``AgentHost`` like any other, with a model that reads its answers from a script.
///
/// It needs no account, keeps nothing, and touches nothing of this computer: the tools that its model calls answer from the script too.
public final class DemoNode: Sendable {
    /// What its host is to be made of.
    public let configuration: AgentHost.Configuration
    private let stage: DemoStage
    private let timetable: DemoTimetable
    private let store: InMemoryRuntimeStateStore
    private let questions = AgentQuestions()
    private let seed: UInt64
    private let now: @Sendable () -> UnixMilliseconds
    private let changes: AsyncStream<[AgentChange]>
    private let inbox: AsyncStream<[AgentChange]>.Continuation

    /// - Parameters:
    ///   - seed: The same seed gives the same lives.
    ///   - home: The folder that new tasks are said to work in.
    ///   - now: The wall clock.
    public init(
        seed: UInt64, variables: [String: String], home: String, now: @escaping @Sendable () -> UnixMilliseconds, clock: DemoClock = .running()
    ) {
        self.seed = seed
        self.now = now
        stage = DemoStage(seed: seed, clock: clock, now: now())
        timetable = DemoTimetable(seed: seed)
        store = InMemoryRuntimeStateStore()
        (changes, inbox) = AsyncStream.makeStream()
        configuration = Self.configuration(stage, questions, store, variables: variables, home: home, now: now)
    }

    private static func configuration(
        _ stage: DemoStage, _ questions: AgentQuestions, _ store: InMemoryRuntimeStateStore, variables: [String: String], home: String,
        now: @escaping @Sendable () -> UnixMilliseconds
    ) -> AgentHost.Configuration {
        let session = ChatGPTSession(
            accessToken: "demo", account: ChatGPTAccount(id: "demo", email: "demo@localhost", plan: ChatGPTPlanType(rawValue: "demo"), name: "Demo"))
        var configuration = AgentHost.Configuration(
            backend: ScriptedBackend(stage: stage), authProvider: DemoAccount(session: session),
            secureStore: InMemorySessionStore(session: session), makeStore: { store }, variables: variables, home: home, now: now)
        configuration.tools = DemoTools(stage: stage).registrations
        configuration.questions = questions
        configuration.contextWindow = { _ in DemoMeter.window }
        return configuration
    }

    // MARK: Life

    /// Makes the six tasks and lets them live until ``stop()``. They are told as changes of the host before this returns.
    ///
    /// - Parameter host: Made of ``configuration``, telling its changes to ``follow(_:)``.
    /// - Throws: ``AgentHostError``, as opening a host does.
    public func start(_ host: AgentHost) async throws(AgentHostError) {
        let director = DemoDirector(host: host, stage: stage, questions: questions, timetable: timetable)
        let cast = cast()
        do {
            let date = Date(timeIntervalSince1970: Double(now().value) / 1_000)
            try await store.apply(cast.map { .saveThread(AgentThread(id: $0.identity.uuid, title: $0.life.title, createdAt: date)) })
        } catch {
            throw .wrapping(error)
        }
        _ = try await host.allTasks()
        await director.begin(cast)
        let changes = changes
        Task {
            for await list in changes { await director.take(list) }
            await director.stop()
        }
    }

    private func cast() -> [(identity: TaskIdentity, part: DemoPart, life: DemoLife)] {
        var random = SplitMix64(state: seed)
        return DemoLife.cast.map { part, life in
            var bytes: [UInt8] = []
            for word in [random.next(), random.next()] { for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift * 8))) } }
            return (TaskIdentity(bytes: bytes), part, life)
        }
    }

    /// Takes what the host tells, from any thread.
    public func follow(_ changes: [AgentChange]) { inbox.yield(changes) }

    /// Ends all lives; the host is closed by whoever made it.
    public func stop() { inbox.finish() }

    // MARK: What the deck shows

    /// Account limits that move with the work. Made up, like everything here.
    public func usage(now: UnixMilliseconds) -> Usage { stage.usage(now: now) }

    /// The title of a task on the deck: it says that it is a demo, and repeats nothing that somebody asked.
    public static func title(of task: AgentTask) -> String {
        guard var title = task.title else { return DemoLife.newTask.title }
        // Copies carry marks around the title of the first.
        var mark = ""
        while title.hasPrefix(Self.sideChat) {
            title.removeFirst(Self.sideChat.count)
            mark = " (side chat)"
        }
        while title.hasSuffix(Self.copy) {
            title.removeLast(Self.copy.count)
            mark = Self.copy
        }
        return DemoLife.titles.contains(title) ? title + mark : DemoLife.mark + "a question of yours"
    }

    private static let sideChat = "Side chat: "
    private static let copy = " (fork)"
}

/// The account of the demo, which nobody signs in to.
private struct DemoAccount: ChatGPTAuthProviding {
    let session: ChatGPTSession

    func signInInteractively() -> ChatGPTSession { session }
    func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) -> ChatGPTSession { session }
}
