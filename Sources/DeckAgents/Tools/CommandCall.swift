import JSON

/// A call of `run_command` as the model wrote it, checked. What is shown and what runs are made of this one value.
struct CommandCall: Hashable, Sendable {
    enum Program: Hashable, Sendable {
        case words([String])
        /// For `/bin/sh -c`.
        case script(String)
    }

    var program: Program
    var needsNetwork: Bool
    var seconds: Int

    static let maximumBytes = 32 << 10
    static let usualSeconds = 120, longestSeconds = 600

    /// What is wrong with a call, for the model.
    struct Malformed: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    init(_ arguments: JSONValue) throws(Malformed) {
        guard let fields = arguments.object else { throw Malformed(description: "The arguments are no JSON object.") }
        switch (fields["command"], fields["argv"]) {
        case (.string(let script)?, nil), (.string(let script)?, .null?): program = .script(script)
        case (nil, .array(let words)?), (.null?, .array(let words)?):
            let texts = words.compactMap(\.string)
            guard texts.count == words.count, let first = texts.first, !first.isEmpty else {
                throw Malformed(description: "argv has to be a list of texts, the program first.")
            }
            program = .words(texts)
        default: throw Malformed(description: "Give either command, a text for the shell, or argv, a list of texts.")
        }
        needsNetwork = fields["network"]?.bool ?? false
        let given = fields["timeout_seconds"] ?? .null
        guard let wanted = given == .null ? Int64(Self.usualSeconds) : given.int, (1...Int64(Self.longestSeconds)).contains(wanted) else {
            throw Malformed(description: "timeout_seconds goes from 1 to \(Self.longestSeconds).")
        }
        seconds = Int(wanted)
        try check()
    }

    private func check() throws(Malformed) {
        let texts = switch program {
        case .words(let words): words
        case .script(let script): [script]
        }
        // A NUL would end the text for the system, but not for whoever reads what they approve.
        guard !texts.contains(where: { $0.utf8.contains(0) }) else { throw Malformed(description: "The command has a NUL character in it.") }
        guard texts.reduce(0, { $0 + $1.utf8.count + 1 }) <= Self.maximumBytes else {
            throw Malformed(description: "The command is longer than 32 KiB; write a file and run that.")
        }
        if case .script(let script) = program, script.allSatisfy(\.isWhitespace) { throw Malformed(description: "The command is empty.") }
    }

    /// What is started, without a sandbox.
    var words: [String] {
        switch program {
        case .words(let words): words
        case .script(let script): ["/bin/sh", "-c", script]
        }
    }

    /// The command as text.
    var text: String {
        switch program {
        case .words(let words): VisibleText.words(words)
        case .script(let script): script
        }
    }

    /// The command in one line.
    var summary: String {
        switch program {
        case .words(let words): VisibleText.line(VisibleText.words(words), limit: 200)
        case .script(let script): VisibleText.line(script, limit: 200)
        }
    }

    /// The whole command, line by line.
    var lines: [String] {
        switch program {
        case .words(let words): [VisibleText.words(words)]
        case .script(let script): VisibleText.lines(script)
        }
    }
}
