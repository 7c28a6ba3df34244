/// A piece of a line in one style.
public struct Span: Sendable, Equatable {
    public var text: String
    public var style: TextStyle

    public init(_ text: String, _ style: TextStyle = .plain) {
        self.text = text
        self.style = style
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
        for span in spans { append(span.text, span.style) }
    }

    init(_ text: String, _ style: TextStyle = .plain) { self.init([Span(text, style)]) }

    /// The letters without their styles.
    public var text: String { spans.map(\.text).joined() }

    mutating func append(_ text: String, _ style: TextStyle = .plain) {
        guard !text.isEmpty else { return }
        columns += CellWidth.columns(text)
        if spans.last?.style == style { spans[spans.count - 1].text += text } else { spans.append(Span(text, style)) }
    }

    mutating func append(_ other: StyledLine) {
        for span in other.spans { append(span.text, span.style) }
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
                result.append(span.text, span.style)
                continue
            }
            var kept = ""
            var used = 0
            for character in span.text {
                used += CellWidth.columns(character)
                if used > room { break }
                kept.append(character)
            }
            result.append(kept + String(glyphs.ellipsis), span.style)
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
}
