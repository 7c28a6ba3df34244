import CommandLineKit
import DeckClient
import Files
import Glibc
import JSON
import Log
import RelayProtocol

/// The program `deckclient`: reads the command line and runs the command.
enum ClientProgram {
    static let version = "0.1.0"

    /// - Parameter arguments: Those after the name of the program.
    /// - Returns: The exit code of the process.
    static func run(_ arguments: [String]) async -> Int32 {
        let variables = ProcessEnvironment.current()
        let program = Program(ClientCommands.spec, version: version)
        return await program.run(arguments, environment: variables) { try await run($0, variables: variables) }.rawValue
    }

    private static func run(_ invocation: Invocation, variables: [String: String]) async throws {
        let fallback: LogLevel = invocation.command == "daemon" ? .notice : .warning
        let level = try LogLevel.chosen(option: invocation.option("log-level"), environment: variables, fallback: fallback)
        let sink = StandardErrorSink(program: "deckclient", environment: variables)
        let environment = try ClientEnvironment(variables: variables, logger: Logger(threshold: level, sink: sink))
        switch invocation.path.dropFirst().first {
        case "pair": try await PairingCommands.pair(invocation, environment)
        case "open-link": try await OpenLink.run(invocation, environment)
        case "add": try await PairingCommands.add(invocation, environment)
        case "replace": try await ReplaceCommand.run(invocation, environment)
        case "remove": try await PairingCommands.remove(invocation, environment)
        case "discover": try await NodeCommands.discover(invocation, environment)
        case "nodes": try await NodeCommands.nodes(invocation, environment)
        case "test": try await NodeCommands.test(invocation, environment)
        case "agents": try await BoardCommands.agents(invocation, environment)
        case "usage": try await BoardCommands.usage(invocation, environment)
        case "watch": try await WatchCommand.run(invocation, environment)
        case "attention": try await AttentionCommands.run(invocation, environment)
        case "receipts": try await ReceiptCommand.run(invocation, environment)
        case "follow": try await FollowCommand.run(invocation, environment)
        case "settings": try await SettingsCommands.run(invocation, environment)
        case "layout": try await SettingsCommands.layout(invocation, environment)
        case "host": try await SettingsCommands.host(invocation, environment)
        case "press", "joystick", "encoder", "reasoning", "reset-limit": try await ControlCommands.run(invocation, environment)
        case "widget": try await WidgetCommand.run(invocation, environment)
        case "daemon": try await DaemonCommand.run(invocation, environment)
        case "diagnostics": try await DiagnosticsCommand.run(invocation, environment)
        default: try await TaskCommands.run(invocation, environment)
        }
    }
}

extension Output {
    static func json(_ value: JSONValue) { print(String(decoding: value.encoded(), as: UTF8.self)) }

    /// The width to fit a table into; `nil` when no terminal reads it.
    static func width(_ environment: ClientEnvironment) -> Int? {
        Terminal.isTerminal(STDOUT_FILENO) ? Terminal.columns(environment: environment.variables) : nil
    }

    static func paint(_ environment: ClientEnvironment) -> Paint {
        Paint(isColored: ColorPolicy.automatic.allowsColor(environment: environment.variables, isTerminal: Terminal.isTerminal(STDOUT_FILENO)))
    }
}

/// For commands that look once: the running engine, or one that lives as long as the command.
enum OneShot {
    /// How long nodes may take to answer before a command goes on without them.
    static let patience = Duration.seconds(5)

    static func state(_ environment: ClientEnvironment) async throws -> ClientState {
        try await with(environment) { _, state in state }
    }

    static func with<Result: Sendable>(
        _ environment: ClientEnvironment, patience: Duration = patience, _ body: @Sendable (ClientSession, ClientState) async throws -> Result
    ) async throws -> Result {
        let session = try ClientSession(.once, environment: environment)
        let result: Swift.Result<Result, any Error>
        do {
            try await session.start()
            result = .success(try await body(session, await session.settled(within: patience)))
        } catch {
            result = .failure(error)
        }
        await session.stop()
        session.shutdownLoops()
        return try result.get()
    }
}
