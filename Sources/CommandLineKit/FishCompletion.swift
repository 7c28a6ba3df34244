/// The fish script: a function that tells which command has been typed, and one `complete` line for each thing to offer.
struct FishCompletion {
    private let spec: CommandSpec
    private let nodes: [CompletionNode]

    init(_ spec: CommandSpec) {
        self.spec = spec
        nodes = CompletionNode.all(spec)
    }

    private var function: String { "__" + shellIdentifier(spec.name) + "_at" }

    var source: String {
        """
        # fish completion for \(spec.name)
        function \(function) --description 'Whether this command has been typed so far'
            set -l path
            for word in (commandline -opc)[2..-1]
                switch "$path/$word"
                    case \(paths)
                        set path "$path/$word"
                end
            end
            test "$path" = "$argv[1]"
        end
        complete -c \(spec.name) -f
        \(nodes.flatMap(offers).joined(separator: "\n"))

        """
    }

    private var paths: String {
        let all = nodes.dropFirst().map { shellQuoted("/" + $0.key, fish: true) }
        return all.isEmpty ? "''" : all.joined(separator: " ")
    }

    private func offers(_ node: CompletionNode) -> [String] {
        let path = node.path.isEmpty ? "" : "/" + node.key
        let start = "complete -c \(spec.name) -n " + shellQuoted("\(function) \"\(path)\"", fish: true)
        var lines = node.command.listedSubcommands.map { start + " -a \($0.name) -d " + shellQuoted($0.summary, fish: true) }
        lines += node.flags.map { start + letters($0.short, $0.name) + " -d " + shellQuoted($0.summary, fish: true) }
        lines += node.options.map { option in
            start + letters(option.short, option.name) + value(option.kind) + " -d " + shellQuoted(option.summary, fish: true)
        }
        if let kind = node.command.arguments.first?.kind { lines += argument(kind).map { start + $0 } }
        lines.append(start + " -s h -l help -d 'Show help'")
        return lines
    }

    private func letters(_ short: Character?, _ name: String) -> String { (short.map { " -s \($0)" } ?? "") + " -l " + name }

    private func value(_ kind: ValueKind) -> String {
        switch kind {
        case .text, .integer: " -x"
        case .choice(let words): " -x -a " + shellQuoted(words.joined(separator: " "), fish: true)
        case .file: " -r -F"
        case .directory: " -x -a '(__fish_complete_directories)'"
        }
    }

    private func argument(_ kind: ValueKind) -> [String] {
        switch kind {
        case .text, .integer: []
        case .choice(let words): [" -a " + shellQuoted(words.joined(separator: " "), fish: true)]
        case .file: [" -F"]
        case .directory: [" -a '(__fish_complete_directories)'"]
        }
    }
}
