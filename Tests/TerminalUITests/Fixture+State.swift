import Foundation
import RelayProtocol

@testable import DeckClient
@testable import TerminalUI

/// States with all that the engine keeps: nodes, events, receipts and a followed task.
extension Fixture {
    static func node(_ number: Int, _ name: String, health: HostHealth = .ready, host: RelayProtocol.Host?, seen: Int64? = 0) -> ClientState.Node {
        let address = try! NodeAddress("wss://10.66.0.\(number):47653")
        let profile = NodeProfile(
            id: "profile-\(number)", name: name, address: address, route: .nearby, hostID: host?.id,
            fingerprint: String(repeating: "ab", count: 32), pairedOrder: number)
        return ClientState.Node(
            profile: profile, health: health, host: host, bridge: "rollouts", capabilities: ["agent", "keycap", "usage"],
            lastSnapshotAt: seen.map { ago($0) })
    }

    static func event(
        _ id: Int64, _ kind: AttentionEvent.Kind, task: Int, _ title: String, host: Int = 1, minutes: Int64 = 0, read: Bool = false,
        over: Bool = false
    ) -> AttentionEvent {
        AttentionEvent(
            id: id, kind: kind, task: identity(task), title: title, host: hostID(host), hostName: host == 1 ? "atelier" : "studio",
            badge: host == 1 ? .linux : .mac, at: ago(minutes), isRead: read, endedAt: over ? ago(0) : nil)
    }

    static let events = [
        event(9, .approval, task: 1, "Fix the login redirect loop", minutes: 2), event(8, .error, task: 4, "Find the memory leak", minutes: 65),
        event(7, .response, task: 99, "漢字 \u{1b}[31mgone", host: 2, minutes: 300),
        event(6, .completion, task: 3, "Import the customers of the old shop without losing their addresses", minutes: 1500, read: true),
        event(5, .unread, task: 2, "Write the release notes", host: 2, minutes: 3000, over: true),
    ]

    static func followed(_ task: Int, freshness: FollowView.Freshness = .live) -> FollowView {
        FollowView(
            task: identity(task), title: "Write the release notes", status: .working, hostName: "atelier", badge: .linux, activityAt: ago(3),
            contextPercent: 83, freshness: freshness, endsAt: nil)
    }

    /// One computer, and everything else.
    static var full: ClientState {
        var state = ClientState(
            board: one,
            nodes: [
                node(
                    1, "atelier",
                    host: RelayProtocol.Host(id: hostID(1), name: "atelier", platform: .windows, os: "linux", codexVersion: "0.163.0")),
                node(2, "studio\u{1b}[2J", health: .offline(reason: "no route to host"), host: nil, seen: nil),
            ])
        state.attention = events
        state.lowerKeys = LayoutBook().keys(host: .standard)
        state.follow = followed(2)
        state.receipts = [
            ReceiptRecord(
                id: 2, action: "approve", task: identity(1), title: "Fix the login redirect loop", hostName: "atelier", step: .sending, at: now),
            ReceiptRecord(
                id: 1, action: "FAST", hostName: "atelier",
                step: .finished(.failure, word: "timeout", sentence: "atelier did not answer within 10 s."), at: ago(4)),
        ]
        return state
    }

    static func screen(_ columns: Int, _ rows: Int, _ state: ClientState, glyphs: GlyphSet = .unicode) -> DashboardScreen {
        var screen = DashboardScreen(size: ScreenSize(columns: columns, rows: rows), glyphs: glyphs, now: now)
        _ = screen.update(.state(state, now: now))
        return screen
    }
}

extension DashboardScreen {
    /// Clicks on the first place where `text` stands.
    mutating func click(_ text: String) -> [DashboardEffect] {
        for (row, line) in render().enumerated() {
            guard let range = line.text.range(of: text) else { continue }
            let before = String(line.text[..<range.lowerBound])
            return update(.mouse(MouseEvent(.click, row: row, column: before.reduce(0) { $0 + CellWidth.columns($1) })))
        }
        return []
    }
}
