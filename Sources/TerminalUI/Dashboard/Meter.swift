/// A horizontal bar.
enum Meter {
    /// - Parameters:
    ///   - percent: 0 … 100; other values are brought into the range.
    ///   - width: Columns of the bar.
    static func line(percent: Double, width: Int, style: TextStyle, _ glyphs: GlyphSet) -> StyledLine {
        let share = min(max(percent, 0), 100) / 100
        let full = min(Int((share * Double(width)) + 0.5), width)
        var line = StyledLine()
        line.append(String(repeating: glyphs.meterFull, count: full), style)
        line.append(String(repeating: glyphs.meterRest, count: width - full), .meterRest)
        return line
    }
}
