import CommandLineKit
import DeckClient
import Discovery
import EventLoop
import Glibc
import JSON
import Relay
import RelayProtocol
import Synchronization

/// `deckclient discover`, `nodes` and `test`: they look at nodes.
enum NodeCommands {
    // MARK: discover

    static func discover(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let seconds = invocation.integer("seconds") ?? 3
        let loop = try EventLoop(name: "avahi")
        defer { loop.shutdown() }
        let browser = ServiceBrowser(loop: loop, log: environment.logger, onEvent: { _ in })
        await browser.start()
        try await Task.sleep(for: .seconds(seconds))
        let state = await browser.state
        let records = await browser.records.sorted { ($0.name, $0.host) < ($1.name, $1.host) }
        await browser.stop()
        if case .unavailable(let reason) = state, records.isEmpty {
            throw CommandFailure("Nodes cannot be discovered: \(reason). Pair with the code that `decknode pair` shows instead.")
        }
        let book = try ClientStore(environment).profiles()
        if invocation.flag("json") { return Output.json(.array(records.map(json))) }
        guard !records.isEmpty else {
            return Output.print("No node was heard in \(seconds) s. Nodes of this network are heard when `decknode nearby enable` was run there.")
        }
        var table = Table([.init("NAME", isFlexible: true), .init("ADDRESS"), .init("SYSTEM"), .init("PAIRED"), .init("CERTIFICATE")])
        for record in records {
            let paired = book.profiles.first { $0.hostID == record.host && $0.route == .nearby }
            let state = paired.map { $0.fingerprint == record.fingerprint ? "yes" : "other certificate" } ?? "no"
            table.rows.append([
                record.name, "\(record.address):\(record.port)", record.os ?? record.platform.rawValue, state, String(record.fingerprint.prefix(16)) + "…",
            ])
        }
        for line in table.render(width: Output.width(environment)) { Output.print(line) }
    }

    private static func json(_ record: ServiceRecord) -> JSONValue {
        .object([
            "hostId": .string(record.host.uuid), "name": .string(record.name), "address": .string(record.address.description),
            "port": .number(Double(record.port)), "platform": .string(record.platform.rawValue), "os": record.os.map { .string($0) } ?? .null,
            "fingerprint": .string(record.fingerprint),
        ])
    }

    // MARK: nodes

    static func nodes(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let state = try await OneShot.state(environment)
        if invocation.flag("json") { return Output.json(.array(state.nodes.map(json))) }
        guard !state.nodes.isEmpty else { return Output.print("No node is paired. Run `decknode pair` on a computer and `deckclient pair` here.") }
        var table = Table([.init("NAME"), .init("ADDRESS"), .init("SYSTEM"), .init("STATE", isFlexible: true), .init("ID")])
        for node in state.nodes {
            let health = node.profile.duplicateOf.map { "duplicate of \($0.prefix(8))" } ?? node.health.description
            let system = node.host.map { HostBadge($0).name } ?? node.profile.os ?? ""
            table.rows.append([node.profile.name, node.profile.address.description, system, health, String(node.id.prefix(8))])
        }
        for line in table.render(width: Output.width(environment)) { Output.print(line) }
    }

    private static func json(_ node: ClientState.Node) -> JSONValue {
        var fields = PairingCommands.json(node.profile).object ?? [:]
        fields["health"] = .string(node.health.word)
        if let reason = node.health.reason { fields["reason"] = .string(reason) }
        if let bridge = node.bridge { fields["bridge"] = .string(bridge) }
        fields["capabilities"] = .array(node.capabilities.map { .string($0) })
        if let at = node.lastSnapshotAt { fields["lastSnapshotAt"] = .number(Double(at.value)) }
        return .object(fields)
    }

    // MARK: test

    static func test(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let store = ClientStore(environment)
        let profile = try store.profiles().find(invocation.argument("NODE") ?? "")
        guard let key = ClientStore.tokenKey(profile.id), let token = try await store.secrets().store.lookup(key) else {
            throw CommandFailure("The token of \(Printable.line(profile.name)) is missing; pair it again.")
        }
        let loop = try EventLoop(name: "test")
        defer { loop.shutdown() }
        let started = ContinuousClock.now
        let outcome = await ConnectionTest.run(NodeLink.target(of: profile, token: token), loop: loop)
        let milliseconds = (ContinuousClock.now - started) / Duration.milliseconds(1)
        switch outcome {
        case .failure(.tokenRejected) where profile.route == .remote:
            let name = Printable.line(profile.name)
            throw CommandFailure(
                "\(name) at \(profile.address) does not accept the token. Run `decknode relay enable` on that computer and `deckclient replace \(name)` here.")
        case .failure(let error): throw CommandFailure("\(Printable.line(profile.name)) at \(profile.address): \(error.sentence)")
        case .success(let host):
            if invocation.flag("json") {
                return Output.json(.object(["ok": .bool(true), "hostId": .string(host.id.uuid), "milliseconds": .number(milliseconds.rounded())]))
            }
            Output.print("\(Printable.line(host.name)) at \(profile.address) answers: secured, authenticated and showing its tasks after \(Int(milliseconds.rounded())) ms.")
        }
    }
}

/// Connects once and says how far it went.
enum ConnectionTest {
    /// - Parameter limit: How long the node may take to show its tasks.
    static func run(_ target: RelayTarget, within limit: Duration = .seconds(20), loop: EventLoop) async -> Result<Host, RelayConnectionError> {
        await withCheckedContinuation { continuation in
            loop.execute {
                let connection = RelayConnection(target, on: loop)
                var waiting: CheckedContinuation<Result<Host, RelayConnectionError>, Never>? = continuation
                connection.onEvent = { event in
                    switch event {
                    case .snapshot(let host, _, _):
                        waiting?.resume(returning: .success(host))
                        waiting = nil
                        connection.close()
                    case .ended(let error):
                        waiting?.resume(returning: .failure(error))
                        waiting = nil
                    case .ready, .health, .fresh, .result: break
                    }
                }
                connection.start()
                loop.schedule(after: limit) {
                    guard let late = waiting else { return }
                    waiting = nil
                    late.resume(returning: .failure(.timedOut(stage: "no word after \(limit.components.seconds) s")))
                    connection.close()
                }
            }
        }
    }
}
