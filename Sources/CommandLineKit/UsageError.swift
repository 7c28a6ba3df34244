/// A command line that was not understood.
public struct UsageError: Error, Equatable, Sendable {
    /// One sentence.
    public let sentence: String
    /// The command whose help says more.
    public let path: [String]

    public init(_ sentence: String, path: [String]) {
        self.sentence = sentence
        self.path = path
    }

    /// Two lines: what is wrong, and where to read on.
    public var report: String {
        "\(path.first ?? ""): \(sentence)\nTry '\((path + ["--help"]).joined(separator: " "))'."
    }

    init(unknownCommand name: String, of command: CommandSpec, path: [String]) {
        let near = Suggestion.nearest(to: name, in: command.listedSubcommands.map(\.name))
        self.init("There is no command '\(Self.shown(name))'" + (near.map { "; did you mean '\($0)'?" } ?? "."), path: path)
    }

    /// What the user typed, cut short and without control characters: it may be a secret in the wrong place.
    static func shown(_ text: some StringProtocol) -> String {
        let clean = String(String.UnicodeScalarView(text.unicodeScalars.prefix(25).map { Printable.isSafe($0) ? $0 : "?" }))
        return text.unicodeScalars.count > 24 ? String(clean.prefix(20)) + "…" : clean
    }
}

extension UsageError: CustomStringConvertible {
    public var description: String { sentence }
}
