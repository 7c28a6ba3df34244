/// The text of `--help` for one command.
struct HelpText {
    /// From the program to the command; never empty.
    let chain: [CommandSpec]
    let columns: Int

    private static let widest = 100, narrowest = 40
    private var width: Int { min(max(columns, Self.narrowest), Self.widest) }

    func render() -> String {
        guard let command = chain.last else { return "" }
        var blocks = [fill(command.summary), usage(command)]
        if !command.discussion.isEmpty { blocks.append(discussion(command.discussion)) }
        let listings = [
            ("Commands", command.listedSubcommands.map { ($0.name, $0.summary) }),
            ("Arguments", command.arguments.map { ($0.name, $0.summary + $0.kind.remark(fallback: nil)) }),
            ("Options", Self.options(of: command) + [("-h, --help", "Show this help.")]),
            ("Options of every command", chain.dropLast().flatMap(Self.options)),
        ]
        for (title, entries) in listings where !entries.isEmpty { blocks.append(title + ":\n" + listing(entries)) }
        if !command.examples.isEmpty { blocks.append("Examples:\n" + command.examples.map(example).joined(separator: "\n")) }
        if !command.subcommands.isEmpty {
            blocks.append(fill("'\(chain.map(\.name).joined(separator: " ")) COMMAND --help' says more about a command."))
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// `decknode pair [OPTIONS] [NAME]`, without `Usage: `.
    static func synopsis(_ chain: [CommandSpec]) -> [String] {
        guard let command = chain.last else { return [] }
        let start = chain.map(\.name).joined(separator: " ")
        let options = command.flags.isEmpty && command.options.isEmpty ? "" : " [OPTIONS]"
        var lines: [String] = []
        if command.runsAlone {
            lines.append(start + options + command.arguments.map { " " + $0.synopsis }.joined())
        }
        if !command.subcommands.isEmpty { lines.append(start + options + " COMMAND …") }
        return lines
    }

    static func options(of command: CommandSpec) -> [(String, String)] {
        let flags = command.flags.map { (label($0.short, $0.name), $0.summary) }
        let options = command.options.map { option in
            let remark = option.kind.remark(fallback: option.fallback, repeats: option.repeats)
            return (label(option.short, option.name) + " " + option.value, option.summary + remark)
        }
        return flags + options
    }

    private static func label(_ short: Character?, _ name: String) -> String {
        (short.map { "-\($0), " } ?? "    ") + "--" + name
    }

    private func usage(_ command: CommandSpec) -> String {
        let lines = Self.synopsis(chain).enumerated().map { ($0 == 0 ? "Usage: " : "       ") + $1 }
        return lines.map { TextFill.wrap($0, width: width, hanging: 11) }.joined(separator: "\n")
    }

    private func discussion(_ text: String) -> String {
        TextFill.paragraphs(text).map(fill).joined(separator: "\n\n")
    }

    private func listing(_ entries: [(String, String)]) -> String {
        let gap = 2
        let longest = entries.map { TextWidth.columns($0.0) }.max() ?? 0
        let column = min(longest, width / 3) + 2 * gap
        return entries.map { label, summary in
            let pad = column - gap - TextWidth.columns(label)
            let body = TextFill.wrap(summary, width: width - column)
                .split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: "\n" + String(repeating: " ", count: column))
            let head = "  " + label
            if body.isEmpty { return head }
            return pad >= gap ? head + String(repeating: " ", count: pad) + body : head + "\n" + String(repeating: " ", count: column) + body
        }.joined(separator: "\n")
    }

    private func example(_ example: CommandSpec.Example) -> String {
        let text = TextFill.wrap(example.summary, width: width - 6).split(separator: "\n").map { "      " + $0 }.joined(separator: "\n")
        return "  " + example.line + "\n" + text
    }

    private func fill(_ text: String) -> String { TextFill.wrap(text, width: width) }
}

extension ArgumentSpec {
    /// `NAME`, `[NAME]`, `NAME…` or `[NAME…]`.
    var synopsis: String {
        let text = repeats ? name + "…" : name
        return isOptional ? "[" + text + "]" : text
    }
}

extension ValueKind {
    /// What the help adds about a value: its range, its choices, its default.
    func remark(fallback: String?, repeats: Bool = false) -> String {
        var facts: [String] = []
        switch self {
        case .integer(let range): facts.append("\(range.lowerBound) to \(range.upperBound)")
        case .choice(let words): facts.append(words.joined(separator: ", "))
        case .text, .file, .directory: break
        }
        if let fallback { facts.append("default: \(fallback)") }
        if repeats { facts.append("may be repeated") }
        return facts.isEmpty ? "" : " (" + facts.joined(separator: "; ") + ")"
    }
}
