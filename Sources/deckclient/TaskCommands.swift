import CommandLineKit
import DeckClient
import EventLoop
import Glibc
import JSON
import RelayProtocol

/// `deckclient open`, `approve`, `decline` and `press`: they send commands to the computer that owns the task.
enum TaskCommands {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let outcome = try await OneShot.with(environment) { engine, state in
            try BoardCommands.requireNodes(state)
            let request = try request(invocation, state.board)
            // Ctrl-C gives up the wait for the result; a release that is due still leaves.
            let signals = try await engine.onSignals([.interrupt, .terminate]) { [weak engine] in engine?.assumeIsolated { $0.interruptCommands() } }
            let outcome = await engine.perform(request)
            await engine.end(signals)
            return outcome
        }
        if invocation.flag("json") {
            Output.json(.object(["outcome": .string(outcome.word), "text": .string("\(outcome)"), "ok": .bool(outcome.kind == .success)]))
        }
        switch outcome.kind {
        case .success: if !invocation.flag("json") { Output.print("\(outcome)") }
        case .warning: Output.error("deckclient: \(outcome)")
        case .failure: throw CommandFailure("\(outcome)")
        }
    }

    private static func request(_ invocation: Invocation, _ board: Board) throws -> ClientRequest {
        func task(_ words: String?) throws -> TaskIdentity? { try words.map { try TargetResolver.resolve($0, on: board) } }
        switch invocation.command {
        case "press":
            guard let keycap = invocation.argument("KEY").flatMap({ Keycap(rawValue: $0.uppercased()) }) else { throw invocation.refusal("there is no such key") }
            return .keycap(keycap, try task(invocation.option("task")))
        default:
            guard let identity = try task(invocation.argument("TASK")) else { throw invocation.refusal("name a task") }
            return switch invocation.command {
            case "approve": .approve(identity)
            case "decline": .decline(identity)
            default: .open(identity)
            }
        }
    }
}

extension ClientEngine {
    /// Calls `body` on the loop when one of `signals` comes, until ``end(_:)``.
    func onSignals(_ signals: Set<Signal>, _ body: @escaping @Sendable () -> Void) throws -> SignalSource {
        try SignalSource(signals, on: loop) { _ in body() }
    }

    func end(_ source: SignalSource) { source.cancel() }
}
