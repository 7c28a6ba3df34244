/// The manual page of a program, in the man(7) language of roff.
public enum ManPage {
    /// - Parameter date: Shown at the foot, such as `2026-01-31`; a parameter, so that builds can be repeated to the byte.
    public static func render(_ program: Program, date: String) -> String {
        let spec = program.spec
        var page = Roff()
        page.macro("TH", spec.name.uppercased(), "1", date, "\(spec.name) \(program.version)", "User Commands")
        page.macro("SH", "NAME")
        page.text(spec.name + " - " + summary(spec.summary))
        page.macro("SH", "SYNOPSIS")
        for line in HelpText.synopsis([spec]) { page.synopsis(line) }
        if !spec.discussion.isEmpty {
            page.macro("SH", "DESCRIPTION")
            page.paragraphs(spec.discussion)
        }
        page.macro("SH", "OPTIONS")
        page.definitions(HelpText.options(of: spec) + builtIn)
        if !spec.subcommands.isEmpty {
            page.macro("SH", "COMMANDS")
            commands(of: [spec], into: &page)
        }
        if !spec.examples.isEmpty {
            page.macro("SH", "EXAMPLES")
            examples(spec, into: &page)
        }
        page.macro("SH", "EXIT STATUS")
        page.definitions([
            ("0", "Done."), ("1", "Could not be done; standard error says why in one line."), ("2", "The command line was wrong."),
        ])
        return page.source
    }

    private static let builtIn = [("-h, --help", "Show help and exit."), ("    --version", "Show the version and exit.")]

    /// Names in the index of manual pages go without a full stop.
    private static func summary(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

    private static func commands(of chain: [CommandSpec], into page: inout Roff) {
        for command in chain[chain.count - 1].listedSubcommands {
            let path = chain + [command]
            page.macro("SS", path.dropFirst().map(\.name).joined(separator: " "))
            for line in HelpText.synopsis(path) { page.synopsis(line) }
            page.paragraphs(command.summary)
            page.paragraphs(command.discussion)
            let arguments = command.arguments.map { ($0.name, $0.summary + $0.kind.remark(fallback: nil)) }
            page.definitions(arguments + HelpText.options(of: command))
            examples(command, into: &page)
            commands(of: path, into: &page)
        }
    }

    private static func examples(_ command: CommandSpec, into page: inout Roff) {
        page.definitions(command.examples.map { ($0.line, $0.summary) })
    }
}

/// Writes roff source; everything that is not a macro is escaped.
struct Roff {
    private(set) var source = ""

    mutating func macro(_ name: String, _ arguments: String...) {
        source += "." + name + arguments.map { " \"" + Self.escape($0).replacing("\"", with: "\\(dq") + "\"" }.joined() + "\n"
    }

    mutating func text(_ line: String) {
        let text = Self.escape(line)
        // A line that begins so would be taken for a macro.
        source += (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + text + "\n"
    }

    mutating func synopsis(_ line: String) {
        source += ".PP\n"
        text(line)
    }

    mutating func paragraphs(_ body: String) {
        for paragraph in TextFill.paragraphs(body) {
            source += ".PP\n"
            text(paragraph)
        }
    }

    mutating func definitions(_ entries: [(String, String)]) {
        for (term, body) in entries {
            source += ".TP\n"
            macro("B", String(term.drop { $0 == " " }))
            text(body.isEmpty ? "\u{A0}" : body)
        }
    }

    private static func escape(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "…": result += "\\|.\\|.\\|."
            case "\u{A0}": result += "\\ "
            case "\n": result += " "
            default: result.append(character)
            }
        }
        return result
    }
}
