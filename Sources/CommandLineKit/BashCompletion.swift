/// The bash script: one function that finds the command typed so far, then offers what its table holds.
struct BashCompletion {
    private let spec: CommandSpec
    private let nodes: [CompletionNode]

    init(_ spec: CommandSpec) {
        self.spec = spec
        nodes = CompletionNode.all(spec)
    }

    var source: String {
        let function = "_" + shellIdentifier(spec.name)
        return """
            # bash completion for \(spec.name)
            \(function)() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path= index=1
                if [[ $word == = ]]; then word=; fi
                if [[ $before == = && COMP_CWORD -ge 2 ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
                COMPREPLY=()
                while ((index < COMP_CWORD)); do
                    case "$path:${COMP_WORDS[index]}" in
            \(steps)
                    esac
                    ((index++))
                done
                case "$path:$before" in
            \(values)
                esac
                case "$path" in
            \(offers)
                esac
            }
            complete -F \(function) \(spec.name)

            """
    }

    /// How a word leads from one command to the next; an option's value is stepped over.
    private var steps: String {
        lines(nodes) { node in
            let inner = node.command.listedSubcommands.map { next in
                "            \(shellQuoted(node.key + ":" + next.name))) path=\((node.path + [next.name]).joined(separator: "/"));;"
            }
            let options = node.options.flatMap(\.spellings).map { shellQuoted(node.key + ":" + $0) }
            return inner + (options.isEmpty ? [] : ["            \(options.joined(separator: "|"))) ((index++));;"])
        }
    }

    private var values: String {
        lines(nodes) { node in
            node.options.map { option in
                let pattern = option.spellings.map { shellQuoted(node.key + ":" + $0) }.joined(separator: "|")
                return "        \(pattern)) \(reply(option.kind)); return;;"
            }
        }
    }

    private var offers: String {
        lines(nodes) { node in
            let options = (node.flags.flatMap(\.spellings) + node.options.flatMap(\.spellings) + ["--help"]).joined(separator: " ")
            var plain = words(node.command.listedSubcommands.map(\.name))
            if let kind = node.command.arguments.first?.kind, node.command.listedSubcommands.isEmpty { plain = reply(kind) }
            let key = node.key.isEmpty ? "''" : node.key
            return ["        \(key)) if [[ $word == -* ]]; then \(words(options)); else \(plain); fi;;"]
        }
    }

    private func reply(_ kind: ValueKind) -> String {
        switch kind {
        case .text, .integer: ":"
        case .choice(let choices): words(choices)
        case .file: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
        case .directory: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$word\")"
        }
    }

    private func words(_ list: [String]) -> String { list.isEmpty ? ":" : words(list.joined(separator: " ")) }
    private func words(_ list: String) -> String { "mapfile -t COMPREPLY < <(compgen -W \(shellQuoted(list)) -- \"$word\")" }

    private func lines(_ nodes: [CompletionNode], _ body: (CompletionNode) -> [String]) -> String {
        nodes.flatMap(body).joined(separator: "\n")
    }
}
