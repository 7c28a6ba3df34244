/// Draws a QR code with characters, as large as the terminal allows.
public struct QRTerminal: Equatable, Sendable {
    /// What the terminal can show.
    public enum Characters: Sendable { case halfBlocks, ascii }
    /// How both colours are chosen.
    public enum Colors: Sendable {
        /// No escape sequences: light modules are drawn in the text colour, so the picture suits a dark background.
        case none
        /// Black on bright white, of the sixteen colours that a user's theme may bend.
        case sixteen
        /// Black on white of the 256-colour cube, which themes leave alone.
        case indexed
    }

    /// The terminal's width in columns.
    public var columns: Int
    /// The terminal's height in rows; `nil` when unknown.
    public var rows: Int?
    public var characters: Characters
    public var colors: Colors
    /// Swaps dark and light: for a light background without colours, or a camera that disagrees.
    public var inverted: Bool

    public init(columns: Int, rows: Int? = nil, characters: Characters, colors: Colors, inverted: Bool = false) {
        self.columns = columns
        self.rows = rows
        self.characters = characters
        self.colors = colors
        self.inverted = inverted
    }

    public enum Result: Equatable, Sendable {
        case drawing(Drawing)
        /// The terminal needs this many columns; a torn picture is worse than none.
        case tooNarrow(neededColumns: Int)
    }

    public struct Drawing: Equatable, Sendable {
        /// One string a row, without line ends; each resets the colours it set.
        public let lines: [String]
        /// Columns every line takes.
        public let width: Int
        /// Light modules left round the code: 2 … 4.
        public let quietZone: Int
        /// Whether the picture is higher than the terminal, so that its top scrolls away.
        public let scrolls: Bool
    }

    /// Draws `code`, with a quiet zone of four modules if that fits and never under two.
    public func draw(_ code: QRCode) -> Result {
        let fitting = [4, 3, 2].filter { width(code, quietZone: $0) <= columns }
        guard let widest = fitting.first else { return .tooNarrow(neededColumns: width(code, quietZone: 2)) }
        // One row is left for the prompt that follows the picture.
        let quietZone = fitting.first { height(code, quietZone: $0) < rows ?? .max } ?? widest
        let range = -quietZone..<code.size + quietZone
        let lines = stride(from: range.lowerBound, to: range.upperBound, by: characters == .halfBlocks ? 2 : 1).map { row in
            switch characters {
            case .halfBlocks: painted(halfBlocks(code, row: row, columns: range))
            case .ascii: ascii(code, row: row, columns: range)
            }
        }
        let scrolls = lines.count >= rows ?? .max
        return .drawing(Drawing(lines: lines, width: width(code, quietZone: quietZone), quietZone: quietZone, scrolls: scrolls))
    }

    private func width(_ code: QRCode, quietZone: Int) -> Int {
        (code.size + 2 * quietZone) * (characters == .halfBlocks ? 1 : 2)
    }

    private func height(_ code: QRCode, quietZone: Int) -> Int {
        let side = code.size + 2 * quietZone
        return characters == .halfBlocks ? (side + 1) / 2 : side
    }

    /// Two rows of modules in one row of text. What is drawn is the text colour; the blank is the background.
    private func halfBlocks(_ code: QRCode, row: Int, columns: Range<Int>) -> String {
        var line = ""
        for column in columns {
            switch (isInk(code, row: row, column: column), isInk(code, row: row + 1, column: column)) {
            case (true, true): line += "█"
            case (true, false): line += "▀"
            case (false, true): line += "▄"
            case (false, false): line += " "
            }
        }
        return line
    }

    private func ascii(_ code: QRCode, row: Int, columns: Range<Int>) -> String {
        guard colors != .none else {
            return columns.map { isInk(code, row: row, column: $0) ? "##" : "  " }.joined()
        }
        // Coloured blanks have no gaps between letters, so a camera reads them better than any character.
        var line = ""
        var previous: Bool?
        for column in columns {
            let dark = isInk(code, row: row, column: column)
            if dark != previous { line += dark ? escape(background: .black) : escape(background: .white) }
            previous = dark
            line += "  "
        }
        return line + "\u{1b}[0m"
    }

    /// Whether the module gets the text colour: the dark ones on an explicit white, the light ones on a dark background.
    private func isInk(_ code: QRCode, row: Int, column: Int) -> Bool {
        let dark = code.isDark(row: row, column: column)
        return colors == .none ? dark == inverted : dark != inverted
    }

    private func painted(_ line: String) -> String {
        switch colors {
        case .none: line
        case .sixteen: "\u{1b}[30;107m" + line + "\u{1b}[0m"
        case .indexed: "\u{1b}[38;5;16;48;5;231m" + line + "\u{1b}[0m"
        }
    }

    private enum Background { case black, white }

    private func escape(background: Background) -> String {
        switch (colors, background) {
        case (.none, _): ""
        case (.sixteen, .black): "\u{1b}[40m"
        case (.sixteen, .white): "\u{1b}[107m"
        case (.indexed, .black): "\u{1b}[48;5;16m"
        case (.indexed, .white): "\u{1b}[48;5;231m"
        }
    }
}
