import Relay
import RelayProtocol
import TLS
import Testing

/// What clients that are in learn when the node can do other things than before.
@Suite(.timeLimit(.minutes(1)))
struct RelayDescribeTests {
    /// A client, past its first snapshot.
    private func client(_ lab: RelayLab, fresh: Bool) async throws -> LabClient {
        let client = lab.client(port: try lab.listen(.remote), security: .plain, fresh: fresh)
        #expect(await client.first { Self.capabilities($0) } == ["agent"])
        _ = await client.first { $0.isSnapshot ? true : nil }
        return client
    }

    private static func capabilities(_ event: RelayEvent) -> [String]? {
        if case .ready(_, let capabilities, _) = event { capabilities } else { nil }
    }

    private func describe(_ lab: RelayLab, _ capabilities: [String], bridge: String = "test") {
        lab.onLoop { [server = lab.server] in server.describe(capabilities: capabilities, bridge: bridge) }
    }

    /// Publishes a deck that can be told from the one before, and returns what a client hears until it comes.
    private func words(_ lab: RelayLab, _ client: LabClient) async -> [String] {
        lab.onLoop { [server = lab.server] in
            var snapshot = Snapshot.empty
            snapshot.theme = .light
            server.publish(host: RelayLab.host, snapshot: snapshot)
        }
        var words: [String] = []
        for await event in client.events {
            switch event {
            case .ready(_, let capabilities, let bridge): words.append("ready \(capabilities.joined(separator: " ")) \(bridge)")
            case .snapshot(_, _, let snapshot) where snapshot.theme == .light: return words
            case .ended(let error): words.append("\(error)")
            default: break
            }
        }
        return words
    }

    @Test func aFreshClientIsToldAgainAndStays() async throws {
        let lab = try RelayLab()
        let client = try await client(lab, fresh: true)
        describe(lab, ["agent", "keycap"])
        describe(lab, ["agent", "keycap"], bridge: "other")
        #expect(await words(lab, client) == ["ready agent keycap test", "ready agent keycap other"])
        #expect(lab.clientCount == 1)
    }

    @Test func aChangeIsFollowedByASnapshot() async throws {
        let lab = try RelayLab()
        let client = try await client(lab, fresh: true)
        describe(lab, ["keycap"])
        #expect(await client.first { Self.capabilities($0) } == ["keycap"])
        #expect(await client.first { $0.isSnapshot ? true : nil } == true)
    }

    /// It takes `ready` for something that comes once, so it has to come anew.
    @Test func anOlderClientIsLetGoAndComesBack() async throws {
        let lab = try RelayLab()
        let older = try await client(lab, fresh: false)
        describe(lab, ["agent", "keycap"])
        let end = try await older.end()
        guard case .closedByNode(let code, let reason) = end else { throw end }
        #expect((code, reason) == (1012, "this computer can do other things now"))
        #expect(!end.requiresPairing)
        let again = lab.client(port: try lab.listen(.remote), security: .plain, fresh: false)
        #expect(await again.first { Self.capabilities($0) } == ["agent", "keycap"])
    }

    @Test(arguments: [true, false]) func theSameWordsAreNoNews(fresh: Bool) async throws {
        let lab = try RelayLab()
        let client = try await client(lab, fresh: fresh)
        describe(lab, ["agent"])
        describe(lab, ["agent"])
        #expect(await words(lab, client) == [])
        #expect(lab.clientCount == 1)
    }

    /// Before the first snapshot there is no host to speak of.
    @Test func whoComesLaterHearsTheNewestWordsOnly() async throws {
        let lab = try RelayLab()
        describe(lab, ["first"])
        describe(lab, ["second"])
        let client = lab.client(port: try lab.listen(.remote), security: .plain)
        #expect(await client.first { Self.capabilities($0) } == ["second"])
        #expect(await words(lab, client) == [])
    }
}
