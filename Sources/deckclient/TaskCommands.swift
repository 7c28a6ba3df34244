import CommandLineKit
import DeckClient
import EventLoop
import Glibc
import JSON
import RelayProtocol

/// `deckclient open`, `approve` and `decline`: they send commands to the computer that owns the task.
enum TaskCommands {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let outcome = try await OneShot.with(environment) { session, state in
            try BoardCommands.requireNodes(state)
            let task = try TargetResolver.resolve(invocation.argument("TASK") ?? "", on: state.board)
            return await perform(request(invocation, task), in: session)
        }
        try report(outcome, invocation)
    }

    private static func request(_ invocation: Invocation, _ task: TaskIdentity) -> ClientRequest {
        switch invocation.command {
        case "approve": .approve(task)
        case "decline": .decline(task)
        default: .open(task)
        }
    }

    /// Carries a command out to its end. Ctrl-C gives up the wait for the result; a release that is due still leaves.
    static func perform(_ request: ClientRequest, in session: ClientSession) async -> CommandOutcome {
        // Without a source for signals Ctrl-C ends the process at once, as it does everywhere else.
        let signals = try? await session.onSignals([.interrupt, .terminate]) { [weak session] in session?.assumeIsolated { $0.interruptCommands() } }
        let outcome = await session.perform(request)
        if let signals { await session.end(signals) }
        return outcome
    }

    static func report(_ outcome: CommandOutcome, _ invocation: Invocation) throws {
        if invocation.flag("json") {
            Output.json(.object(["outcome": .string(outcome.word), "text": .string("\(outcome)"), "ok": .bool(outcome.kind == .success)]))
        }
        switch outcome.kind {
        case .success: if !invocation.flag("json") { Output.print("\(outcome)") }
        case .warning: Output.error("deckclient: \(outcome)")
        case .failure: throw CommandFailure("\(outcome)")
        }
    }
}

extension ClientSession {
    /// Calls `body` on the loop when one of `signals` comes, until ``end(_:)``.
    func onSignals(_ signals: Set<Signal>, _ body: @escaping @Sendable () -> Void) throws -> SignalSource {
        try SignalSource(signals, on: loop) { _ in body() }
    }

    /// Calls `body` on the loop with each of `signals` that comes, until ``end(_:)``.
    func onEachSignal(_ signals: Set<Signal>, _ body: @escaping @Sendable (Signal) -> Void) throws -> SignalSource {
        try SignalSource(signals, on: loop) { body($0) }
    }

    func end(_ source: SignalSource) { source.cancel() }
}
