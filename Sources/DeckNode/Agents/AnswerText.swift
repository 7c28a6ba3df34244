/// Makes the text of a model fit to be printed while it comes in pieces: it is foreign, and may hold what commands a terminal.
struct AnswerText {
    /// Characters that turn the direction of the text around them deceive people, not programs.
    let keepsDirections: Bool
    private var endsInLine = false

    /// Whether what was printed so far ends in the middle of a line.
    var isInLine: Bool { endsInLine }

    init(forTerminal: Bool) { keepsDirections = !forTerminal }

    /// The text without control characters but line ends and tabs.
    mutating func piece(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where isPrintable(scalar) { result.append(scalar) }
        if let last = result.last { endsInLine = last != "\n" }
        return String(result)
    }

    /// What ends the line that is begun; empty when none is.
    mutating func endLine() -> String {
        defer { endsInLine = false }
        return endsInLine ? "\n" : ""
    }

    private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0a, 0x09: true
        case 0..<0x20, 0x7f..<0xa0: false
        case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: keepsDirections
        default: true
        }
    }
}
