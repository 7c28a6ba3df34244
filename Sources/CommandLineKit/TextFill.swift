/// Breaks text into lines.
enum TextFill {
    /// Breaks between words; a word longer than the width stands on a line of its own. Further lines begin with `hanging` spaces.
    static func wrap(_ text: String, width: Int, hanging: Int = 0) -> String {
        let indent = text.prefix { $0 == " " }
        var lines: [String] = [], line = String(indent), used = indent.count
        for word in text.split(separator: " ") {
            let size = TextWidth.columns(word)
            let isStart = used == (lines.isEmpty ? indent.count : hanging)
            if !isStart, used + 1 + size > width {
                lines.append(line)
                line = String(repeating: " ", count: hanging) + word
                used = hanging + size
            } else {
                line += (isStart ? "" : " ") + word
                used += size + (isStart ? 0 : 1)
            }
        }
        lines.append(line)
        return lines.joined(separator: "\n")
    }

    /// The parts between empty lines, each as one line.
    static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .split { $0.allSatisfy(\.isWhitespace) }
            .map { $0.joined(separator: " ") }
    }
}
