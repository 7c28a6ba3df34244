import CommandLineKit
import Files
import JSON
import Log

/// The program `decknode`: reads the command line and runs the command.
public enum NodeProgram {
    public static let version = "0.1.0"

    /// - Parameter arguments: Those after the name of the program.
    /// - Returns: The exit code of the process.
    public static func run(_ arguments: [String]) async -> Int32 {
        let variables = ProcessEnvironment.current()
        let program = Program(NodeCommands.spec, version: version)
        return await program.run(arguments, environment: variables) { try await run($0, variables: variables) }.rawValue
    }

    private static func run(_ invocation: Invocation, variables: [String: String]) async throws {
        // Before the settings are read: it is what mends them.
        if invocation.path.dropFirst().first == "config" {
            return try ConfigCommand.run(invocation, BaseDirectories(environment: variables), variables: variables)
        }
        let level = try LogLevel.chosen(option: invocation.option("log-level"), environment: variables)
        let sink = StandardErrorSink(program: "decknode", environment: variables)
        // The doctor tells itself what is wrong with the settings, and has more to look at.
        let environment = try NodeEnvironment(
            variables: variables, logger: Logger(threshold: level, sink: sink), needsSettings: invocation.command != "doctor")
        switch invocation.command {
        case "serve": try await ServeCommand.run(invocation, environment)
        case "pair": try PairCommand.run(invocation, environment)
        case "nearby enable", "nearby disable": try ListenerCommands.nearby(invocation, environment)
        case "relay enable", "relay disable": try ListenerCommands.relay(invocation, environment)
        case "doctor": try await Doctor.run(invocation, environment)
        case "compose": try ComposeCommand.run(invocation, environment)
        case "login", "logout", "whoami": try await SessionCommands.run(invocation, environment)
        case "ask": try await AskCommand.run(invocation, environment)
        case let command where command.split(separator: " ").first == "threads": try await ThreadCommands.run(invocation, environment)
        case "status": try StatusCommand.run(invocation, environment)
        default: try DeckCommands.run(invocation, environment)
        }
    }
}

extension Output {
    static func json(_ value: JSONValue) { print(String(decoding: value.encoded(), as: UTF8.self)) }
}
