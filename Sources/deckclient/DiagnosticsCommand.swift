import CommandLineKit
import DeckClient
import JSON
import RelayProtocol

/// `deckclient diagnostics`: what helps to find a fault, without names, addresses, titles or anything secret, to be pasted anywhere.
enum DiagnosticsCommand {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let (state, isEngine) = try await OneShot.with(environment) { session, state in (state, await session.isEngine) }
        let now = environment.now()
        let nodes = state.nodes.map { node($0, state, now) }
        let general: [(String, JSONValue)] = [
            ("version", .string(ClientProgram.version)), ("protocol", .number(1)),
            ("engine", .string(isEngine ? "of this command" : "already running")),
            ("nodes", .number(Double(state.nodes.count))), ("computers", .number(Double(state.board.computers.count))),
            ("tasks", .number(Double(state.board.tasks.count))), ("order", .string(state.board.mode?.rawValue ?? "none")),
            ("events", .number(Double(state.attention.count))), ("unread", .number(Double(state.unreadCount))),
            ("following", .bool(state.follow != nil)), ("notifications", .bool(state.settings.notifications)),
            ("receipts", .string(state.settings.receipts.rawValue)), ("layout", .string(state.settings.layouts.active.rawValue)),
        ]
        if invocation.flag("json") {
            var fields = Dictionary(uniqueKeysWithValues: general)
            fields["nodeList"] = .array(nodes.map { .object(Dictionary(uniqueKeysWithValues: $0)) })
            return Output.json(.object(fields))
        }
        for (name, value) in general { Output.print("\(name): \(text(value))") }
        for (index, node) in nodes.enumerated() {
            Output.print("")
            Output.print("node \(index + 1)")
            for (name, value) in node { Output.print("  \(name): \(text(value))") }
        }
    }

    private static func node(_ node: ClientState.Node, _ state: ClientState, _ now: UnixMilliseconds) -> [(String, JSONValue)] {
        let computer = state.board.computers.first { $0.profileID == node.id }
        let health = node.health.reason == nil ? node.health.word : "\(node.health.word), with a reason"
        return [
            ("system", .string(node.host.map { HostBadge($0).name } ?? node.profile.os ?? "not known")),
            ("route", .string(node.profile.route.rawValue)),
            ("health", .string(health)), ("live", .bool(computer?.isLive ?? false)),
            ("pinned", .bool(node.profile.fingerprint != nil)), ("encrypted", .bool(node.profile.address.isEncrypted)),
            ("rePairRequired", .bool(node.profile.rePairReason != nil)), ("duplicate", .bool(node.profile.duplicateOf != nil)),
            ("bridge", .string(node.bridge ?? "not known")),
            ("codex", .string(DisplayText.sanitized(node.host?.codexVersion ?? "not known", maximumCharacters: 64))),
            ("capabilities", .string(node.capabilities.joined(separator: " "))),
            ("lastSnapshot", .string(node.lastSnapshotAt.map { "\(Age.text(milliseconds: now.milliseconds(since: $0))) ago" } ?? "never")),
        ]
    }

    private static func text(_ value: JSONValue) -> String {
        if let text = value.string { return text.isEmpty ? "none" : text }
        if let flag = value.bool { return flag ? "yes" : "no" }
        return value.int.map { "\($0)" } ?? ""
    }
}
