import DeckClient
import RelayProtocol

/// One task, with all the room it gets: a line, two lines, or a frame. Without a task: an empty key.
struct CardView {
    /// 1 … 6; `nil` for a task without a key.
    let number: Int?
    let task: BoardTask?
    let hasFocus: Bool
    var isFollowed = false
    /// Whether it is shown how full the context is.
    var showsContext = true
    let now: UnixMilliseconds
    let glyphs: GlyphSet

    private static let wordColumns = 9

    /// Key, state, title, owner and age in one row.
    func line(columns: Int) -> StyledLine {
        guard let task else { return head }
        var left = head
        left.append(TaskWords.title(task, glyphs), titleStyle(task))
        // Under one another where there is room for it.
        let isWide = columns >= 60
        var right = StyledLine()
        if isWide { right.append(facts(task), .faint) }
        // On a narrow screen the title needs the columns, unless the context runs out.
        let percent = contextPercent(task).flatMap { isWide || $0 >= TaskWords.highContext ? $0 : nil }
        right.append(Self.aligned(percent.map { "\($0) %" } ?? "", isWide ? 7 : 0), percent.map(TaskWords.contextStyle) ?? .faint)
        right.append(Self.aligned(TaskWords.age(task, now: now)?.text ?? "", isWide ? 8 : 7), .faint)
        return StyledLine.spread(left, right.columns * 2 > columns ? StyledLine() : right, columns: columns, glyphs)
    }

    /// The line, and one below it for owner and context.
    func pair(columns: Int) -> [StyledLine] {
        guard let task else { return [head, StyledLine()] }
        var first = head
        first.append(TaskWords.title(task, glyphs), titleStyle(task))
        let age = StyledLine(TaskWords.age(task, now: now)?.text ?? "", .faint)
        var second = StyledLine(String(repeating: " ", count: 3 + Self.wordColumns))
        second.append(facts(task), .faint)
        return [
            StyledLine.spread(first, age, columns: columns, glyphs),
            StyledLine.spread(second, context(task, columns: columns - second.columns), columns: columns, glyphs),
        ]
    }

    /// What a line of 40 columns has no room for.
    func details(columns: Int) -> StyledLine {
        guard let task else { return StyledLine() }
        var left = StyledLine("   " + facts(task), .faint)
        if let percent = contextPercent(task) { left.append(", context \(percent) %", .faint) }
        return left.clipped(to: columns, glyphs)
    }

    private static func aligned(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(columns - text.count, 0)) + text
    }

    private var head: StyledLine {
        var head = StyledLine(hasFocus ? String(glyphs.pointer) : " ", .focusFrame)
        head.append(number.map { "\($0)" } ?? " ", .key, number.map { .key(.character(Character("\($0)"))) })
        head.append(isFollowed ? String(glyphs.followed) : " ", .focusFrame)
        guard let task else {
            head.append("no task", .faint)
            return head
        }
        head.append(TaskWords.word(task), TaskWords.style(task))
        head.pad(to: 3 + Self.wordColumns)
        return head
    }

    /// The owner, and whether the task is open there or not to be reached.
    private func facts(_ task: BoardTask) -> String {
        TaskWords.owner(task, glyphs) + (task.offline ? ", last known" : task.selected ? ", open" : "")
    }

    private func contextPercent(_ task: BoardTask) -> Int? { showsContext ? task.contextPercent : nil }

    private func titleStyle(_ task: BoardTask) -> TextStyle { task.offline ? .lastKnown : task.selected ? .heading : .plain }

    private func context(_ task: BoardTask, columns: Int) -> StyledLine {
        guard let percent = contextPercent(task) else { return StyledLine() }
        let style = TaskWords.contextStyle(percent)
        var line = StyledLine("context ", .faint)
        if columns >= 24 {
            line.append(Meter.line(percent: Double(percent), width: columns >= 40 ? 16 : 8, style: style, glyphs))
            line.append(" ")
        }
        line.append("\(percent) %", style)
        return line
    }
}

extension CardView {
    /// A frame with state and owner in it, the title, and age and context below: four rows.
    func framed(columns: Int) -> [StyledLine] {
        let corners = hasFocus ? glyphs.focusCorners : glyphs.corners
        let style: TextStyle = hasFocus ? .focusFrame : .frame
        var bottom = StyledLine(String(corners.bottomLeft), style)
        bottom.pad(to: columns - 1, with: corners.horizontal, style)
        bottom.append(String(corners.bottomRight), style)
        var title = StyledLine("no task", .faint)
        var facts = StyledLine()
        if let task {
            title = StyledLine(TaskWords.titleBesideOthers(task, glyphs), titleStyle(task))
            let age = StyledLine(TaskWords.age(task, now: now)?.text ?? "", .faint)
            let room = columns - 4
            facts = StyledLine.spread(age, context(task, columns: room - age.columns - 1), columns: room, glyphs)
        }
        return [top(columns, corners, style), boxed(title, columns, corners, style), boxed(facts, columns, corners, style), bottom]
    }

    private func top(_ columns: Int, _ corners: GlyphSet.Corners, _ style: TextStyle) -> StyledLine {
        var left = StyledLine(String(corners.topLeft), style)
        if hasFocus { left.append(String(glyphs.pointer), style) } else { left.append(String(corners.horizontal), style) }
        left.append(number.map { " \($0) " } ?? "", .key, number.map { .key(.character(Character("\($0)"))) })
        if isFollowed { left.append("\(glyphs.followed) ", .focusFrame) }
        var right = StyledLine()
        if let task {
            left.append(TaskWords.word(task), TaskWords.style(task))
            if task.offline { left.append(" last known", .lastKnown) } else if task.selected { left.append(" open", .heading) }
            left.append(" ")
            let owner = StyledLine(TaskWords.owner(task, glyphs), .faint).clipped(to: columns - left.columns - 6, glyphs)
            right.append(" ")
            right.append(owner)
            right.append(" ")
        }
        right.append(String(corners.horizontal) + String(corners.topRight), style)
        return StyledLine.spread(left, right, columns: columns, glyphs, filler: corners.horizontal, style)
    }

    private func boxed(_ content: StyledLine, _ columns: Int, _ corners: GlyphSet.Corners, _ style: TextStyle) -> StyledLine {
        var line = StyledLine(String(corners.vertical), style)
        line.append(" ")
        line.append(content.clipped(to: columns - 4, glyphs))
        line.pad(to: columns - 1)
        line.append(String(corners.vertical), style)
        return line
    }
}
