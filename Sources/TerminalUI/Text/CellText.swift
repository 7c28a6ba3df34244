import RelayProtocol

/// Makes text from outside fit for the cells of a terminal.
enum CellText {
    /// What is kept of one text before it is cut to its place: more than any place is wide.
    private static let maximumCharacters = 500

    /// One line without controls, in which every character takes the columns that ncurses and the terminal both count for it.
    ///
    /// Terminals disagree about flags, skin tones and the picture form of signs, and a disagreement tears the line. So flags become
    /// their two letters and the rest loses its modifier. Without Unicode every other character becomes `?`.
    static func clean(_ text: String, _ glyphs: GlyphSet) -> String {
        let line = DisplayText.sanitized(text, maximumCharacters: maximumCharacters)
        if line.utf8.allSatisfy({ $0 < 0x80 }) { return line }
        if !glyphs.isUnicode { return ascii(line) }
        var result = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            switch scalar.value {
            case 0xfe0e, 0xfe0f, 0x1f3fb...0x1f3ff: break
            case 0x1f1e6...0x1f1ff: result.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value - 0x1f1e6) + UInt8(ascii: "A")))
            default:
                // A mark with nothing to lie on would lie on whatever stands left of the text.
                if result.isEmpty, CellWidth.columns(scalar) == 0 { break }
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func ascii(_ line: String) -> String {
        var result = ""
        for character in line {
            if character.isASCII {
                result.append(character)
            } else if let plain = punctuation[character] {
                result += plain
            } else if CellWidth.columns(character) > 0 {
                result.append("?")
            }
        }
        return result
    }

    private static let punctuation: [Character: String] = [
        "…": "...", "–": "-", "—": "-", "‘": "'", "’": "'", "“": "\"", "”": "\"", "·": "-", "•": "*", "→": "->",
    ]

    /// The beginning of `text` within `columns`, ending in the ellipsis where something is missing; never cut inside a character.
    static func clipped(_ text: String, to columns: Int, _ glyphs: GlyphSet) -> String {
        guard columns > 0 else { return "" }
        // No character takes fewer bytes than columns.
        if text.utf8.count <= columns { return text }
        var used = 0
        var beforeEllipsis = text.startIndex
        var index = text.startIndex
        while index < text.endIndex {
            used += CellWidth.columns(text[index])
            if used > columns { return String(text[..<beforeEllipsis]) + String(glyphs.ellipsis) }
            index = text.index(after: index)
            if used <= columns - 1 { beforeEllipsis = index }
        }
        return text
    }

    /// Clean text in as many rows as it takes, broken at blanks where there are some; at least one row.
    static func wrapped(_ text: String, to columns: Int) -> [String] {
        let columns = max(columns, 1)
        var rows: [String] = []
        var row = ""
        var used = 0
        func finish() {
            rows.append(row)
            (row, used) = ("", 0)
        }
        for word in text.split(separator: " ") {
            let width = CellWidth.columns(String(word))
            if used > 0, used + 1 + width > columns { finish() }
            if used > 0 {
                row += " "
                used += 1
            }
            guard used + width > columns else {
                row += word
                used += width
                continue
            }
            for character in word {
                let width = CellWidth.columns(character)
                if used + width > columns, used > 0 { finish() }
                row.append(character)
                used += width
            }
        }
        if used > 0 || rows.isEmpty { rows.append(row) }
        return rows
    }
}
