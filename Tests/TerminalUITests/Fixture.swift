import RelayProtocol
import TerminalUI

@testable import DeckClient

/// Boards made as the client makes them: by merging what hosts say.
enum Fixture {
    /// Tuesday, 2026-11-24, 10:00 UTC.
    static let now = UnixMilliseconds(clamping: 1_795_514_400_000)
    static let minute: Int64 = 60_000

    static func identity(_ number: Int) -> TaskIdentity {
        TaskIdentity("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)")!
    }

    static func hostID(_ number: Int) -> HostID { HostID("10000000-0000-4000-8000-00000000000\(number)")! }

    static func ago(_ minutes: Int64) -> UnixMilliseconds { now.advanced(byMilliseconds: -minutes * minute) }

    static func slot(
        _ id: Int, _ title: String?, _ status: TaskStatus, minutes: Int64 = 0, context: Int? = nil, selected: Bool = false, task: Int? = nil
    ) -> Slot {
        Slot(
            id: id, threadKey: "local:" + identity(task ?? id + 1).uuid, title: title, status: status, selected: selected, activityAt: ago(minutes),
            ownedByHost: true, contextUsedPercent: context)
    }

    static func snapshot(_ slots: [Slot], usage: Usage? = nil, mode: Snapshot.AgentSource = .custom, sessions: [HostSession]? = nil) -> Snapshot {
        var all = Snapshot.empty.slots
        for slot in slots { all[slot.id] = slot }
        return Snapshot(slots: all, agentSource: mode, usage: usage, hostSessions: sessions)
    }

    static func view(
        _ number: Int, _ name: String, os: String = "linux", health: HostHealth = .ready, snapshot: Snapshot?, received: UnixMilliseconds = now
    ) -> HostView {
        let host = Host(id: hostID(number), name: name, platform: os == "macos" ? .mac : .windows, os: os)
        var view = HostView(host: host, profileID: "profile-\(number)", pairedOrder: number, health: health)
        if let snapshot { view.receive(snapshot, observedAt: received, receivedAt: received) }
        return view
    }

    static func board(_ views: [HostView], now: UnixMilliseconds = now) -> Board { DeckMerge.merge(hosts: views, authority: nil, now: now) }

    static func window(_ kind: Usage.Window.Kind, used: Double, resetsIn minutes: Int64?) -> Usage.Window {
        Usage.Window(
            id: kind.rawValue, kind: kind, usedPercent: used, remainingPercent: 100 - used, durationMinutes: kind == .weekly ? 10080 : 300,
            resetsAt: minutes.map { now.advanced(byMilliseconds: $0 * minute) })
    }

    static let usage = Usage(windows: [window(.fiveHour, used: 62, resetsIn: 130), window(.weekly, used: 93.4, resetsIn: 3 * 1440)], observedAt: now)

    /// One computer, a task in every state.
    static var one: Board {
        board([
            view(
                1, "atelier",
                snapshot: snapshot(
                    [
                        slot(0, "Fix the login redirect loop", .approval, minutes: 2, context: 45, selected: true),
                        slot(1, "Write the release notes", .working, minutes: 0, context: 83),
                        slot(2, "Import the customers of the old shop without losing their addresses", .complete, minutes: 75, context: 96),
                        slot(3, "Find the memory leak", .error, minutes: 4000), slot(4, nil, .idle, minutes: 30, context: 0),
                    ], usage: usage))
        ])
    }

    /// Three computers: one live, one degraded, one away; more tasks than keys, and titles that mean no good.
    static var many: Board {
        let desk = snapshot(
            [
                slot(0, "Fix the login redirect loop", .awaitingResponse, minutes: 2, context: 45),
                slot(1, "漢字のとても長いタイトル漢字のとても長いタイトル漢字のとても長い", .working, minutes: 1, context: 80),
                slot(2, "👩‍👩‍👧‍👦 family 🇩🇪 flag ❤️ 👍🏽 thumb", .thinking, minutes: 3, context: 92),
                slot(3, "שלום עולם עברית", .idle, minutes: 9, context: 12),
            ], usage: Usage(windows: [window(.weekly, used: 4, resetsIn: nil)], observedAt: now), mode: .priority)
        let mac = snapshot(
            [
                slot(0, "e\u{301}\u{323} combining\u{200b}\u{202e} evil", .approval, minutes: 5, context: 7, task: 11),
                slot(1, "\u{1b}]0;owned\u{07}\u{1b}[31mred\u{1b}[0m task\r\nwith lines", .unread, minutes: 6, task: 12),
                slot(2, "مرحبا بالعالم", .idle, minutes: 7, task: 13), slot(3, "Spare", .idle, minutes: 8, task: 14),
            ], mode: .priority)
        let away = snapshot([slot(0, "What was the box doing", .working, minutes: 300, context: 50, task: 21)], mode: .priority)
        var offline = view(3, "box", os: "windows", snapshot: away)
        offline.disconnect(.offline(reason: "no route to host"))
        return board([
            view(1, "atelier", snapshot: desk),
            view(2, "studio\u{1b}[2J", os: "macos", health: .degraded(reason: "no snapshot for 6 s"), snapshot: mac), offline,
        ])
    }

    static func screen(
        _ columns: Int, _ rows: Int, _ board: Board? = one, glyphs: GlyphSet = .unicode, now: UnixMilliseconds = now
    ) -> DashboardScreen {
        var screen = DashboardScreen(size: ScreenSize(columns: columns, rows: rows), glyphs: glyphs, now: now)
        if let board { _ = screen.update(.board(board, now: now)) }
        return screen
    }
}

extension DashboardMessage {
    /// Nothing but a board is known.
    static func board(_ board: Board, now: UnixMilliseconds) -> Self { .state(ClientState(board: board, nodes: []), now: now) }
}

extension DashboardScreen {
    /// Presses keys, the letters of `text`.
    mutating func type(_ text: String) -> [DashboardEffect] { text.flatMap { update(.key(.character($0))) } }

    var text: String { render().map(\.text).joined(separator: "\n") }
}
