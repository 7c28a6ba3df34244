import DeckAgents
import EventLoop
import JSON
import Log
import RelayProtocol

/// What commands ask of the node's own agents over the control socket.
///
/// | request | answer |
/// |---|---|
/// | `agents.ask` | the events of the turn, then the end; meanwhile `agents.answer` and `agents.interrupt` are heard on the same connection |
/// | `agents.threads`, `.thread`, `.rename`, `.interrupt`, `.archive`, `.unarchive`, `.delete`, `.session` | one line |
///
/// Confined to the loop of the connections.
final class AgentControl {
    private let host: AgentHost
    private let loop: EventLoop
    private let logger: Logger
    private let configuration: @Sendable () async -> AgentHost.Configuration

    /// - Parameter configuration: What the host is to be made of, by the settings and the session as they are now.
    init(host: AgentHost, loop: EventLoop, logger: Logger, configuration: @escaping @Sendable () async -> AgentHost.Configuration) {
        self.host = host
        self.loop = loop
        self.logger = logger
        self.configuration = configuration
    }

    /// Takes a request that is about the agents; `false` for any other.
    func handle(_ request: ControlRequest, _ exchange: ControlExchange) -> Bool {
        guard request.command.hasPrefix("agents.") else { return false }
        if request.command == "agents.ask" {
            AskExchange(host: host, exchange: exchange, loop: loop, logger: logger).begin(request)
            return true
        }
        let verbs = AgentVerbs(host: host, configuration: configuration), loop = loop
        Task {
            let reply = await verbs.reply(to: request)
            loop.execute { exchange.finish(reply) }
        }
        return true
    }
}

/// One question and its answer over a connection.
///
/// `@unchecked Sendable`: what changes is touched on the loop only.
private final class AskExchange: @unchecked Sendable {
    private let host: AgentHost
    private let exchange: ControlExchange
    private let loop: EventLoop
    private let logger: Logger
    private var thread: TaskIdentity?
    /// The turn, as soon as it has a name: another one of the thread is not this exchange's to stop.
    private var turn: String?
    private var isStopped = false
    private var task: Task<Void, Never>?

    init(host: AgentHost, exchange: ControlExchange, loop: EventLoop, logger: Logger) {
        self.host = host
        self.exchange = exchange
        self.loop = loop
        self.logger = logger
    }

    func begin(_ request: ControlRequest) {
        let json = request.arguments["ask"] ?? .null
        task = Task {
            do throws(AgentHostError) {
                let events = try await host.ask(try AgentAsk(json: json))
                for await event in events { loop.execute { self.take(event) } }
            } catch {
                loop.execute { self.take(.failed(code: error.code, sentence: SessionHint.ours(error.description))) }
            }
            loop.execute { self.exchange.finish(.success(.null)) }
        }
        exchange.onClose = { [task] in task?.cancel() }
        exchange.onRequest = { self.hear($0) }
    }

    private func take(_ event: AgentAskEvent) {
        exchange.event(event.json)
        switch event {
        case .thread(let identity, _, _, _):
            thread = identity
            if isStopped { stop(identity) }
        case .turn(let id): turn = id
        default: break
        }
    }

    private func hear(_ request: ControlRequest) {
        switch request.command {
        case "agents.interrupt":
            isStopped = true
            if let thread { stop(thread) }
        case "agents.answer":
            guard let id = request.arguments["approval"]?.string, let approved = request.arguments["approved"]?.bool else { return }
            Task { await answer(id, approved) }
        default: break
        }
    }

    private func stop(_ identity: TaskIdentity) {
        let turn = turn
        Task { await host.stop(identity, turn: turn) }
    }

    private func answer(_ id: String, _ approved: Bool) async {
        do throws(AgentHostError) {
            try await host.answer(approval: id, approving: approved, by: .terminal)
        } catch {
            // That somebody else was quicker is told by the event that follows.
            logger.debug("An answer from a terminal came to nothing: \(error.code)")
        }
    }
}
