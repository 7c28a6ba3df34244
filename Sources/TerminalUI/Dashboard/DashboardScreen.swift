import DeckClient
import RelayProtocol

/// The dashboard as a value: messages go in, effects and rows come out. It knows no terminal.
public struct DashboardScreen: Sendable {
    /// The smallest terminal in which everything has its place.
    public static let minimum = ScreenSize(columns: 40, rows: 12)

    /// What fills the middle of the screen. A further view is a case here, a type that makes its rows, and its keys.
    enum View: Sendable, Equatable {
        case board
        /// Scrolled down by that many rows.
        case help(offset: Int)
        /// With that one of `Keycap.allCases` chosen.
        case keycaps(chosen: Int)
    }

    public let glyphs: GlyphSet
    let localTime: @Sendable (UnixMilliseconds) -> LocalTime
    public internal(set) var size: ScreenSize
    var board = Board.empty
    var hasBoard = false
    var nodes: [NodeSummary]?
    var now: UnixMilliseconds
    var focus = Focus()
    var view = View.board
    var prompt: AnswerPrompt?
    var receipt: ReceiptLine?

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
        case .board(let board, let now): take(board, now: now)
        case .nodes(let nodes): self.nodes = nodes
        case .clock(let now): self.now = now
        case .resize(let size): self.size = size
        case .receipt(let line): receipt = line
        case .key(let key): return press(key)
        }
        return []
    }

    private mutating func take(_ board: Board, now: UnixMilliseconds) {
        self.board = board
        self.now = now
        hasBoard = true
        focus.follow(board)
        if let obstacle = prompt?.obstacle(on: board) {
            prompt = nil
            receipt = ReceiptLine(obstacle, .warning)
        }
    }

    var focused: BoardTask? { board.slots[focus.slot] }
    var isTooSmall: Bool { size.columns < Self.minimum.columns || size.rows < Self.minimum.rows }
    var layout: BoardLayout { BoardLayout(size: size, headerRows: header.count, rest: board.rest.count) }
}
