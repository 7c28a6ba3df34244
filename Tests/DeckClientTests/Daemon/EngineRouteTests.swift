import Relay
import RelayProtocol
import Testing

@testable import DeckClient

/// Several profiles of one computer, their connections played by the test.
struct EngineRouteTests {
    private static let host = Host(id: Lab.hostID(1), name: "Lab", platform: .mac, os: "linux")
    private static let near: UInt16 = 47_001
    private static let far: UInt16 = 47_002
    private static let further: UInt16 = 47_003

    private static func nearby() throws -> NodeProfile {
        NodeProfile(
            id: "near", name: "Near", address: try NodeAddress("wss://10.0.0.1:\(near)"), route: .nearby, hostID: host.id,
            fingerprint: ProfileBookTests.pin)
    }

    private static func remote(_ id: String, _ port: UInt16) throws -> NodeProfile {
        NodeProfile(id: id, name: id, address: try NodeAddress("wss://lab.example:\(port)"), route: .remote)
    }

    private static func shown(active: Bool = false) -> Snapshot { Lab.snapshot([Lab.slot(2, 1, .working, selected: active)]) }

    @Test func whatOneRouteCarriesGoesOnWhenTheOtherEnds() async throws {
        let lab = try await FakeConnections(Self.nearby(), Self.remote("far", Self.far))
        for port in [Self.far, Self.near] { await lab.comeUp(port, host: Self.host, Self.shown()) }
        let session = lab.session
        let outcome = Task { await session.perform(.open(Lab.task(1))) }
        try await lab.wait("the release") { await lab.sent(on: Self.near).count == 2 }
        #expect(await lab.sent(on: Self.far) == [])
        await lab.say(.ended(.lost("test")), on: Self.far)
        await lab.say(.result(requestID: "c1", error: nil), on: Self.near)
        await lab.say(.result(requestID: "c2", error: nil), on: Self.near)
        await lab.say(.snapshot(host: Self.host, observedAt: lab.store.environment.now(), Self.shown(active: true)), on: Self.near)
        #expect(await outcome.value == .stateConfirmed)
        await lab.end()
    }

    @Test func whatTheLostRouteCarriedIsUnknown() async throws {
        let lab = try await FakeConnections(Self.nearby(), Self.remote("far", Self.far))
        for port in [Self.far, Self.near] { await lab.comeUp(port, host: Self.host, Self.shown()) }
        let session = lab.session
        let outcome = Task { await session.perform(.open(Lab.task(1))) }
        try await lab.wait("the press") { await !lab.sent(on: Self.near).isEmpty }
        await lab.say(.ended(.lost("test")), on: Self.near)
        #expect(await outcome.value == .unknown(name: "Lab"))
        await lab.end()
    }

    @Test func aDuplicateIsHungUpAndDialledAgainWhenItIsNeeded() async throws {
        let lab = try await FakeConnections(Self.remote("far", Self.far), Self.remote("further", Self.further))
        await lab.comeUp(Self.far, host: Self.host, Self.shown())
        await lab.comeUp(Self.further, host: Self.host, Self.shown())
        try await lab.wait("the duplicate to be hung up") { await !lab.isDialled(Self.further) }
        #expect(try lab.store.profiles()["further"]?.duplicateOf == "far")
        #expect(await lab.isDialled(Self.far))
        await lab.say(.ended(.lost("test")), on: Self.far)
        try await lab.wait("the duplicate to be dialled") { await lab.isDialled(Self.further) }
        await lab.comeUp(Self.further, host: Self.host, Self.shown())
        try await lab.wait("the other one to be hung up") { await !lab.isDialled(Self.far) }
        #expect(try lab.store.profiles().profiles.map(\.duplicateOf) == ["further", nil])
        #expect(await lab.session.state.board.computers.map(\.isLive) == [true])
        await lab.end()
    }

    /// Paired again before anything was written: what was known stays known, and is no first look.
    @Test func aRenewedProfileKnowsWhatTheOldOneKnew() async throws {
        let lab = try await FakeConnections(Self.nearby())
        await lab.comeUp(Self.near, host: Self.host, Self.shown())
        try await lab.wait("the task") { await lab.session.state.board.task(Lab.task(1)) != nil }
        await lab.session.apply(.profiles(renewed: "near"))
        #expect(await lab.session.state.board.task(Lab.task(1))?.offline == true)
        await lab.comeUp(Self.near, host: Self.host, Lab.snapshot([Lab.slot(2, 1, .approval)]))
        try await lab.wait("the event") { await lab.session.state.attention.map(\.kind) == [.approval] }
        await lab.end()
    }
}
