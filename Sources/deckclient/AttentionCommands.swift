import CommandLineKit
import DeckClient
import JSON
import RelayProtocol

/// `deckclient attention`: what happened, and what to do about it.
enum AttentionCommands {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        switch invocation.command {
        case "attention open": try await open(invocation, environment)
        case "attention read": try await mark(invocation, read: true, environment)
        case "attention unread": try await mark(invocation, read: false, environment)
        case "attention remove": try await remove(invocation, environment)
        default: try await list(invocation, environment)
        }
    }

    // MARK: - Looking

    private static func list(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let state = try await OneShot.state(environment)
        let filter = try filter(invocation, state)
        let events = state.attention.filter(filter.admits)
        if invocation.flag("json") { return Output.json(.array(events.map { json($0, on: state.board) })) }
        guard !events.isEmpty else { return Output.print(state.attention.isEmpty ? "Nothing happened in the last 7 days." : "No event fits.") }
        var table = Table([
            .init("ID", alignment: .right), .init(""), .init("KIND"), .init("TASK", isFlexible: true), .init("COMPUTER"),
            .init("AGE", alignment: .right),
            .init("NOW"),
        ])
        let now = environment.now()
        for event in events {
            table.rows.append([
                "\(event.id)", event.isUnread ? "*" : "", event.kind.rawValue, event.title, "\(event.badge.rawValue) \(event.hostName)",
                Age.text(milliseconds: now.milliseconds(since: event.at)), present(event, state.board),
            ])
        }
        for line in table.render(width: Output.width(environment)) { Output.print(line) }
    }

    /// What has become of the task, in a word or two.
    private static func present(_ event: AttentionEvent, _ board: Board) -> String {
        switch event.resolve(on: board) {
        case .present(let task): DisplayText.sanitized(task.status.rawValue, maximumCharacters: 24) + (task.offline ? " (last known)" : "")
        case .gone: "not on a key now"
        }
    }

    private static func json(_ event: AttentionEvent, on board: Board) -> JSONValue {
        var fields: [String: JSONValue] = [
            "id": .number(Double(event.id)), "kind": .string(event.kind.rawValue), "task": .string(event.task.uuid), "title": .string(event.title),
            "host": .string(event.host.uuid), "hostName": .string(event.hostName), "system": .string(event.badge.rawValue),
            "at": .number(Double(event.at.value)), "read": .bool(event.isRead), "unread": .bool(event.isUnread),
            "present": .bool(event.resolve(on: board) != .gone),
        ]
        if let at = event.endedAt { fields["endedAt"] = .number(Double(at.value)) }
        return .object(fields)
    }

    private static func filter(_ invocation: Invocation, _ state: ClientState) throws -> AttentionFilter {
        var filter = AttentionFilter(unreadOnly: invocation.flag("unread"))
        filter.kinds = Set(invocation.options("kind").compactMap(AttentionEvent.Kind.init(rawValue:)))
        for word in invocation.options("system") {
            filter.systems.formUnion(HostBadge.allCases.filter { $0.name.lowercased() == word })
        }
        for words in invocation.options("host") { filter.hosts.insert(try ComputerFinder.find(words, in: state)) }
        return filter
    }

    // MARK: - Acting

    private static func open(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let outcome = try await OneShot.with(environment) { session, state in
            let event = try event(invocation.integerArgument("EVENT"), in: state)
            await session.apply(.mark([event.id], read: true))
            guard case .present = event.resolve(on: state.board) else {
                throw CommandFailure("The task of this event is not on a key of any computer now; the event stays as a record.")
            }
            return await TaskCommands.perform(.open(event.task), in: session)
        }
        try TaskCommands.report(outcome, invocation)
    }

    private static func event(_ id: Int?, in state: ClientState) throws -> AttentionEvent {
        guard let id, let event = state.attention.first(where: { $0.id == Int64(id) }) else {
            throw CommandFailure("There is no such event; `deckclient attention` lists them.")
        }
        return event
    }

    private static func mark(_ invocation: Invocation, read: Bool, _ environment: ClientEnvironment) async throws {
        try await change(invocation, environment) { .mark($0, read: read) }
    }

    private static func remove(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        try await change(invocation, environment) { .remove($0) }
    }

    private static func change(
        _ invocation: Invocation, _ environment: ClientEnvironment, _ change: @escaping @Sendable ([Int64]) -> ClientChange
    ) async throws {
        let words = invocation.arguments("EVENT")
        guard words.isEmpty == invocation.flag("all") else { throw invocation.refusal("name events, or all of them with --all") }
        try await OneShot.with(environment, patience: .zero) { session, state in
            let ids = try words.isEmpty ? state.attention.map(\.id) : words.map { try event(Int($0), in: state).id }
            await session.apply(change(ids))
        }
    }
}

/// Finds the computer that words mean.
enum ComputerFinder {
    /// - Parameter words: The name of a node or of its computer in any case, or the first four or more characters of an id.
    static func find(_ words: String, in state: ClientState) throws -> HostID {
        let lowered = words.lowercased()
        var found: [HostID] = []
        for node in state.nodes {
            guard let host = node.host?.id ?? node.profile.hostID else { continue }
            let names = [node.profile.name, node.host?.name].compactMap { $0?.lowercased() }
            let fits = names.contains(lowered) || (lowered.utf8.count >= 4 && (host.uuid.hasPrefix(lowered) || node.id.hasPrefix(lowered)))
            if fits, !found.contains(host) { found.append(host) }
        }
        guard let first = found.first else {
            throw CommandFailure("No computer goes by \"\(Printable.line(words))\"; `deckclient nodes` lists them.")
        }
        guard found.count == 1 else {
            throw CommandFailure("\"\(Printable.line(words))\" fits \(found.count) computers; use the beginning of an id.")
        }
        return first
    }
}
