/// Reads a command line by its table. Pure: it prints nothing and leaves nothing.
struct CommandParser {
    enum Outcome: Equatable {
        case run(Invocation)
        /// Help for the command of this path, the program's name left out.
        case help([String])
        case version
    }

    private var chain: [CommandSpec]
    private var flags: [String: Int] = [:]
    private var options: [String: [String]] = [:]
    private var words: [String] = []
    private var rest: ArraySlice<String> = []

    init(_ root: CommandSpec) { chain = [root] }

    private var command: CommandSpec { chain[chain.count - 1] }
    private var path: [String] { chain.map(\.name) }

    /// - Throws: ``UsageError`` for the first thing that does not fit. A request for help anywhere before `--` comes first.
    func parse(_ arguments: [String]) throws(UsageError) -> Outcome {
        var parser = self
        return try parser.consume(arguments)
    }

    private mutating func consume(_ arguments: [String]) throws(UsageError) -> Outcome {
        rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" {
                words.append(contentsOf: rest)
                rest = []
            } else if word == "--help" || (word == "-h" && find(short: "h") == nil) {
                return .help(Array(path.dropFirst()))
            } else if word == "--version", chain.count == 1 {
                return .version
            } else if word.hasPrefix("--") {
                try takeLong(word.dropFirst(2))
            } else if word.hasPrefix("-"), word != "-", !isNegativeNumber(word) {
                if try takeShort(word.dropFirst()) { return .help(Array(path.dropFirst())) }
            } else {
                try takeWord(word)
            }
        }
        guard command.runsAlone else { throw refusal("a command is missing.") }
        return .run(try finish())
    }

    private mutating func takeWord(_ word: String) throws(UsageError) {
        if words.isEmpty, !command.subcommands.isEmpty {
            if let next = command.subcommand(word) {
                chain.append(next)
                return
            }
            if !command.runsAlone || command.arguments.isEmpty { throw UsageError(unknownCommand: word, of: command, path: path) }
        }
        words.append(word)
    }

    private mutating func takeLong(_ text: Substring) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        if chain.contains(where: { $0.flags.contains { $0.name == name } }) {
            guard parts.count == 1 else { throw refusal("--\(name) takes no value.") }
            flags[name, default: 0] += 1
        } else if let option = option(name) {
            try store(option, as: "--" + name, parts.count == 2 ? String(parts[1]) : nil)
        } else {
            throw unknown(long: name)
        }
    }

    /// Reads `-abc`, `-n5` and `-n 5`; whether help is asked for.
    private mutating func takeShort(_ group: Substring) throws(UsageError) -> Bool {
        var group = group
        while let letter = group.popFirst() {
            switch find(short: letter) {
            case .flag(let flag): flags[flag.name, default: 0] += 1
            case .option(let option):
                if group.first == "=" { group.removeFirst() }
                try store(option, as: "-\(letter)", group.isEmpty ? nil : String(group))
                return false
            case nil where letter == "h": return true
            case nil: throw refusal("there is no option -\(UsageError.shown(String(letter))).")
            }
        }
        return false
    }

    private mutating func store(_ option: OptionSpec, as name: String, _ attached: String?) throws(UsageError) {
        guard let value = attached ?? followingValue() else { throw refusal("\(name) needs a value: \(name) \(option.value).") }
        if let objection = option.kind.objection(to: value) { throw refusal("\(name) \(objection).") }
        options[option.name, default: []].append(value)
    }

    /// The next word, unless it looks like an option: a forgotten value is likelier than one with a hyphen, which `=` allows.
    private mutating func followingValue() -> String? {
        guard let next = rest.first, !next.hasPrefix("-") || next == "-" || Int(next) != nil else { return nil }
        return rest.popFirst()
    }

    /// Distributes the words over the arguments: those that must be there first, then the others in their order.
    private func finish() throws(UsageError) -> Invocation {
        var invocation = Invocation(path: path, flagCounts: flags, optionValues: options)
        var left = words[...]
        let required = command.arguments.filter { !$0.isOptional }
        if words.count < required.count { throw refusal("\(required[words.count].name) is missing.") }
        var needed = required.count
        for argument in command.arguments {
            if !argument.isOptional { needed -= 1 }
            let available = max(0, left.count - needed)
            let taken = argument.repeats ? available : min(1, available)
            for value in left.prefix(taken) {
                if let objection = argument.kind.objection(to: value) { throw refusal("\(argument.name) \(objection).") }
            }
            if taken > 0 { invocation.argumentValues[argument.name] = Array(left.prefix(taken)) }
            left = left.dropFirst(taken)
        }
        if let extra = left.first { throw refusal("'\(UsageError.shown(extra))' is one argument too many.") }
        return invocation
    }

    private enum Short { case flag(FlagSpec), option(OptionSpec) }

    private func find(short letter: Character) -> Short? {
        for command in chain.reversed() {
            if let flag = command.flags.first(where: { $0.short == letter }) { return .flag(flag) }
            if let option = command.options.first(where: { $0.short == letter }) { return .option(option) }
        }
        return nil
    }

    private func option(_ name: String) -> OptionSpec? {
        for command in chain.reversed() {
            if let option = command.options.first(where: { $0.name == name }) { return option }
        }
        return nil
    }

    private func isNegativeNumber(_ word: String) -> Bool {
        guard Int(word) != nil, let digit = word.dropFirst().first else { return false }
        return find(short: digit) == nil
    }

    private func unknown(long name: String) -> UsageError {
        let known = chain.flatMap { $0.flags.map(\.name) + $0.options.map(\.name) } + ["help"]
        let near = Suggestion.nearest(to: name, in: known).map { "; did you mean --\($0)?" } ?? "."
        return refusal("there is no option --\(UsageError.shown(name))\(near)")
    }

    private func refusal(_ sentence: String) -> UsageError { UsageError(sentence, path: path) }
}
