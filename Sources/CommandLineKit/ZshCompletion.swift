/// The zsh script: a function for each command, each described to `_arguments`.
struct ZshCompletion {
    private let spec: CommandSpec

    init(_ spec: CommandSpec) { self.spec = spec }

    var source: String {
        let functions = CompletionNode.all(spec).map(function)
        return "#compdef \(spec.name)\n\n" + functions.joined(separator: "\n") + "\n\(name([])) \"$@\"\n"
    }

    private func name(_ path: [String]) -> String { (["_" + spec.name] + path).map(shellIdentifier).joined(separator: "__") }

    private func function(_ node: CompletionNode) -> String {
        var specs = node.flags.flatMap { flag in flag.spellings.map { $0 + "[\(text(flag.summary))]" } }
        specs += node.options.flatMap { option in
            option.spellings.map { spelling in
                let form = (option.repeats ? "*" : "") + spelling + (spelling.hasPrefix("--") ? "=" : "+")
                return form + "[\(text(option.summary))]:\(text(option.value)):\(action(option.kind))"
            }
        }
        specs += ["(-h --help)-h[Show help]", "(-h --help)--help[Show help]"]
        let subcommands = node.command.listedSubcommands
        if subcommands.isEmpty {
            specs += node.command.arguments.map { argument in
                let place = argument.repeats ? "*" : argument.isOptional ? ":" : ""
                return place + ":\(text(argument.name)):\(action(argument.kind))"
            }
        } else {
            specs += ["1:command:->command", "*::argument:->argument"]
        }
        let list = specs.map { "        " + shellQuoted($0) }.joined(separator: " \\\n")
        return "\(name(node.path))() {\n    local context state state_descr line\n    typeset -A opt_args\n    _arguments -C -s \\\n\(list)\n"
            + (subcommands.isEmpty ? "" : dispatch(node)) + "}\n"
    }

    private func dispatch(_ node: CompletionNode) -> String {
        let names = node.command.listedSubcommands.map { "            " + shellQuoted($0.name + ":" + $0.summary) }.joined(separator: "\n")
        let cases = node.command.listedSubcommands.map { "        \($0.name)) \(name(node.path + [$0.name])) ;;" }.joined(separator: "\n")
        return """
                case $state in
                command)
                    local -a commands=(
            \(names)
                    )
                    _describe command commands ;;
                argument)
                    case $line[1] in
            \(cases)
                    esac ;;
                esac

            """
    }

    private func action(_ kind: ValueKind) -> String {
        switch kind {
        case .text, .integer: " "
        case .choice(let words): "(" + words.joined(separator: " ") + ")"
        case .file: "_files"
        case .directory: "_files -/"
        }
    }

    /// Brackets and colons have a meaning of their own there.
    private func text(_ text: String) -> String {
        text.replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: "\\:")
    }
}
