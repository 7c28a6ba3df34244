/// Rows in aligned columns.
public struct Table: Sendable {
    public struct Column: Sendable {
        public enum Alignment: Sendable { case left, right }

        public var title: String
        public var alignment: Alignment
        /// Whether it gives way, cut with `…`, when the table is wider than the terminal.
        public var isFlexible: Bool

        public init(_ title: String, alignment: Alignment = .left, isFlexible: Bool = false) {
            self.title = title
            self.alignment = alignment
            self.isFlexible = isFlexible
        }
    }

    public var columns: [Column]
    /// Cells left out at the end count as empty; cells too many are not shown.
    public var rows: [[String]]

    public init(_ columns: [Column], rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows
    }

    private static let gap = 2
    /// A flexible column keeps this much.
    private static let narrowest = 8

    /// The lines of the table, its titles first, without spaces at their ends. Control characters in cells are replaced.
    ///
    /// - Parameter width: The columns of the terminal; `nil` cuts nothing.
    public func render(width: Int? = nil) -> [String] {
        let cells = ([columns.map(\.title)] + rows).map { row in
            columns.indices.map { $0 < row.count ? Printable.line(row[$0]) : "" }
        }
        let widths = self.widths(of: cells, within: width)
        return cells.map { row in
            var line = ""
            for index in columns.indices {
                if index > 0 { line += String(repeating: " ", count: Self.gap) }
                line += pad(TextWidth.truncated(row[index], to: widths[index]), to: widths[index], columns[index].alignment)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private func widths(of cells: [[String]], within limit: Int?) -> [Int] {
        var widths = columns.indices.map { column in cells.map { TextWidth.columns($0[column]) }.max() ?? 0 }
        guard let limit else { return widths }
        var excess = widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) - limit
        while excess > 0 {
            // The widest gives first, so that two long columns end alike.
            let flexible = columns.indices.filter { columns[$0].isFlexible && widths[$0] > Self.narrowest }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            let next = flexible.filter { $0 != widest }.map { widths[$0] }.max() ?? Self.narrowest
            let cut = min(excess, max(1, widths[widest] - next))
            widths[widest] -= cut
            excess -= cut
        }
        return widths
    }

    private func pad(_ text: String, to width: Int, _ alignment: Column.Alignment) -> String {
        let space = String(repeating: " ", count: max(0, width - TextWidth.columns(text)))
        return alignment == .left ? text + space : space + text
    }
}
