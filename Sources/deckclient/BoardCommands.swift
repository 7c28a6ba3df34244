import CommandLineKit
import DeckClient
import JSON
import RelayProtocol
import TerminalUI

/// `deckclient agents` and `usage`.
enum BoardCommands {
    static func agents(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let state = try await OneShot.state(environment)
        try requireNodes(state)
        let tasks = invocation.flag("all") ? state.board.tasks : state.board.slots.compactMap(\.self)
        if invocation.flag("json") { return Output.json(.array(tasks.map(BoardJSON.task))) }
        guard !tasks.isEmpty else { return Output.print("No tasks." + unreachable(state)) }
        var table = Table([
            .init("KEY", alignment: .right), .init("STATUS"), .init("TASK", isFlexible: true), .init("COMPUTER"), .init("AGE", alignment: .right),
            .init("CONTEXT", alignment: .right), .init("ID"),
        ])
        let now = environment.now()
        // All tasks can be meant, not only those that are listed.
        let ids = ShortIdentity.prefixes(of: state.board.tasks.compactMap(\.identity))
        for (index, task) in tasks.enumerated() {
            let key = state.board.keys.firstIndex(of: index).map { "\($0 + 1)" } ?? ""
            table.rows.append([
                key, task.status.rawValue + (task.offline ? " (last known)" : ""), DisplayText.singleLine(task.title ?? ""),
                "\(task.badge.rawValue) \(task.ownerName)", task.activityAt.map { Age.text(milliseconds: now.milliseconds(since: $0)) } ?? "",
                task.contextPercent.map { "\($0) %" } ?? "", task.identity.flatMap { ids[$0] } ?? "",
            ])
        }
        for line in table.render(width: Output.width(environment)) { Output.print(line) }
        if let sentence = notReached(state.unheard) { Output.print(sentence) }
    }

    static func usage(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let state = try await OneShot.state(environment)
        try requireNodes(state)
        if invocation.flag("json") { return Output.json(BoardJSON.usage(state.board.usage)) }
        guard let usage = state.board.usage else {
            return Output.print("No computer knows the account's limits yet; they come with the first turn." + unreachable(state))
        }
        let now = environment.now()
        Output.print("5 hours   \(describe(usage.fiveHour, now))")
        Output.print("Weekly    \(describe(usage.weekly, now))")
        for window in usage.others {
            Output.print("\(DisplayText.sanitized(window.id, maximumCharacters: 24))   \(Int(window.usedPercent.rounded())) % used")
        }
        if let credits = usage.resetCreditsAvailable { Output.print("Reset credits   \(credits)") }
        let name = state.board.computer(usage.host)?.name ?? "?"
        Output.print("As \(DisplayText.singleLine(name)) heard it \(Age.text(milliseconds: now.milliseconds(since: usage.observedAt))) ago.")
    }

    private static func describe(_ window: BoardUsage.Window, _ now: UnixMilliseconds) -> String {
        switch window {
        case .unavailable: return "not known"
        case .stale(let window): return "\(Int(window.usedPercent.rounded())) % used before its reset; the new number is not known yet"
        case .known(let window):
            let reset = window.resetsAt.map { ", resets in \(Age.text(milliseconds: $0.milliseconds(since: now)))" } ?? ""
            return "\(Int(window.usedPercent.rounded())) % used\(reset)"
        }
    }

    static func requireNodes(_ state: ClientState) throws {
        guard state.nodes.isEmpty else { return }
        throw CommandFailure("No node is paired. Run `decknode pair` on a computer and `deckclient pair` here.")
    }

    /// Says of nodes that they were not reached, and why; `nil` without any.
    static func notReached(_ nodes: [ClientState.Node]) -> String? {
        let names = nodes.map { "\($0.profile.name) (\($0.health))" }
        return names.isEmpty ? nil : "Not reached: \(DisplayText.singleLine(names.joined(separator: ", ")))."
    }

    /// Which nodes could not be asked, as the end of a message.
    private static func unreachable(_ state: ClientState) -> String {
        notReached(state.nodes.filter { !$0.health.isConnected && $0.profile.duplicateOf == nil }).map { " " + $0 } ?? ""
    }
}
