import JSON
import RelayProtocol
import Testing

@testable import DeckClient

/// What travels over the socket arrives as it was, however the changes are cut.
struct EngineFrameTests {
    private static func node(_ view: HostView, health: HostHealth = .ready) throws -> EngineFrame.Node {
        let profile = NodeProfile(
            id: view.profileID, name: "Node \(view.pairedOrder)", address: try NodeAddress("wss://10.0.0.\(view.pairedOrder):47653"),
            route: view.route,
            hostID: view.host.id, fingerprint: String(repeating: "ab", count: 32), platform: .mac, os: "linux", pairedOrder: view.pairedOrder)
        let state = ClientState.Node(
            profile: profile, health: health, host: view.host, bridge: "b", capabilities: ["agent"], lastSnapshotAt: view.report?.receivedAt)
        return EngineFrame.Node(state: state, view: view)
    }

    private static func usage() -> Usage {
        Usage(
            windows: [.init(id: "5h", kind: .fiveHour, usedPercent: 12.5, remainingPercent: 87.5, durationMinutes: 300, resetsAt: Lab.ago(-600))],
            observedAt: Lab.ago(3), resetCreditsAvailable: 2)
    }

    private static func frame() throws -> EngineFrame {
        var frame = EngineFrame()
        let slots = [Lab.slot(0, 1, .approval, title: "Zeile \"eins\" 猫", selected: true, ago: 3, context: 41), Lab.slot(3, 2, .complete, ago: 9)]
        frame.nodes = [
            try node(Lab.view(1, slots, sessions: [Lab.session(2, .complete, revision: 7)], clock: 18_000, usage: usage())),
            try node(
                Lab.view(2, [Lab.slot(0, 1, .working)], mode: .pinned, clock: -18_000, capabilities: [.agent, .keycap]),
                health: .degraded(reason: "r")),
            try node(Lab.view(3, [Lab.slot(0, 4)], live: false), health: .offline(reason: nil)),
        ]
        frame.nodes[2].view?.health = .offline(reason: nil)
        frame.nodes[1].view?.health = .degraded(reason: "r")
        frame.memory.observe(frame.views, now: Lab.now)
        frame.memory.acknowledge(Lab.task(2), in: frame.views, now: Lab.now)
        frame.events = [
            AttentionEvent(
                id: 9, kind: .completion, task: Lab.task(2), revision: .number(7), title: "t", host: Lab.hostID(1), hostName: "h", badge: .windows,
                at: Lab.now, activityAt: Lab.ago(4), isRead: true, endedAt: Lab.now)
        ]
        frame.receipts = [ReceiptRecord(id: 3, action: "open", step: .sending, at: Lab.now)]
        frame.follow = Follow(Lab.task(1), since: Lab.now)
        frame.settings.authority = Lab.hostID(2)
        frame.settings.layouts.assign(.lab, to: .act09, in: .mobile)
        return frame
    }

    private static func state(_ frame: EngineFrame) -> ClientState { ClientState(frame, board: frame.board(now: Lab.now), now: Lab.now) }

    /// Through bytes, as over the socket.
    private static func travelled(_ delta: JSONValue) throws -> JSONValue {
        guard case .frame(let read)? = EngineReply(line: Array(EngineReply.frame(delta).line.dropLast())) else { throw Lost() }
        return read
    }

    struct Lost: Error {}

    @Test func aWholeFrameArrives() throws {
        let sent = try Self.frame()
        var received = EngineFrame()
        let isRead = received.apply(try Self.travelled(try #require(sent.delta(from: nil))))
        #expect(isRead)
        #expect(Self.state(received) == Self.state(sent))
        #expect(received.nodes == sent.nodes)
        #expect(received.events == sent.events)
        #expect(received.follow == sent.follow)
    }

    @Test func nothingNewIsNothingToSay() throws {
        let frame = try Self.frame()
        #expect(frame.delta(from: frame) == nil)
    }

    @Test func freshnessAloneIsAShortMessage() throws {
        let old = try Self.frame()
        var new = old
        let later = Lab.ago(-2)
        new.nodes[0].view?.renew(observedAt: later.advanced(byMilliseconds: 18_000_000), receivedAt: later)
        new.nodes[0].state.lastSnapshotAt = later
        let delta = try #require(new.delta(from: old))
        #expect(delta.encoded().count < 600)
        var received = EngineFrame()
        _ = received.apply(try Self.travelled(try #require(old.delta(from: nil))))
        let isRead = received.apply(try Self.travelled(delta))
        #expect(isRead)
        #expect(received.nodes == new.nodes)
    }

    @Test func manyStepsAmountToTheSameAsOne() throws {
        var random = SplitMix(state: 7)
        var sent = try Self.frame()
        var received = EngineFrame()
        var known: EngineFrame?
        for step in 0..<300 {
            let node = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: sent.nodes[node].view?.disconnect(.offline(reason: "gone"))
            case 1, 2:
                let status = [TaskStatus.working, .approval, .idle, .error].randomElement(using: &random)!
                sent.nodes[node].view?.receive(
                    Lab.snapshot([Lab.slot(0, Int.random(in: 1...4, using: &random), status)]), observedAt: Lab.ago(-Double(step) + 3 * Double(node)),
                    receivedAt: Lab.ago(-Double(step)))
            case 3:
                // A clock that drifts in steps too small to be followed at once.
                sent.nodes[node].view?.renew(
                    observedAt: Lab.ago(-Double(step) + Double.random(in: 0...2, using: &random)), receivedAt: Lab.ago(-Double(step)))
            case 4: sent.nodes[node].state.health = .degraded(reason: "\(step)")
            case 5: sent.settings.bell.toggle()
            case 6: sent.follow = sent.follow == nil ? Follow(Lab.task(2), since: Lab.now) : nil
            default: if sent.nodes.count == 3 { sent.nodes.swapAt(0, 1) }
            }
            guard step.isMultiple(of: Int.random(in: 1...3, using: &random)) else { continue }
            if let delta = sent.delta(from: known) {
                let isRead = received.apply(try Self.travelled(delta))
                #expect(isRead)
            }
            known = sent
            #expect(received.nodes == sent.nodes, "step \(step)")
            #expect(Self.state(received) == Self.state(sent), "step \(step)")
        }
    }

    @Test func aNodeThatWasRemovedGoes() throws {
        let old = try Self.frame()
        var new = old
        new.nodes.remove(at: 1)
        var received = old
        let isRead = received.apply(try Self.travelled(try #require(new.delta(from: old))))
        #expect(isRead)
        #expect(received.nodes == new.nodes)
    }

    @Test(arguments: [
        #"{"nodes":[{"id":"x"}]}"#, #"{"nodes":[{"id":"x","health":{"word":"fine"},"capabilities":[]}]}"#, #"{"order":["a","a"]}"#,
        #"{"memory":"{"}"#, #"{"settings":"[]"}"#, #"{"nodes":[{"id":"p","view":{"cached":true}}]}"#,
    ])
    func anotherLanguageIsNoticed(text: String) throws {
        var frame = EngineFrame()
        let isRead = frame.apply(try parse(text))
        #expect(!isRead)
    }
}
