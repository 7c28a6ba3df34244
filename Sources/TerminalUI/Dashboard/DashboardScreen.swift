import DeckClient
import RelayProtocol

/// The dashboard as a value: messages go in, effects and rows come out. It knows no terminal.
public struct DashboardScreen: Sendable {
    /// The smallest terminal in which everything has its place.
    public static let minimum = ScreenSize(columns: 40, rows: 12)

    /// What a chosen keycap is for.
    enum KeycapUse: Sendable, Equatable {
        case send
        case assign(ActionSlot)
    }

    /// What fills the screen. A further view is a case here, a type that makes its rows, and its keys.
    enum View: Sendable, Equatable {
        case board
        /// Scrolled down by that many rows.
        case help(offset: Int)
        /// With that one of `Keycap.allCases` chosen.
        case keycaps(chosen: Int, use: KeycapUse = .send)
        /// `title` is what the task was called last.
        case detail(TaskIdentity, title: String, offset: Int)
        case attention(AttentionPlace)
        /// `chosen` is the id of a profile, `nil` the first; what is known of it is scrolled down by `offset` rows.
        case nodes(chosen: String?, offset: Int = 0)
        case layouts(chosen: Int)
        case settings(chosen: Int)
        case hosts(chosen: Int)
        case receipts(offset: Int)
        case pairing(PairingEntry)
    }

    public let glyphs: GlyphSet
    let localTime: @Sendable (UnixMilliseconds) -> LocalTime
    public internal(set) var size: ScreenSize
    var state = ClientState.empty
    var hasState = false
    var now: UnixMilliseconds
    var focus = Focus()
    var view = View.board
    /// Where Escape leads from the present view, the last one first.
    var former: [View] = []
    var prompt: AnswerPrompt?
    var resetPrompt: ResetLimitPrompt?
    var receipt: ReceiptLine?
    var tests: [String: NodeTest] = [:]
    /// Events that the shown detail has marked read already, until the engine says so.
    private var marked: Set<Int64> = []

    var board: Board { state.board }

    /// - Parameter localTime: The user's clock and calendar.
    public init(
        size: ScreenSize, glyphs: GlyphSet, now: UnixMilliseconds, localTime: @escaping @Sendable (UnixMilliseconds) -> LocalTime = LocalTime.utc
    ) {
        self.size = size
        self.glyphs = glyphs
        self.now = now
        self.localTime = localTime
    }

    /// Takes what happened.
    ///
    /// - Returns: What is to be done about it, in order.
    public mutating func update(_ message: DashboardMessage) -> [DashboardEffect] {
        switch message {
        case .state(let state, let now): take(state, now: now)
        case .clock(let now): self.now = now
        case .resize(let size): self.size = size
        case .receipt(let line):
            receipt = line
            if line.kind == .success, state.settings.bell { return [.bell] }
        case .paired(let line):
            takePairing(line)
            return update(.receipt(line))
        case .tested(let profile, let test): tests[profile] = test
        case .show(let task): show(task)
        case .paste(let text): paste(text)
        case .mouse(let event): return touch(event) + seen()
        case .key(let key, let at): return press(key, at: at) + seen()
        }
        return seen()
    }

    private mutating func take(_ state: ClientState, now: UnixMilliseconds) {
        let isFirst = !hasState
        self.state = state
        self.now = now
        hasState = true
        // Whoever opens this for the first time is shown how it begins.
        if isFirst, hasNobody, view == .board { enter(.pairing(PairingEntry())) }
        focus.follow(board)
        if case .detail(let task, _, let offset) = view, let found = board.task(task) {
            view = .detail(task, title: TaskWords.title(found, glyphs), offset: offset)
        }
        if let obstacle = prompt?.obstacle(on: board) {
            prompt = nil
            receipt = ReceiptLine(obstacle, .warning)
        }
    }

    // MARK: - Views

    mutating func enter(_ next: View) {
        former.append(view)
        view = next
    }

    mutating func leave() { view = former.popLast() ?? .board }

    mutating func show(_ task: TaskIdentity) {
        if case .detail(task, _, _) = view { return }
        // A question that waits is about another task than the one that would be seen with it.
        (prompt, resetPrompt) = (nil, nil)
        let event = state.attention.first { $0.task == task }
        let title = board.task(task).map { TaskWords.title($0, glyphs) } ?? event.map { CellText.clean($0.title, glyphs) } ?? ""
        enter(.detail(task, title: title, offset: 0))
    }

    /// What is told of a task counts as read while its detail is before the user's eyes.
    private mutating func seen() -> [DashboardEffect] {
        guard case .detail(let task, _, _) = view, !isTooSmall else { return [] }
        let unread = state.attention.lazy.filter { $0.task == task && $0.isUnread }.map(\.id).filter { [marked] in !marked.contains($0) }
        let ids = Array(unread)
        guard !ids.isEmpty else { return [] }
        marked.formUnion(ids)
        return [.apply(.mark(ids, read: true))]
    }

    /// Whether it is known that no computer is paired.
    var hasNobody: Bool { hasState && state.summaries.isEmpty }

    /// The task that keys act on: the one whose detail is shown, else the focused one.
    var shownTask: BoardTask? {
        if case .detail(let task, _, _) = view { return board.task(task) }
        return board.slots[focus.slot]
    }

    var isTooSmall: Bool { size.columns < Self.minimum.columns || size.rows < Self.minimum.rows }
    var layout: BoardLayout { BoardLayout(size: size, headerRows: header.count, rest: board.rest.count) }
}
