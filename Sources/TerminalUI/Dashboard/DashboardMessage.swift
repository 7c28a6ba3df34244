import DeckClient
import RelayProtocol

/// The size of a terminal in cells; 0 is possible.
public struct ScreenSize: Sendable, Hashable {
    public var columns: Int
    public var rows: Int

    /// Negative numbers count as 0.
    public init(columns: Int, rows: Int) {
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
    }
}

/// A key of the keyboard.
public enum Key: Sendable, Hashable {
    case character(Character)
    case up, down, left, right, home, end, pageUp, pageDown
    case tab, backTab, enter, escape
}

/// What happens to the dashboard.
public enum DashboardMessage: Sendable {
    /// A newly merged board, and the time of the merge by our clock.
    case board(Board, now: UnixMilliseconds)
    /// All nodes, those that were never heard included. Without this message the header shows the computers of the board.
    case nodes([NodeSummary])
    case key(Key)
    case resize(ScreenSize)
    case clock(UnixMilliseconds)
    case receipt(ReceiptLine)
}

/// A node in the header.
public struct NodeSummary: Sendable, Equatable {
    /// As the profile or the node has it: may hold anything a terminal must not see.
    public var name: String
    /// `nil` before the node said what it is.
    public var badge: HostBadge?
    public var health: HostHealth

    public init(name: String, badge: HostBadge?, health: HostHealth) {
        self.name = name
        self.badge = badge
        self.health = health
    }

    init(_ computer: Board.Computer) { self.init(name: computer.name, badge: computer.badge, health: computer.health) }
}

/// What the dashboard asks of its driver.
public enum DashboardEffect: Sendable, Hashable {
    case open(TaskIdentity)
    /// Open that very task, and approve it once it is shown open. The user confirmed it.
    case approve(TaskIdentity)
    /// Open that very task, and decline it once it is shown open. The user confirmed it.
    case decline(TaskIdentity)
    /// Never ``Keycap/approve`` or ``Keycap/reject``. Without a task it is meant for the selected computer.
    case keycap(Keycap, TaskIdentity?)
    /// Try all nodes that are away again, now.
    case reconnect
    /// Draw everything anew; ``Dashboard`` does it itself.
    case redraw
    case quit
}

/// How far a command is, in one line.
public struct ReceiptLine: Sendable, Hashable {
    public enum Kind: Sendable, Hashable { case progress, success, warning, failure }

    /// May hold anything a terminal must not see.
    public var text: String
    public var kind: Kind

    public init(_ text: String, _ kind: Kind) {
        self.text = text
        self.kind = kind
    }
}
