import CBenchmarkFloor
import DeckNode
import EventLoop
import Log
import Relay
import RelayProtocol
import TLS

/// The real relay on a loop of its own, listening with TLS on loopback, and what a floor needs to show the same certificate.
final class RelayBench {
    static let token = String(repeating: "benchmark-token-", count: 3)

    let loop: EventLoop
    let relay: RelayServer
    let port: Int
    /// A bare OpenSSL server context with the same certificate.
    let bareContext: UnsafeMutableRawPointer

    /// - Parameter snapshot: What clients are sent when they come in.
    init(_ snapshot: Snapshot) throws {
        let loop = try EventLoop(name: "relay")
        var limits = RelayServerLimits()
        // The budget that protects a node from one client would end a benchmark after two seconds.
        limits.commandBurst = 1_000_000_000
        limits.commandsPerSecond = 1_000_000_000
        let relay = RelayServer(loop: loop, limits: limits, logger: .silent) { UnixMilliseconds(clamping: wallClock()) }
        var random = SecureRandom()
        let identity = try ServerIdentity.selfSigned(hostID: SampleSnapshot.host.id.uuid, address: "127.0.0.1", notBefore: 0, random: &random)
        bareContext = floor_server_context(try identity.certificate.pem(), identity.privateKey.pem)
        let context = try TLSContext.server(identity)
        port = try loop.run {
            relay.describe(capabilities: Capability.allCases.map(\.rawValue), bridge: "codex-deck-linux")
            Self.carryOutCommands(relay)
            let endpoint = RelayEndpoint(
                kind: .nearby, address: try SocketAddress(host: "127.0.0.1", port: 0), token: Array(Self.token.utf8), tls: context)
            let address = try relay.listen(endpoint)
            relay.publish(host: SampleSnapshot.host, snapshot: snapshot)
            return Int(address.port ?? 0)
        }
        (self.loop, self.relay) = (loop, relay)
    }

    /// As the service of the node does: each client has an interpreter, and a release asks for nothing.
    private static func carryOutCommands(_ relay: RelayServer) {
        let deck = Deck()
        var interpreters: [RelayClientID: CommandInterpreter] = [:]
        relay.onCommand = { client, command, reply in
            let interpreter = interpreters[client] ?? CommandInterpreter()
            let interpretation = interpreter.interpret(command, deck: deck, now: UnixMilliseconds(clamping: wallClock()))
            interpreters[client] = interpreter
            if case .nothing = interpretation { reply(nil) } else { reply("Not part of the benchmark.") }
        }
    }

    /// Ends the relay and its loop. Every row calls it last: connections may outlive neither.
    func stop() throws {
        try loop.run { [relay] in relay.shutdown() }
        loop.shutdown()
    }

    func peer(_ work: Peer.Work, _ arguments: [String]) throws -> PeerProcess {
        try PeerProcess(work, port: port, token: Self.token, arguments)
    }
}
