import RelayProtocol

/// A pairing link as it is typed or pasted. It holds a token, so it is never shown.
struct PairingEntry: Sendable, Equatable, CustomStringConvertible {
    fileprivate(set) var text = ""

    /// Longer than any link.
    static let limit = 4_096

    var description: String { "a link of \(text.count) characters" }
}

extension DashboardScreen {
    func pairingPage(_ entry: PairingEntry) -> Page {
        let words = """
            Run `decknode pair` on the computer, or open the pairing code of its desktop app, and paste the link here. It begins with \
            codexdeck:// and is not shown, because it holds the key to that computer.
            """
        var rows = [StyledLine(" Pair a computer", .heading)]
        rows += CellText.wrapped(words, to: max(size.columns - 2, 1)).map { StyledLine(" " + $0) }
        rows.append(StyledLine())
        rows.append(StyledLine(entry.text.isEmpty ? " Waiting for a link." : " \(entry.text.count) characters so far.", .prompt))
        return Page(lines: rows, hints: [("Enter", "pair"), ("Esc", "back")])
    }

    mutating func pressOnPairing(_ key: Key, _ entry: PairingEntry) -> [DashboardEffect] {
        var entry = entry
        switch key {
        case .escape:
            leave()
            return []
        case .enter:
            guard !entry.text.isEmpty else { return [] }
            leave()
            receipt = ReceiptLine("Pairing…", .progress)
            return [.pair(entry.text)]
        case .backspace: entry.text = String(entry.text.dropLast())
        // What is pasted may be broken over lines by blanks.
        case .character(let character) where character.isASCII && !character.isWhitespace:
            if entry.text.utf8.count < PairingEntry.limit { entry.text.append(character) }
        default: return []
        }
        view = .pairing(entry)
        return []
    }
}
