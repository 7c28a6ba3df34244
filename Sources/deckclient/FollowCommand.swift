import CommandLineKit
import DeckClient
import JSON
import RelayProtocol

/// `deckclient follow`: one task in the header, in a notification and in a widget.
enum FollowCommand {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let words = invocation.argument("TASK")
        let chosen = [words != nil, invocation.flag("stop"), invocation.flag("status")].filter { $0 }.count
        guard chosen == 1 else { throw invocation.refusal("name a task, or use --status or --stop") }
        let state = try await OneShot.with(environment, patience: invocation.flag("stop") ? .zero : OneShot.patience) { session, state in
            if invocation.flag("stop") { await session.apply(.follow(nil)) }
            if let words {
                try BoardCommands.requireNodes(state)
                await session.apply(.follow(try TargetResolver.resolve(words, on: state.board)))
            }
            return await session.state
        }
        let view = state.follow
        if invocation.flag("json") { return Output.json(view.map(json) ?? .null) }
        guard let view else { return Output.print("No task is followed.") }
        let title = view.title.isEmpty ? ShortIdentity.prefix(of: view.task, on: state.board) : view.title
        var parts = ["Following \(title): \(view.statusWords)"]
        if let badge = view.badge { parts.append("\(badge.rawValue) \(view.hostName)") }
        let now = environment.now()
        if let at = view.activityAt { parts.append("active \(Age.text(milliseconds: now.milliseconds(since: at))) ago") }
        if let percent = view.contextPercent { parts.append("context \(percent) %") }
        if case .lastKnown(let at) = view.freshness {
            parts.append("last known" + (at.map { " \(Age.text(milliseconds: now.milliseconds(since: $0))) ago" } ?? ""))
        }
        if let end = view.endsAt { parts.append("ends in \(Age.text(milliseconds: end.milliseconds(since: now)))") }
        Output.print(parts.joined(separator: " · "))
    }

    private static func json(_ view: FollowView) -> JSONValue {
        var fields: [String: JSONValue] = [
            "task": .string(view.task.uuid), "title": .string(view.title), "words": .string(view.statusWords), "hostName": .string(view.hostName),
            "live": .bool(view.isLive),
        ]
        if let status = view.status { fields["status"] = .string(status.rawValue) }
        if let percent = view.contextPercent { fields["contextUsedPercent"] = .number(Double(percent)) }
        if let at = view.activityAt { fields["activityAt"] = .number(Double(at.value)) }
        if let at = view.endsAt { fields["endsAt"] = .number(Double(at.value)) }
        if case .lastKnown(let at?) = view.freshness { fields["lastKnownAt"] = .number(Double(at.value)) }
        return .object(fields)
    }
}
