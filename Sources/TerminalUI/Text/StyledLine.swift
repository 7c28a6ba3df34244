/// What a click on a piece of the screen stands for.
public enum ClickTarget: Sendable, Hashable {
    /// The same as that key.
    case key(Key)
    /// One of the six cards, 0 … 5.
    case card(Int)
    /// An entry of the list that is shown, from 0.
    case row(Int)
}

/// A piece of a line in one style.
public struct Span: Sendable, Equatable {
    public var text: String
    public var style: TextStyle
    /// `nil` where a click means nothing.
    public var target: ClickTarget?

    public init(_ text: String, _ style: TextStyle = .plain, _ target: ClickTarget? = nil) {
        self.text = text
        self.style = style
        self.target = target
    }
}

/// One row of the screen: spans of text without any escape code.
public struct StyledLine: Sendable, Equatable {
    public private(set) var spans: [Span]
    /// How many columns it takes.
    public private(set) var columns: Int

    public init(_ spans: [Span] = []) {
        self.spans = []
        columns = 0
        for span in spans { append(span.text, span.style, span.target) }
    }

    init(_ text: String, _ style: TextStyle = .plain, _ target: ClickTarget? = nil) { self.init([Span(text, style, target)]) }

    /// The letters without their styles.
    public var text: String { spans.map(\.text).joined() }

    mutating func append(_ text: String, _ style: TextStyle = .plain, _ target: ClickTarget? = nil) {
        guard !text.isEmpty else { return }
        columns += CellWidth.columns(text)
        if let last = spans.last, last.style == style, last.target == target {
            spans[spans.count - 1].text += text
        } else {
            spans.append(Span(text, style, target))
        }
    }

    mutating func append(_ other: StyledLine) {
        for span in other.spans { append(span.text, span.style, span.target) }
    }

    /// Fills up to `columns` with `filler`, which is one column wide.
    mutating func pad(to columns: Int, with filler: Character = " ", _ style: TextStyle = .plain) {
        if columns > self.columns { append(String(repeating: filler, count: columns - self.columns), style) }
    }

    /// Cut to `columns`, with the ellipsis where something is missing.
    func clipped(to columns: Int, _ glyphs: GlyphSet) -> StyledLine {
        if self.columns <= columns { return self }
        guard columns > 0 else { return StyledLine() }
        var result = StyledLine()
        for span in spans {
            let room = columns - 1 - result.columns
            if CellWidth.columns(span.text) <= room {
                result.append(span.text, span.style, span.target)
                continue
            }
            var kept = ""
            var used = 0
            for character in span.text {
                used += CellWidth.columns(character)
                if used > room { break }
                kept.append(character)
            }
            result.append(kept + String(glyphs.ellipsis), span.style, span.target)
            break
        }
        return result
    }

    /// `left` and `right` at the two ends of `columns`; the right one is kept whole as long as there is room for it alone.
    static func spread(
        _ left: StyledLine, _ right: StyledLine, columns: Int, _ glyphs: GlyphSet, filler: Character = " ", _ style: TextStyle = .plain
    ) -> StyledLine {
        guard right.columns > 0, right.columns < columns else {
            var line = left.clipped(to: columns, glyphs)
            line.pad(to: columns, with: filler, style)
            return line
        }
        var line = left.clipped(to: columns - right.columns - 1, glyphs)
        line.pad(to: columns - right.columns, with: filler, style)
        line.append(right)
        return line
    }

    // MARK: Clicks

    /// The same line, in which every piece without a meaning of its own stands for `target`.
    func clickable(_ target: ClickTarget) -> StyledLine { StyledLine(spans.map { Span($0.text, $0.style, $0.target ?? target) }) }

    /// What a click on a column means; `nil` for nothing.
    func target(at column: Int) -> ClickTarget? {
        guard column >= 0 else { return nil }
        var end = 0
        for span in spans {
            end += CellWidth.columns(span.text)
            if column < end { return span.target }
        }
        return nil
    }
}
