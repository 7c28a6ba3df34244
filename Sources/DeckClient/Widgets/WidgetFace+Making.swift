import RelayProtocol

extension WidgetFace {
    /// - Parameters:
    ///   - state: `nil` when no engine ever wrote one.
    ///   - titleLimit: Characters of a title in the line, 4 … 120.
    ///   - age: Puts a length of time in milliseconds into a word.
    public init(_ widget: Widget, _ state: WidgetState?, now: UnixMilliseconds, titleLimit: Int = 24, age: @escaping (Int64) -> String) {
        guard let state else {
            self.init(
                parts: [Part("Codex Deck: nothing known", .quiet)], short: "–", details: ["Start `deckclient daemon` or `deckclient watch`."],
                classes: ["empty"])
            return
        }
        let maker = WidgetFaceMaker(state: state, now: now, titleLimit: min(max(titleLimit, 4), 120), age: age)
        self = maker.face(of: widget)
        guard state.isStale(now: now) else { return }
        parts.append(Part(" (\(age(state.age(now: now))) old)", .quiet))
        classes.append("stale")
        details.append("Nothing newer is known; is `deckclient daemon` running?")
    }
}

/// Puts a widget into words.
struct WidgetFaceMaker {
    typealias Face = WidgetFace

    let state: WidgetState
    let now: UnixMilliseconds
    let titleLimit: Int
    let age: (Int64) -> String

    func face(of widget: Widget) -> Face {
        switch widget {
        case .capacity(let both): capacity(both: both)
        case .agent: agent()
        case .board(let count): board(count)
        case .command(let keycap, let target): keys([keycap], target)
        case .deck(let keycaps, let target): keys(Array(keycaps.prefix(Widget.deckCapacity)), target)
        case .follow: follow()
        }
    }

    // MARK: - Words

    static func word(_ status: TaskStatus) -> String {
        switch status.meaning {
        case .waiting: status == .awaitingResponse ? "answer?" : "approve?"
        case .failed: "error"
        case .working: "working"
        case .finished: "done"
        case .idle: "idle"
        case .off: "off"
        }
    }

    private func title(_ title: String) -> String {
        guard !title.isEmpty else { return "untitled" }
        return title.count > titleLimit ? DisplayText.clippedLine(title, maximumCharacters: titleLimit - 1) + "…" : title
    }

    // MARK: - Widgets

    private func capacity(both: Bool) -> Face {
        func part(_ name: String, _ window: WidgetState.Window?) -> Face.Part {
            guard let window else { return Face.Part("\(name) –", .quiet) }
            let tone = Face.Tone(contextPercent: window.usedPercent)
            return Face.Part("\(name) \(window.usedPercent) %" + (window.isStale ? "?" : ""), window.isStale ? .quiet : tone)
        }
        func detail(_ name: String, _ window: WidgetState.Window?) -> String {
            guard let window else { return "\(name): not known" }
            if window.isStale { return "\(name): \(window.usedPercent) % used before its reset" }
            return "\(name): \(window.usedPercent) % used" + (window.resetsAt.map { ", resets in \(age($0.milliseconds(since: now)))" } ?? "")
        }
        let week = part("week", state.weekly)
        let parts = both ? [part("5 h", state.fiveHour), Face.Part("  "), week] : [week]
        var details = [detail("5 hours", state.fiveHour), detail("Weekly", state.weekly)]
        if let at = state.usageAt { details.append("Heard \(age(now.milliseconds(since: at))) ago") }
        let measured = both ? [state.fiveHour, state.weekly].compactMap { $0?.usedPercent }.max() : state.weekly?.usedPercent
        let face = Face(parts: parts, short: state.weekly.map { "\($0.usedPercent) %" } ?? "–", details: details, classes: [], percent: measured)
        return classed(face)
    }

    private func agent() -> Face {
        guard let task = state.current else { return Face(parts: [Face.Part("no task", .quiet)], short: "–", details: [], classes: ["empty"]) }
        var parts = [Face.Part(word(of: task), tone(of: task)), Face.Part(" \(title(task.title)) · \(task.place)")]
        if let percent = task.contextPercent { parts.append(Face.Part(" \(percent) %", Face.Tone(contextPercent: percent))) }
        return classed(Face(parts: parts, short: word(of: task), details: [line(task)], classes: [], percent: task.contextPercent))
    }

    private func board(_ count: Int) -> Face {
        let shown = state.slots.prefix(count == 3 ? 3 : Snapshot.slotCount)
        var parts: [Face.Part] = []
        var details: [String] = []
        for (index, task) in shown.enumerated() {
            guard let task else { continue }
            if !parts.isEmpty { parts.append(Face.Part("  ")) }
            parts.append(Face.Part("\(index + 1) \(word(of: task))", tone(of: task)))
            parts.append(Face.Part(" \(title(task.title))"))
            details.append("\(index + 1) \(line(task))")
        }
        if parts.isEmpty { parts = [Face.Part("no tasks", .quiet)] }
        let waiting = shown.lazy.compactMap { $0 }.filter { $0.status.meaning == .waiting && !$0.isOffline }.count
        return classed(
            Face(parts: parts, short: waiting > 0 ? "\(waiting) waiting" : "\(shown.compactMap { $0 }.count)", details: details, classes: []))
    }

    private func keys(_ keycaps: [Keycap], _ target: Widget.Target) -> Face {
        let computer = computer(target)
        let names = keycaps.map(\.rawValue).joined(separator: " ")
        let isUsable = computer?.isLive == true && !state.isStale(now: now)
        let place =
            switch (computer, target) {
            case (let computer?, _): "\(computer.badge.rawValue) \(computer.name)"
            case (nil, .named(let name)): DisplayText.sanitized(name, maximumCharacters: AttentionEvent.hostNameLimit)
            case (nil, .selected): "no computer"
            }
        var face = Face(
            parts: [Face.Part(names, isUsable ? .plain : .quiet), Face.Part(" · \(place)" + (isUsable ? "" : " offline"), .quiet)],
            short: names, details: keycaps.map { "\($0.rawValue) on \(place)" }, classes: [isUsable ? "ready" : "offline"])
        if keycaps.isEmpty { face.parts = [Face.Part("no keys", .quiet)] }
        return face
    }

    private func computer(_ target: Widget.Target) -> WidgetState.Computer? {
        switch target {
        case .selected: return state.computers.first(where: \.isSelected)
        case .named(let name):
            let lowered = name.lowercased()
            return state.computers.first { $0.name.lowercased() == lowered || $0.id.uuid == lowered }
        }
    }

    private func follow() -> Face {
        guard let followed = state.follow else {
            return Face(parts: [Face.Part("following nothing", .quiet)], short: "–", details: [], classes: ["empty"])
        }
        let isLive = followed.isLive && !state.isStale(now: now)
        var parts = [Face.Part("\(title(followed.title)): \(followed.words)", isLive ? .plain : .quiet)]
        if !followed.place.isEmpty { parts.append(Face.Part(" · \(followed.place)")) }
        if let percent = followed.contextPercent { parts.append(Face.Part(" \(percent) %", Face.Tone(contextPercent: percent))) }
        if !isLive { parts.append(Face.Part(" · Last known", .quiet)) }
        var details = [followed.title]
        if let at = followed.activityAt { details.append("Active \(age(now.milliseconds(since: at))) ago") }
        return Face(
            parts: parts, short: followed.words, details: details, classes: [isLive ? "live" : "last-known"], percent: followed.contextPercent)
    }

    // MARK: - Tasks

    private func word(of task: WidgetState.Task) -> String { Self.word(task.status) + (task.isOffline ? " (last known)" : "") }
    private func tone(of task: WidgetState.Task) -> Face.Tone { task.isOffline ? .quiet : Face.Tone(task.status) }

    private func line(_ task: WidgetState.Task) -> String {
        var parts = [word(of: task), task.title.isEmpty ? "untitled" : task.title, task.place]
        if let percent = task.contextPercent { parts.append("context \(percent) %") }
        if let at = task.activityAt { parts.append("active \(age(now.milliseconds(since: at))) ago") }
        return parts.joined(separator: " · ")
    }

    private func classed(_ face: Face) -> Face {
        var face = face
        face.classes.append(face.tone.rawValue)
        if state.unread > 0 { face.classes.append("unread") }
        return face
    }
}
