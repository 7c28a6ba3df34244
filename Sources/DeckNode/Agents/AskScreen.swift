import CommandLineKit
import DeckAgents
import JSON

/// What `decknode ask` shows and does, from what it hears of the node, of the person at the terminal and of signals. Pure: it says what is to be
/// done, and others do it.
struct AskScreen {
    /// How the command was called.
    struct Manner: Equatable {
        /// Every event as a line of JSON on standard output, instead of the answer's text.
        var isJSON = false
        /// Whether standard output is a terminal.
        var isTerminal = false
        /// Whether there is a person to ask.
        var canAsk = false
        /// Whether every call that has to be approved is declined at once.
        var declinesAll = false
        /// Whether to leave as soon as the turn has begun.
        var detaches = false
        /// Whether no node runs, so that nobody else sees this.
        var isAlone = false
    }

    enum Action: Equatable {
        case out(String)
        /// For standard error.
        case note(String)
        /// Begin or stop to read lines from the terminal.
        case listen(Bool)
        case answer(approval: String, approved: Bool)
        case interrupt
        case leave(Int32)
    }

    /// What a command returns that was ended by the person.
    static let interruptedCode: Int32 = 130

    private let manner: Manner
    private var text: AnswerText
    private var thread: String?
    private var question: AgentApproval?
    /// Whether a part of the question was left out, so that nobody can say yes to it before they have seen it.
    private var isCut = false
    /// What was answered here; the node has not said yet whether that came first.
    private var given: (id: String, approved: Bool)?
    private var end: AgentAskEvent?
    private var stopCode: Int32?

    init(_ manner: Manner) {
        self.manner = manner
        text = AnswerText(forTerminal: manner.isTerminal)
    }

    // MARK: The node

    mutating func take(_ json: JSONValue) -> [Action] {
        guard let event = AgentAskEvent(json: json) else { return [] }
        // Written anew from what was understood, so that nothing unexpected gets through.
        return (manner.isJSON ? [.out(Self.line(event.json))] : []) + take(event)
    }

    /// JSON on one line. What JSON lets stand in a string and a terminal would obey is escaped.
    private static func line(_ json: JSONValue) -> String {
        let text = String(decoding: json.encoded(), as: UTF8.self) + "\n"
        guard text.unicodeScalars.contains(where: { (0x7f..<0xa0).contains($0.value) }) else { return text }
        return text.unicodeScalars.map { (0x7f..<0xa0).contains($0.value) ? "\\u00" + String($0.value, radix: 16) : String($0) }.joined()
    }

    private mutating func take(_ event: AgentAskEvent) -> [Action] {
        switch event {
        case .thread(let id, _, _, _):
            thread = String(id.uuid.prefix(8))
            guard manner.isAlone else { return [] }
            return [note("decknode: No node is running, so screens do not see this; start one with `decknode serve`.")]
        case .turn:
            guard manner.detaches else { return [] }
            return (manner.isJSON ? [] : [.out("\(thread ?? "")\n")]) + [.leave(0)]
        case .delta(let delta): return manner.isJSON ? [] : [.out(text.piece(delta))].filter { $0 != .out("") }
        case .message(_, let images):
            return endLine() + (images > 0 ? [note("The model made \(images) pictures; they are kept in the thread.")] : [])
        case .retrying(let attempt, let reason): return endLine() + [note("Attempt \(attempt): \(reason)")]
        case .toolStarted(_, let tool, let summary): return endLine() + [note("→ \(tool) \(summary)")]
        case .toolFinished(_, let tool, let succeeded, let summary): return endLine() + [note("\(succeeded ? "✓" : "✗") \(tool) \(summary)")]
        case .approvalRequested(let approval): return ask(approval)
        case .approvalResolved(let id, let approved, let by): return resolved(id, approved, by)
        case .completed, .failed, .interrupted:
            end = event
            return endLine() + closeQuestion()
        }
    }

    /// The node has said its last word.
    mutating func finish(_ reply: ControlReply) -> [Action] {
        var actions = endLine() + closeQuestion()
        if case .failure(let sentence) = reply, end == nil { return actions + [note("decknode: " + sentence), .leave(stopCode ?? 1)] }
        switch end {
        case .completed:
            if manner.isTerminal, let thread { actions.append(note("Go on with `decknode ask --thread \(thread) …`.")) }
            return actions + [.leave(stopCode ?? 0)]
        case .failed(_, let sentence): return actions + [note("decknode: " + sentence), .leave(stopCode ?? 1)]
        case .interrupted:
            let how = stopCode == nil ? "It was stopped from elsewhere." : "Stopped; the answer so far is kept."
            return actions + [note("decknode: " + how), .leave(stopCode ?? 1)]
        default: return actions + [note("decknode: The node ended before the answer did."), .leave(stopCode ?? 1)]
        }
    }

    /// The connection broke.
    mutating func lost() -> [Action] {
        let way = "it went away in the middle of the answer; `decknode threads` tells what became of it"
        return endLine() + closeQuestion() + [note("decknode: The node does not answer: \(way)."), .leave(stopCode ?? 1)]
    }

    // MARK: Approvals

    private mutating func ask(_ approval: AgentApproval) -> [Action] {
        var actions = closeQuestion() + endLine()
        if manner.declinesAll { return actions + [note("Declined: \(approval.summary)"), .answer(approval: approval.id, approved: false)] }
        actions += [note("\(approval.tool) asks: \(approval.summary)")] + details(approval.lines)
        guard manner.canAsk else {
            let key = "`decknode press APPR --task \(thread ?? "…")` (REJ declines)"
            return actions + [note("It waits for an answer from another screen, or from \(key).")]
        }
        question = approval
        given = nil
        return actions + [.note(Self.prompt), .listen(true)]
    }

    /// What is to be decided on. Of a long command the middle is left out here; how it would be confined stands at the end and is always shown.
    private mutating func details(_ lines: [String]) -> [Action] {
        isCut = lines.count > Self.shownLines || lines.contains { $0.count > Self.shownCharacters }
        let lines = lines.map(Self.short)
        guard lines.count > Self.shownLines else { return lines.map { note("  " + $0) } }
        let head = lines.prefix(Self.shownLines - Self.lastLines), tail = lines.suffix(Self.lastLines)
        let gap = "… \(lines.count - head.count - tail.count) more lines; v shows them …"
        return (head + [gap] + tail).map { note("  " + $0) }
    }

    /// The beginning and the end of a line that is long.
    private static func short(_ line: String) -> String {
        guard line.count > shownCharacters else { return line }
        let rest = line.count - shownCharacters
        return line.prefix(shownCharacters / 2) + " … \(rest) more characters; v shows them … " + line.suffix(shownCharacters / 2)
    }

    private static let shownLines = 12, lastLines = 3
    /// Of one line, about five rows of a terminal.
    private static let shownCharacters = 400

    private static let prompt = "Allow? [y]es, [n]o, [v]iew: "

    /// A line that the person typed; `nil` when nothing more will come.
    mutating func typed(_ line: String?) -> [Action] {
        guard let question, given == nil else { return [] }
        guard let line else {
            self.question = nil
            return [.listen(false), .note("\n"), note("The terminal is closed; it waits for an answer from another screen.")]
        }
        switch line.lowercased().filter({ !$0.isWhitespace }) {
        case "y" where isCut, "yes" where isCut: return [.note("A part of it was not shown yet; v shows it: ")]
        case "y", "yes": return give(question, approved: true)
        case "n", "no": return give(question, approved: false)
        case "v", "view":
            isCut = false
            return question.lines.map { note("  \($0)") } + [.note(Self.prompt)]
        default: return [.note("Please answer y, n or v: ")]
        }
    }

    private mutating func give(_ question: AgentApproval, approved: Bool) -> [Action] {
        given = (question.id, approved)
        return [.listen(false), .answer(approval: question.id, approved: approved)]
    }

    private mutating func resolved(_ id: String, _ approved: Bool, _ by: AgentAnswerer?) -> [Action] {
        let word = approved ? "allowed" : "declined"
        let wasTyped = given?.id == id
        // Who answered here knows it, unless another terminal said the opposite before that.
        if by == .terminal, question == nil || wasTyped && given?.approved == approved {
            question = nil
            given = nil
            return []
        }
        return closeQuestion() + [note("Answered \(wasTyped ? "before that " : "")\(Self.place(by)): \(word).")]
    }

    private static func place(_ by: AgentAnswerer?) -> String {
        switch by {
        case .terminal: "in another terminal"
        case .deck: "at this computer"
        case .screen: "on another screen"
        case .demo: "by the demo"
        case nil: "elsewhere"
        }
    }

    /// Takes an open question away.
    private mutating func closeQuestion() -> [Action] {
        guard let open = question else { return [] }
        question = nil
        defer { given = nil }
        return given?.id == open.id ? [] : [.listen(false), .note("\n")]
    }

    // MARK: Signals

    /// The person wants it to end. The second time nothing is waited for.
    mutating func stop(code: Int32 = interruptedCode) -> [Action] {
        if let stopCode { return [.leave(stopCode)] }
        stopCode = code
        return endLine() + closeQuestion() + [.interrupt]
    }

    // MARK: Lines

    private mutating func endLine() -> [Action] {
        let line = text.endLine()
        return line.isEmpty || manner.isJSON ? [] : [.out(line)]
    }

    private func note(_ text: String) -> Action { .note(Printable.line(text) + "\n") }
}
