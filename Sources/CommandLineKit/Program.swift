/// A program: its table of commands and its version.
public struct Program: Sendable {
    public let spec: CommandSpec
    public let version: String

    /// Adds the commands `help` and `version` to the table, and, unlisted, `completion` and `manual`.
    public init(_ spec: CommandSpec, version: String) {
        var spec = spec
        if spec.subcommand("version") == nil {
            spec.subcommands.append(CommandSpec("version", summary: "Print the version."))
        }
        if spec.subcommand("help") == nil {
            let topic = ArgumentSpec("COMMAND", "The command to explain.", count: .any)
            spec.subcommands.append(CommandSpec("help", summary: "Explain a command.", arguments: [topic]))
        }
        spec.subcommands += [Self.completion, Self.manual]
        self.spec = spec
        self.version = version
    }

    /// What a command line asks for.
    public enum Request: Sendable, Equatable {
        case run(Invocation)
        /// To be printed on standard output before leaving with ``ExitCode/done``.
        case show(String)
        /// To be printed on standard error before leaving with ``ExitCode/usage``; two lines without the last newline.
        case refuse(String)
    }

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: Those after the name of the program.
    ///   - columns: The width for help texts.
    public func interpret(_ arguments: [String], columns: Int = 80) -> Request {
        do throws(UsageError) {
            switch try CommandParser(spec).parse(arguments) {
            case .help(let path): return .show(try help(path, columns: columns))
            case .version: return .show("\(spec.name) \(version)\n")
            case .run(let invocation):
                switch invocation.command {
                case "version": return .show("\(spec.name) \(version)\n")
                case "help": return .show(try help(invocation.arguments("COMMAND"), columns: columns))
                case Self.completion.name: return .show(completion(for: invocation.argument("SHELL") ?? ""))
                case Self.manual.name: return .show(ManPage.render(self, date: invocation.option("date") ?? ""))
                default: return .run(invocation)
                }
            }
        } catch {
            return .refuse(error.report)
        }
    }

    /// The help of the command that a path such as `["relay", "enable"]` names; the empty path is the program.
    public func help(_ path: [String], columns: Int) throws(UsageError) -> String {
        var chain = [spec]
        for name in path {
            let current = chain[chain.count - 1]
            guard let next = current.subcommand(name) else {
                throw UsageError(unknownCommand: name, of: current, path: chain.map(\.name))
            }
            chain.append(next)
        }
        return HelpText(chain: chain, columns: columns).render()
    }
}

/// What a process returns to its caller.
public enum ExitCode: Int32, Sendable {
    case done = 0
    /// Could not be done; standard error has one line about it.
    case failed = 1
    /// The command line was wrong.
    case usage = 2
}
