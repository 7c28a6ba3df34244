import CodexKit
import FoundationEssentials
import JSON
import Log
import RelayProtocol
import Synchronization

@testable import DeckAgents
@testable import DeckNode

/// A whole node whose agents ask a model in this process; nothing of the computer outside its folder is used.
final class AgentNode: Sendable {
    let folder: TestFolder
    let model = QuietModel()
    let service: NodeService
    let work: String
    private let store = InMemoryRuntimeStateStore()

    /// - Parameters:
    ///   - settings: The content of `node.json`.
    ///   - runtime: The folder of its socket, which a node keeps for as long as it is in memory.
    ///   - change: Makes the agents of other parts.
    init(
        settings: String = "{}", folder: TestFolder = TestFolder(), runtime: String = "run",
        change: @escaping @Sendable (inout AgentHost.Configuration) -> Void = { _ in }
    ) async throws {
        self.folder = folder
        folder.put("config/codex-deck/node.json", settings)
        work = folder("work")
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder(runtime), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let variables = [
            "HOME": folder(""), "XDG_RUNTIME_DIR": folder(runtime), "XDG_STATE_HOME": folder("state"), "XDG_CONFIG_HOME": folder("config"),
            "XDG_DATA_HOME": folder("data"), "CODEX_HOME": folder("codex"), "PATH": "/usr/bin:/bin",
        ]
        var options = NodeService.Options()
        let (model, home) = (model, work)
        options.agents = { environment in
            var configuration = AgentHost.Configuration(
                backend: model, authProvider: ChatGPTOAuthProvider(configuration: ChatGPTAuthConfiguration()),
                secureStore: InMemorySessionStore(
                    session: ChatGPTSession(accessToken: "t", account: ChatGPTAccount(id: "a", email: "a@example.org", plan: .plus, name: nil))),
                stateHome: environment.directories.stateHome, variables: environment.variables, home: home, now: environment.now)
            configuration.tools = HostTools.definitions.map {
                AgentRuntime.ToolRegistration(definition: $0, executor: AnyToolExecutor { call, _ in .success(invocation: call, text: "pretended") })
            }
            change(&configuration)
            return configuration
        }
        service = try NodeService(environment: NodeEnvironment(variables: variables, logger: .silent), options: options)
        try await service.start()
    }

    func stop() async {
        await service.stop()
        service.shutdownLoops()
    }

    /// Asks as `decknode ask` does, and goes away; the task.
    func ask(_ text: String, _ script: [QuietModel.Step] = [.say("ok")]) async throws -> TaskIdentity {
        model.add(script)
        guard let host = await service.agents else { throw ToolFailure("no host") }
        for await event in try await host.ask(AgentAsk(text: text, folder: work, isDetached: true)) {
            if case .thread(let identity, _, _, _) = event { return identity }
        }
        throw ToolFailure("no thread")
    }

    func task(_ identity: TaskIdentity) async -> DeckTask? { await service.deck.tasks[identity] }
    func phase(_ identity: TaskIdentity) async -> DeckTask.Phase? { await task(identity)?.phase }

    /// Waits until the task is in the phase; ten seconds at most.
    func wait(_ identity: TaskIdentity, _ phase: DeckTask.Phase) async throws {
        try await until { await self.phase(identity) == phase }
    }

    func until(_ condition: () async -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(10)
        while await !condition() {
            guard ContinuousClock.now < end else { throw ToolFailure("it did not come about") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    func open(_ identity: TaskIdentity) async -> String? { await service.open(identity, for: .owner).refusal }

    /// Presses a key on the task that was opened last; the refusal, or `nil`.
    func press(_ keycap: Keycap) async -> String? { await answer(.keycap(keycap, task: nil)).refusal }

    func answer(_ command: Command) async -> PressAnswer { await service.pressed(command) }

    func control(_ command: String, _ arguments: [String: JSONValue] = [:]) async -> ControlReply {
        await service.controlled(ControlRequest(command, arguments))
    }
}

extension NodeService {
    fileprivate func pressed(_ command: Command) async -> PressAnswer {
        await withCheckedContinuation { continuation in perform(command, of: .owner) { continuation.resume(returning: $0) } }
    }

    fileprivate func controlled(_ request: ControlRequest) async -> ControlReply {
        await withCheckedContinuation { continuation in answer(request) { continuation.resume(returning: $0) } }
    }
}

/// A model that says what it is told to.
final class QuietModel: AgentBackend {
    enum Step: Sendable {
        case say(String)
        /// Asks to run a command.
        case run(String)
        /// Waits until the turn is cancelled.
        case hang
    }

    let defaultModel = "gpt-5.4"
    var baseInstructions: String? { nil }
    private let state = Mutex<(scripts: [[Step]], requests: [AgentBackendRequest])>(([], []))

    func add(_ script: [Step]) { state.withLock { $0.scripts.append(script) } }
    var requests: [AgentBackendRequest] { state.withLock { $0.requests } }
    /// What was asked last.
    var lastQuestion: String? {
        guard case .message(_, let parts)? = requests.last?.input.last, case .text(let text)? = parts.first else { return nil }
        return text
    }

    func respond(to request: AgentBackendRequest, as sessions: any AgentSessionProviding) -> AgentTurnStream {
        let (steps, number) = state.withLock { state in
            state.requests.append(request)
            return (state.scripts.isEmpty ? [.say("ok")] : state.scripts.removeFirst(), state.requests.count)
        }
        return AgentTurnStream { continuation in
            let task = Task {
                for (index, step) in steps.enumerated() {
                    switch step {
                    case .say(let text): continuation.yield(.message(AgentBackendMessage(id: "m\(number)-\(index)", text: text)))
                    case .run(let command):
                        let arguments = JSONValue.object(["command": .string(command)]).encoded()
                        let text = String(decoding: arguments, as: UTF8.self)
                        continuation.yield(
                            .functionCall(AgentFunctionCall(callID: "c\(number)-\(index)", name: "run_command", arguments: text)))
                    case .hang:
                        let (never, _) = AsyncStream<Never>.makeStream()
                        for await _ in never {}
                    }
                }
                continuation.yield(
                    .completed(AgentBackendCompletion(responseID: "r\(number)", usage: AgentUsage(inputTokens: 27_200, outputTokens: 0))))
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
