import Glibc

extension Program {
    /// Reads a command line, runs its command, and tells how it ended on standard output and standard error.
    ///
    /// - Parameters:
    ///   - arguments: Those after the name of the program.
    ///   - environment: Where `COLUMNS` is looked up.
    ///   - command: Runs what was asked for; an error it throws is told in one line.
    /// - Returns: How the process is to exit.
    public func run(
        _ arguments: [String], environment: [String: String], command: (Invocation) async throws -> Void
    ) async -> ExitCode {
        // A peer or a reader that goes away is an error of one descriptor, not of the process.
        signal(SIGPIPE, SIG_IGN)
        switch interpret(arguments, columns: Terminal.columns(environment: environment)) {
        case .show(let text):
            Output.print(text, terminator: "")
            return .done
        case .refuse(let report):
            Output.error(report)
            return .usage
        case .run(let invocation):
            do {
                try await command(invocation)
                return .done
            } catch let error as UsageError {
                Output.error(error.report)
                return .usage
            } catch {
                Output.error("\(spec.name): \(error)")
                return .failed
            }
        }
    }
}
