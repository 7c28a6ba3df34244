/// One command: the table that drives parsing, help, the man page and completions alike.
public struct CommandSpec: Sendable, Equatable {
    /// What is typed: lower-case letters, digits and hyphens.
    public var name: String
    /// One sentence for lists.
    public var summary: String
    /// Further paragraphs, separated by empty lines.
    public var discussion: String
    public var arguments: [ArgumentSpec]
    /// Options of a command hold for its subcommands too.
    public var options: [OptionSpec]
    public var flags: [FlagSpec]
    public var subcommands: [CommandSpec]
    /// Whether the command can be called without one of its subcommands.
    public var runsAlone: Bool
    /// Works, but is neither listed in help and manual nor offered by completions: for packages and for set-up, not for every day.
    public var isHidden: Bool
    public var examples: [Example]

    public struct Example: Sendable, Equatable {
        /// The whole line, with the program's name.
        public var line: String
        public var summary: String

        public init(_ line: String, _ summary: String) {
            self.line = line
            self.summary = summary
        }
    }

    /// - Parameter runsAlone: Without it, a command that has subcommands insists on one.
    public init(
        _ name: String, summary: String, discussion: String = "", arguments: [ArgumentSpec] = [], options: [OptionSpec] = [],
        flags: [FlagSpec] = [], subcommands: [CommandSpec] = [], runsAlone: Bool? = nil, isHidden: Bool = false, examples: [Example] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        self.flags = flags
        self.subcommands = subcommands
        self.runsAlone = runsAlone ?? subcommands.isEmpty
        self.isHidden = isHidden
        self.examples = examples
    }

    public func subcommand(_ name: some StringProtocol) -> CommandSpec? {
        subcommands.first { $0.name == name }
    }

    /// The subcommands that are told of.
    var listedSubcommands: [CommandSpec] { subcommands.filter { !$0.isHidden } }
}

/// A value that is told by its place.
public struct ArgumentSpec: Sendable, Equatable {
    public enum Count: Sendable, Equatable { case required, optional, any, oneOrMore }

    /// In capitals, such as `TASK`; also the key to look the value up with.
    public var name: String
    public var summary: String
    public var kind: ValueKind
    public var count: Count

    public init(_ name: String, _ summary: String, kind: ValueKind = .text, count: Count = .required) {
        self.name = name
        self.summary = summary
        self.kind = kind
        self.count = count
    }

    /// May be left out.
    public var isOptional: Bool { count == .optional || count == .any }
    /// May stand several times.
    public var repeats: Bool { count == .any || count == .oneOrMore }
}

/// `--name VALUE`.
public struct OptionSpec: Sendable, Equatable {
    /// Without the hyphens.
    public var name: String
    public var short: Character?
    /// What the help calls the value, in capitals.
    public var value: String
    public var summary: String
    public var kind: ValueKind
    /// Whether each further use adds a value; otherwise the last one counts.
    public var repeats: Bool
    /// Only told in the help: the caller applies it.
    public var fallback: String?

    public init(
        _ name: String, short: Character? = nil, value: String, _ summary: String, kind: ValueKind = .text, repeats: Bool = false,
        fallback: String? = nil
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.summary = summary
        self.kind = kind
        self.repeats = repeats
        self.fallback = fallback
    }
}

/// `--name`, on or off.
public struct FlagSpec: Sendable, Equatable {
    /// Without the hyphens.
    public var name: String
    public var short: Character?
    public var summary: String

    public init(_ name: String, short: Character? = nil, _ summary: String) {
        self.name = name
        self.short = short
        self.summary = summary
    }
}

/// What a value may be.
public enum ValueKind: Sendable, Equatable {
    case text
    case integer(ClosedRange<Int>)
    /// One of these words; those in capitals may be written small.
    case choice([String])
    /// The path of a file; not looked at, but completed.
    case file
    case directory

    /// Why the text is no such value, as the end of a sentence that begins with its name; `nil` when it is one.
    func objection(to text: String) -> String? {
        switch self {
        case .text: nil
        case .file, .directory: text.isEmpty ? "must not be empty" : nil
        case .integer(let range):
            if let number = Int(text), range.contains(number) {
                nil
            } else {
                "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            }
        case .choice(let words):
            words.contains(text) || words.contains(text.uppercased()) ? nil : "must be one of " + words.joined(separator: ", ")
        }
    }
}
