import CommandLineKit
import DeckClient
import Glibc
import JSON
import RelayProtocol
import TerminalUI

/// `deckclient watch`: the board once, as lines, as JSON, or full screen.
enum WatchCommand {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let json = invocation.flag("json"), plain = invocation.flag("plain")
        guard !(json && plain) else { throw invocation.refusal("--json and --plain exclude each other") }
        if invocation.flag("once") { return try await once(json: json, environment) }
        guard !json && !plain else { return try await follow(json: json, environment) }
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO) else {
            throw CommandFailure("The dashboard needs a terminal; use `deckclient watch --plain`, --json or --once.")
        }
        try await DashboardSession.run(invocation, environment)
    }

    private static func once(json: Bool, _ environment: ClientEnvironment) async throws {
        let state = try await OneShot.state(environment)
        try BoardCommands.requireNodes(state)
        let sentence = BoardCommands.notReached(state.unheard)
        if json { Output.json(BoardJSON.state(state)) }
        // Six empty keys would look as if there were no tasks.
        if state.board.computers.isEmpty, let sentence { throw CommandFailure(sentence) }
        if json { return }
        let columns = Terminal.columns(environment: environment.variables)
        let glyphs: GlyphSet = Terminal.isUTF8(environment: environment.variables) ? .unicode : .ascii
        let color = Output.paint(environment).isColored
        let lines = BoardText.lines(
            state.board, now: environment.now(), columns: columns, color: color, glyphs: glyphs, localTime: LocalTime.here)
        for line in lines { Output.print(line) }
        if let sentence { Output.print(sentence) }
    }

    /// A line for each state that differs, until the process is asked to stop.
    private static func follow(json: Bool, _ environment: ClientEnvironment) async throws {
        guard try !ClientStore(environment).profiles().profiles.isEmpty else { return try BoardCommands.requireNodes(.empty) }
        let session = try ClientSession(.lasting, environment: environment)
        try await session.start()
        let (states, continuation) = AsyncStream<ClientState>.makeStream(bufferingPolicy: .bufferingNewest(64))
        let signals = try await session.onSignals([.interrupt, .terminate, .hangUp]) { continuation.finish() }
        await session.observe { continuation.yield($0) }
        var presenter = PlainPresenter()
        var last: String?
        var hasHeard = false
        for await state in states {
            // An engine that is only found knows no nodes yet, and there are some.
            hasHeard = hasHeard || !state.nodes.isEmpty
            guard hasHeard else { continue }
            // Nobody would see the rest.
            guard Output.isRead else { break }
            if json {
                let line = String(decoding: BoardJSON.state(state).encoded(), as: UTF8.self)
                if line != last { Output.print(line) }
                last = line
            } else {
                for line in presenter.lines(state) { Output.print(line) }
            }
        }
        await session.end(signals)
        await session.stop()
        session.shutdownLoops()
    }
}
