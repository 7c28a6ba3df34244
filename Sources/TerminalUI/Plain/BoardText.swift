import DeckClient
import RelayProtocol

/// The board as lines of text, for `watch --once`.
public enum BoardText {
    /// - Parameters:
    ///   - columns: The width to keep to; less than 20 counts as 20.
    ///   - color: Whether escape codes for colours may be used.
    ///   - all: Whether tasks without a key are listed too.
    public static func lines(
        _ board: Board, now: UnixMilliseconds, columns: Int, color: Bool, glyphs: GlyphSet, theme: Theme = .dark, all: Bool = false,
        localTime: @escaping @Sendable (UnixMilliseconds) -> LocalTime = LocalTime.utc
    ) -> [String] {
        let columns = max(columns, 20)
        var rows = board.computers.map { computer($0, glyphs).clipped(to: columns, glyphs) }
        for (index, task) in board.slots.enumerated() {
            rows.append(CardView(number: index + 1, task: task, hasFocus: false, now: now, glyphs: glyphs).line(columns: columns))
        }
        if all {
            rows += board.rest.map { CardView(number: nil, task: $0, hasFocus: false, now: now, glyphs: glyphs).line(columns: columns) }
        }
        rows += UsageView(usage: board.usage, now: now, glyphs: glyphs, localTime: localTime).lines(columns: columns)
        let map = StyleMap(colors: color ? 8 : 0, theme: theme)
        return rows.map { color ? painted($0, map) : trimmed($0.text) }
    }

    private static func computer(_ computer: Board.Computer, _ glyphs: GlyphSet) -> StyledLine {
        var line = StyledLine(computer.badge.rawValue + " " + CellText.clean(computer.name, glyphs) + " ", .heading)
        let reason = computer.health.reason.map { ": " + CellText.clean($0, glyphs) } ?? ""
        line.append(computer.health.word + reason, computer.isLive ? .good : .bad)
        return line
    }

    private static func painted(_ line: StyledLine, _ map: StyleMap) -> String {
        var spans = line.spans
        if let last = spans.popLast() { spans.append(Span(trimmed(last.text), last.style)) }
        return spans.map { span in
            let look = map.look(span.style)
            var codes: [String] = []
            if look.isBold { codes.append("1") }
            if look.isDim { codes.append("2") }
            if look.isReversed { codes.append("7") }
            if let color = look.color { codes.append("\(30 + color)") }
            return codes.isEmpty || span.text.isEmpty ? span.text : "\u{1B}[\(codes.joined(separator: ";"))m\(span.text)\u{1B}[0m"
        }.joined()
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}
