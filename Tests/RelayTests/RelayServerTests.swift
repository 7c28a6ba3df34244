import EventLoop
import Relay
import RelayProtocol
import TLS
import Testing

struct RelayServerTests {
    static let task = TaskKey("local:6f9619ff-8b86-4011-b42d-00c04fc964aa")!

    @Test(arguments: [RelayEndpoint.Kind.nearby, .remote])
    func aGoodTokenGetsReadyAndASnapshot(kind: RelayEndpoint.Kind) async throws {
        let lab = try RelayLab()
        let port = try lab.listen(kind)
        let client = lab.client(port: port, security: kind == .nearby ? .pinned(lab.identity.certificate.fingerprint) : .plain)
        var words: [String] = []
        for await event in client.events {
            switch event {
            case .ready(let host, let capabilities, let bridge):
                words.append("ready \(host.name) \(capabilities) \(bridge)")
                continue
            case .snapshot(let host, _, let snapshot): words.append("snapshot \(host.os ?? "") \(snapshot.slots.count)")
            default: words.append("\(event)")
            }
            break
        }
        #expect(words == ["ready lab [\"agent\"] test", "snapshot linux 6"])
    }

    @Test func aWrongTokenIsToldSo() async throws {
        let lab = try RelayLab()
        let client = lab.client(port: try lab.listen(.remote), security: .plain, token: String(repeating: "x", count: 43))
        let error = try await client.end()
        #expect(error.requiresPairing)
        guard case .tokenRejected = error else { throw error }
        #expect(lab.counters.failedAuthentications == 1)
    }

    @Test func anotherCertificateIsRefusedBeforeAnythingIsSent() async throws {
        let lab = try RelayLab()
        let other = try RelayLab.identity()
        let client = lab.client(port: try lab.listen(.nearby), security: .pinned(other.certificate.fingerprint))
        let error = try await client.end()
        guard case .pinMismatch(let presented) = error else { throw error }
        #expect(presented == lab.identity.certificate.fingerprint)
        #expect(lab.counters.failedAuthentications == 0)
    }

    @Test func anotherHostAtTheAddressIsRefused() async throws {
        let lab = try RelayLab()
        let client = lab.client(
            port: try lab.listen(.remote), security: .plain, host: HostID("00000000-0000-4000-8000-000000000001"))
        let error = try await client.end()
        guard case .hostChanged = error else { throw error }
    }

    @Test func silenceBeforeAuthIsClosedWith4001() async throws {
        var limits = RelayServerLimits()
        limits.authTimeout = .milliseconds(30)
        let lab = try RelayLab(limits: limits)
        // A token over the limit of the protocol is no auth message for the node; an empty one is never sent by this client,
        // so silence is made by a peer that only upgrades.
        let peer = try RawPeer(port: try lab.listen(.remote))
        peer.send("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")
        let answer = peer.readAll()
        let close = Array(answer.drop { $0 != 0x88 })
        try #require(close.count > 4)
        #expect(Array(close[2...3]) == [UInt8(4001 >> 8), UInt8(4001 & 255)])
        #expect(String(decoding: close.dropFirst(4), as: UTF8.self) == "authentication required")
    }

    @Test func aBrowserIsRefused() throws {
        let lab = try RelayLab()
        let peer = try RawPeer(port: try lab.listen(.remote))
        peer.send("GET / HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")
        #expect(String(decoding: peer.readAll(), as: UTF8.self).hasPrefix("HTTP/1.1 403 "))
    }

    @Test func anUnfinishedHandshakeEnds() throws {
        var limits = RelayServerLimits()
        limits.handshakeTimeout = .milliseconds(30)
        let lab = try RelayLab(limits: limits)
        let peer = try RawPeer(port: try lab.listen(.remote))
        peer.send("GET / HT")
        #expect(String(decoding: peer.readAll(), as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
        let silent = try RawPeer(port: try lab.listen(.nearby))
        #expect(silent.readAll().isEmpty)
    }

    @Test func theOldestUnauthenticatedConnectionGivesWay() throws {
        var limits = RelayServerLimits()
        limits.maximumUnauthenticated = 3
        let lab = try RelayLab(limits: limits)
        let port = try lab.listen(.remote)
        let peers = try (0..<4).map { _ in try RawPeer(port: port) }
        #expect(peers[0].readAll().isEmpty, "the first was ended")
        #expect(lab.counters.evicted == 1)
    }

    @Test func resultComesBeforeTheSnapshotItCauses() async throws {
        let lab = try RelayLab()
        lab.onLoop { [server = lab.server] in
            server.onCommand = { _, command, reply in
                if case .rateLimitReset = command { return reply("No credit.") }
                var snapshot = Snapshot.empty
                snapshot.theme = .light
                server.publish(host: RelayLab.host, snapshot: snapshot)
                reply(nil)
            }
        }
        let client = lab.client(port: try lab.listen(.remote), security: .plain)
        _ = await client.first { $0.isSnapshot ? true : nil }
        client.send(.agent(slot: 0, threadKey: Self.task, phase: .press))
        let order = await client.first { event -> String? in
            switch event {
            case .result(_, nil): "result"
            case .snapshot(_, _, let snapshot) where snapshot.theme == .light: "snapshot"
            default: nil
            }
        }
        #expect(order == "result")
        let theme = await client.first { event -> Snapshot.Theme? in if case .snapshot(_, _, let snapshot) = event { snapshot.theme } else { nil } }
        #expect(theme == .light)
        client.send(.rateLimitReset)
        let refusal = await client.first { event -> String? in if case .result(_, let error) = event { error ?? "ok" } else { nil } }
        #expect(refusal == "No credit.")
    }

    @Test func aFloodOfCommandsIsBounded() async throws {
        var limits = RelayServerLimits()
        limits.commandBurst = 5
        limits.commandsPerSecond = 0.001
        let lab = try RelayLab(limits: limits)
        lab.onLoop { [server = lab.server] in server.onCommand = { _, _, reply in reply(nil) } }
        let client = lab.client(port: try lab.listen(.remote), security: .plain)
        _ = await client.first { $0.isSnapshot ? true : nil }
        for _ in 0..<9 { client.send(.rateLimitReset) }
        var good = 0, refused = 0
        for await event in client.events {
            if case .result(_, let error) = event { if error == nil { good += 1 } else { refused += 1 } }
            if good + refused == 9 { break }
        }
        #expect((good, refused) == (5, 4))
    }

    @Test func replacedPairingDropsItsClientsAndUnchangedOneKeepsThem() async throws {
        let lab = try RelayLab()
        let port = try lab.listen(.remote)
        let client = lab.client(port: port, security: .plain)
        _ = await client.first { $0.isSnapshot ? true : nil }
        _ = try lab.listen(.remote)
        #expect(lab.clientCount == 1)
        try lab.onLoop { [server = lab.server] in
            try server.listen(
                RelayEndpoint(
                    kind: .remote, address: SocketAddress(host: "127.0.0.1", port: 0), token: Array(repeating: 0x41, count: 43), tls: nil))
        }
        let error = try await client.end()
        guard case .closedByNode(1008, _) = error else { throw error }
    }
}

extension RelayEvent {
    var isSnapshot: Bool { if case .snapshot = self { true } else { false } }
}
