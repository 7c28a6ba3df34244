import DeckClient
import RelayProtocol

/// The account's two windows. One that nobody told of is said to be not known: missing is not zero.
struct UsageView {
    let usage: BoardUsage?
    let now: UnixMilliseconds
    let glyphs: GlyphSet
    let localTime: @Sendable (UnixMilliseconds) -> LocalTime

    func lines(columns: Int) -> [StyledLine] {
        [line("5 hours", usage?.fiveHour ?? .unavailable, columns), line("Weekly", usage?.weekly ?? .unavailable, columns)]
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
        let style: TextStyle = used >= 92 ? .meterFull : used >= 80 ? .meterHigh : .meter
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
