import DeckAgents
import EventLoop
import Glibc
import RelayProtocol

/// The agents in a command of their own, when no node runs: the command talks to them as it would to a node.
struct LoneAgents {
    private let host: AgentHost
    private let loop: EventLoop
    private let environment: NodeEnvironment

    init(environment: NodeEnvironment, loop: EventLoop) {
        self.environment = environment
        self.loop = loop
        host = AgentHost(configuration: Self.configuration(environment)) { _ in }
    }

    /// A command says once what is wrong, and by itself.
    private static func configuration(_ environment: NodeEnvironment) -> AgentHost.Configuration {
        var configuration = AgentParts.configuration(environment)
        if environment.logger.threshold >= .notice { configuration.logging = .disabled }
        return configuration
    }

    /// A connection to them, not started.
    func connect() async throws(SystemError) -> StreamSocket {
        let environment = environment, host = host, loop = loop
        return try await loop.value { () throws(SystemError) in
            let ends = try Self.pair()
            let control = AgentControl(host: host, loop: loop, logger: environment.logger) { Self.configuration(environment) }
            let server = StreamSocket(adopting: ends.0, on: loop)
            ControlConnection(socket: server, handler: { _, reply in reply(.failure("No node is running.")) }, streams: control.handle).start()
            return StreamSocket(adopting: ends.1, on: loop)
        }
    }

    /// One request and its answer.
    func ask(_ request: ControlRequest) async -> ControlReply {
        let environment = environment
        return await AgentVerbs(host: host) { Self.configuration(environment) }.reply(to: request)
    }

    /// Stops what runs, and keeps it as it is.
    func stop() async {
        await host.close()
        host.shutdown()
    }

    private static func pair() throws(SystemError) -> (CInt, CInt) {
        var ends: [CInt] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError(call: "socketpair", code: errno) }
        return (ends[0], ends[1])
    }
}
