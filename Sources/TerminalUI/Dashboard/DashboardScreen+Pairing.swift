import RelayProtocol

/// A pairing link as it is typed or pasted. It holds a token, so it is never shown.
struct PairingEntry: Sendable, Equatable, CustomStringConvertible {
    fileprivate(set) var text = ""
    /// Whether the link is being tried.
    fileprivate(set) var isBusy = false

    /// Longer than any link.
    static let limit = 4_096
    fileprivate static let scheme = "codexdeck://"

    var description: String { "a link of \(text.count) characters" }

    /// What is pasted may be broken over lines by blanks.
    fileprivate mutating func append(_ characters: String) {
        for character in characters where character.isASCII && character >= "!" && text.utf8.count < Self.limit { text.append(character) }
    }

    fileprivate var status: (String, TextStyle) {
        if isBusy { return ("Pairing…", .prompt) }
        if text.isEmpty { return ("Waiting for a link.", .prompt) }
        guard text.hasPrefix(Self.scheme) || Self.scheme.hasPrefix(text) else {
            return ("This does not begin with \(Self.scheme)", .warning)
        }
        return ("\(text.count) character\(text.count == 1 ? "" : "s") so far.", .prompt)
    }
}

extension DashboardScreen {
    func pairingPage(_ entry: PairingEntry) -> Page {
        let welcome = "No computer is paired yet. "
        let words = """
            \(hasNobody ? welcome : "")Run `decknode pair` on the computer, or open the pairing code of its desktop app, and paste the link here. \
            It is not shown, because it holds the key to that computer.
            """
        let width = min(max(size.columns - 2, 1), 96)
        var rows = [StyledLine(hasNobody ? " Welcome to Codex Deck" : " Pair a computer", .heading)]
        rows += CellText.wrapped(words, to: width).map { StyledLine(" " + $0) }
        rows.append(StyledLine())
        let (status, style) = entry.status
        rows.append(StyledLine(" " + CellText.clean(status, glyphs), style).clipped(to: size.columns, glyphs))
        var hints: [Hints.Hint] = [("Enter", "pair")]
        if !entry.text.isEmpty { hints.append(("Ctrl-U", "clear")) }
        return Page(lines: rows, hints: hints + [("Esc", hasNobody ? "look around" : "back")])
    }

    mutating func pressOnPairing(_ key: Key, _ entry: PairingEntry) -> [DashboardEffect] {
        var entry = entry
        switch key {
        case .escape:
            leave()
            return []
        case _ where entry.isBusy: return []
        case .enter:
            guard !entry.text.isEmpty else { return [] }
            entry.isBusy = true
            view = .pairing(entry)
            receipt = nil
            return [.pair(entry.text)]
        case .backspace: entry.text = String(entry.text.dropLast())
        case .character("\u{15}"): entry.text = ""
        case .character(let character): entry.append(String(character))
        default: return []
        }
        view = .pairing(entry)
        return []
    }

    /// A link may be pasted where it is asked for and on the board; anywhere else pasted text means nothing, and presses no keys.
    mutating func paste(_ text: String) {
        guard !isTooSmall else { return }
        var entry = PairingEntry()
        switch view {
        case .pairing(let present): entry = present
        case .board, .nodes:
            let start = text.drop { $0.isWhitespace }
            guard prompt == nil, resetPrompt == nil, start.hasPrefix(PairingEntry.scheme) else { fallthrough }
            enter(.pairing(entry))
        default:
            receipt = ReceiptLine("Pasted text presses no keys.", .progress)
            return
        }
        guard !entry.isBusy else { return }
        entry.append(text)
        view = .pairing(entry)
    }

    /// A link that failed stays, so that it can be tried again.
    mutating func takePairing(_ line: ReceiptLine) {
        guard case .pairing(var entry) = view, entry.isBusy else { return }
        if line.kind == .success { return leave() }
        entry.isBusy = false
        view = .pairing(entry)
    }
}
