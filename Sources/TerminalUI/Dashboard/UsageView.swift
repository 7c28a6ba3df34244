import DeckClient
import RelayProtocol

/// The account's two windows. One that nobody told of is said to be not known: missing is not zero.
struct UsageView {
    let usage: BoardUsage?
    let now: UnixMilliseconds
    let glyphs: GlyphSet
    let localTime: @Sendable (UnixMilliseconds) -> LocalTime

    func lines(columns: Int) -> [StyledLine] {
        let week = line("Weekly", usage?.weekly ?? .unavailable, columns)
        let isRoomy = week.columns + credits.columns + 2 <= columns
        return [
            line("5 hours", usage?.fiveHour ?? .unavailable, columns), isRoomy ? StyledLine.spread(week, credits, columns: columns, glyphs) : week,
        ]
    }

    /// Both windows in one row.
    func short(columns: Int) -> StyledLine {
        let five = usage?.fiveHour ?? .unavailable
        let week = usage?.weekly ?? .unavailable
        for detail in [true, false] {
            var line = StyledLine()
            append("5 hours", five, to: &line, detail: detail)
            line.append(" ")
            append("Weekly", week, to: &line, detail: detail)
            if line.columns + credits.columns + 2 <= columns { return StyledLine.spread(line, credits, columns: columns, glyphs) }
            if line.columns <= columns || !detail { return line.clipped(to: columns, glyphs) }
        }
        return StyledLine()
    }

    private func append(_ name: String, _ window: BoardUsage.Window, to line: inout StyledLine, detail: Bool) {
        line.append(" \(name) ", .faint)
        guard let numbers = window.window else { return line.append("not known", .faint) }
        if isOver(numbers) { return line.append("\(percent(numbers)) before", .lastKnown) }
        line.append(percent(numbers), style(numbers))
        guard detail, let resetsAt = numbers.resetsAt else { return }
        line.append(" " + RelativeTime.until(resetsAt.milliseconds(since: now)).text, .faint)
    }

    /// What is left to reset the limit with; a click asks.
    private var credits: StyledLine {
        guard let count = usage?.resetCreditsAvailable else { return StyledLine() }
        var line = StyledLine("\(count) reset\(count == 1 ? "" : "s") ", .faint)
        if count > 0 { line.append("R ", .key) }
        return line.clickable(.key(.character("R")))
    }

    private func style(_ window: Usage.Window) -> TextStyle {
        window.usedPercent >= 92 ? .meterFull : window.usedPercent >= 80 ? .meterHigh : .meter
    }

    private func line(_ name: String, _ window: BoardUsage.Window, _ columns: Int) -> StyledLine {
        var line = StyledLine(" " + name + String(repeating: " ", count: max(9 - name.count, 1)), .faint)
        guard let numbers = window.window else {
            line.append("not known", .faint)
            return line
        }
        // The board was judged when it was merged; a reset may have passed since.
        if isOver(numbers) {
            line.append("\(percent(numbers)) before its reset; new number not known", .lastKnown)
            return line.clipped(to: columns, glyphs)
        }
        let used = numbers.usedPercent
        let style = style(numbers)
        if columns >= 60 {
            line.append(Meter.line(percent: used, width: min(columns / 4, 40), style: style, glyphs))
            line.append(" ")
        }
        line.append(percent(numbers) + " used", style)
        if let resetsAt = numbers.resetsAt {
            let clock = localTime(resetsAt).text(on: localTime(now))
            line.append(", resets \(clock)", .faint)
            let distance = " (\(RelativeTime.until(resetsAt.milliseconds(since: now)).text))"
            if line.columns + distance.count <= columns { line.append(distance, .faint) }
        }
        return line.clipped(to: columns, glyphs)
    }

    private func isOver(_ window: Usage.Window) -> Bool { window.resetsAt.map { $0 <= now } ?? false }

    private func percent(_ window: Usage.Window) -> String {
        window.usedPercent.isFinite ? "\(Int(min(max(window.usedPercent, 0), 100).rounded())) %" : "? %"
    }

    /// Milliseconds until one of the texts changes.
    var changesAfter: Int64? {
        [usage?.fiveHour, usage?.weekly].compactMap { $0?.window }.filter { !isOver($0) }.compactMap(\.resetsAt)
            .map { RelativeTime.until($0.milliseconds(since: now)).changesAfter }.min()
    }
}
