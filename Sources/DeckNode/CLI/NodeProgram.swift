import CommandLineKit
import Files
import Glibc
import JSON
import Log
import RelayProtocol

/// The program `decknode`: reads the command line and runs the command.
public enum NodeProgram {
    public static let version = "0.1.0"

    /// - Parameter arguments: Those after the name of the program.
    /// - Returns: The exit code of the process.
    public static func run(_ arguments: [String]) async -> Int32 {
        let variables = ProcessEnvironment.current()
        let program = Program(NodeCommands.spec, version: version)
        switch program.interpret(arguments, columns: Terminal.columns(environment: variables)) {
        case .show(let text):
            Output.print(text, terminator: "")
            return ExitCode.done.rawValue
        case .refuse(let report):
            Output.error(report)
            return ExitCode.usage.rawValue
        case .run(let invocation):
            do {
                try await run(invocation, variables: variables)
                return ExitCode.done.rawValue
            } catch let error as UsageError {
                Output.error(error.report)
                return ExitCode.usage.rawValue
            } catch {
                Output.error("decknode: \(error)")
                return ExitCode.failed.rawValue
            }
        }
    }

    private static func run(_ invocation: Invocation, variables: [String: String]) async throws {
        let level = try LogLevel.chosen(option: invocation.option("log-level"), environment: variables)
        let sink = StandardErrorSink(program: "decknode", environment: variables)
        let environment = try NodeEnvironment(variables: variables, logger: Logger(threshold: level, sink: sink))
        switch invocation.command {
        case "serve": try await ServeCommand.run(invocation, environment)
        case "pair": try PairCommand.run(invocation, environment)
        case "nearby enable", "nearby disable": try ListenerCommands.nearby(invocation, environment)
        case "relay enable", "relay disable": try ListenerCommands.relay(invocation, environment)
        case "doctor": try await Doctor.run(invocation, environment)
        case "status": try StatusCommand.run(invocation, environment)
        default: try DeckCommands.run(invocation, environment)
        }
    }
}

/// A failure of a command: one sentence for standard error.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Where commands write.
enum Output {
    static func print(_ text: String, terminator: String = "\n") { write(text + terminator, STDOUT_FILENO) }
    static func error(_ text: String) { write(text + "\n", STDERR_FILENO) }
    static func json(_ value: JSONValue) { print(String(decoding: value.encoded(), as: UTF8.self)) }

    private static func write(_ text: String, _ descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A reader that went away, such as `head`, has seen what it wanted.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
