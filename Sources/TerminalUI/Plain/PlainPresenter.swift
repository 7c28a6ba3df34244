import DeckClient
import RelayProtocol

/// Tells the board in lines, one for each thing that changed: for screen readers and logs. Time alone changes nothing.
public struct PlainPresenter: Sendable {
    private struct Seen: Equatable {
        var status: TaskStatus
        var title: String
        var owner: String
        var isOpen: Bool
    }

    private var tasks: [BoardTask.ID: Seen] = [:]
    private var computers: [HostID: String] = [:]
    private var unheard: [String: String] = [:]
    private var lastEvent: Int64?
    private var followed: String?
    private let glyphs: GlyphSet

    public init(glyphs: GlyphSet = .unicode) { self.glyphs = glyphs }

    /// What differs from the state before: computers, tasks, events that have come, and the followed task.
    public mutating func lines(_ state: ClientState) -> [String] {
        var told: Set<TaskIdentity> = []
        var lines = nodes(state) + lines(state.board, told: &told)
        // What had happened before the first look is told by the board.
        let known = lastEvent ?? state.attention.first?.id ?? 0
        for event in state.attention.reversed() where event.id > known && !told.contains(event.task) {
            let title = CellText.clean(event.title, glyphs)
            lines.append("attention: \(title.isEmpty ? "a task" : title) \(event.kind.words) (on \(CellText.clean(event.hostName, glyphs)))")
        }
        lastEvent = max(known, state.attention.first?.id ?? 0)
        let words = state.follow.map { follow in
            let title = CellText.clean(follow.title, glyphs)
            return "following: \(title.isEmpty ? "a task" : title), \(follow.statusWords)" + (follow.isLive ? "" : " (last known)")
        }
        if words != followed { lines.append(words ?? "following: nothing") }
        followed = words
        return lines
    }

    /// Nodes that were never heard are none of the board's computers, and yet the user waits for them.
    private mutating func nodes(_ state: ClientState) -> [String] {
        var lines: [String] = []
        var present: [String: String] = [:]
        for node in state.unheard {
            // The first try is under way, and one more is no news.
            if node.health == .connecting {
                present[node.id] = unheard[node.id]
                continue
            }
            let words = "not reached: \(CellText.clean(node.profile.name, glyphs)) (\(CellText.clean("\(node.health)", glyphs)))"
            present[node.id] = words
            if unheard[node.id] != words { lines.append(words) }
        }
        unheard = present
        return lines
    }

    /// What differs from the board before; nothing when nothing does that a person would care about.
    public mutating func lines(_ board: Board) -> [String] {
        var told: Set<TaskIdentity> = []
        return lines(board, told: &told)
    }

    private mutating func lines(_ board: Board, told: inout Set<TaskIdentity>) -> [String] {
        var lines: [String] = []
        var heard: Set<HostID> = []
        for computer in board.computers {
            heard.insert(computer.id)
            // One more try is no news: the line before says how it went.
            if computer.health == .connecting, computers[computer.id] != nil { continue }
            let words = "\(CellText.clean(computer.name, glyphs)), \(computer.badge.name): \(CellText.clean("\(computer.health)", glyphs))"
            if computers.updateValue(words, forKey: computer.id) != words { lines.append(words) }
        }
        for (id, words) in computers.filter({ !heard.contains($0.key) }).sorted(by: { $0.key < $1.key }) {
            computers[id] = nil
            lines.append("removed: " + words)
        }
        return lines + changes(board, told: &told)
    }

    /// That a computer is away or back is told once, not once more for each of its tasks.
    private mutating func changes(_ board: Board, told: inout Set<TaskIdentity>) -> [String] {
        var lines: [String] = []
        var present: Set<BoardTask.ID> = []
        for task in board.tasks {
            present.insert(task.id)
            let seen = Seen(
                status: task.status, title: TaskWords.title(task, glyphs), owner: CellText.clean(task.ownerName, glyphs), isOpen: task.selected)
            guard tasks.updateValue(seen, forKey: task.id) != seen else { continue }
            let key = board.slots.firstIndex { $0?.id == task.id }.map { "key \($0 + 1), " } ?? ""
            let state = TaskWords.spoken(task) + (task.offline ? " (last known)" : seen.isOpen ? " (open)" : "")
            if let identity = task.identity { told.insert(identity) }
            lines.append("\(state): \(seen.title) (\(key)on \(seen.owner))")
        }
        let gone = tasks.filter { !present.contains($0.key) }
        for id in gone.keys { tasks[id] = nil }
        return lines + gone.values.map { "gone: \($0.title) (on \($0.owner))" }.sorted()
    }
}
