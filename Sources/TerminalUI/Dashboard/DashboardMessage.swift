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
    case shiftUp, shiftDown, shiftLeft, shiftRight
    case tab, backTab, enter, escape, backspace
    /// 1 … 12.
    case function(Int)
}

/// Something done with the mouse; rows and columns count from 0 at the top left.
public struct MouseEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable { case click, wheelUp, wheelDown }

    public var kind: Kind
    public var row: Int
    public var column: Int

    public init(_ kind: Kind, row: Int, column: Int) {
        self.kind = kind
        self.row = row
        self.column = column
    }
}

/// What happens to the dashboard.
public enum DashboardMessage: Sendable {
    /// Something is known anew, and the time of it by our clock.
    case state(ClientState, now: UnixMilliseconds)
    /// `at` counts milliseconds on a clock that never goes back, to tell a held key from a pressed one.
    case key(Key, at: Int64 = 0)
    /// Text that was put in at once; it presses no keys.
    case paste(String)
    case mouse(MouseEvent)
    case resize(ScreenSize)
    case clock(UnixMilliseconds)
    case receipt(ReceiptLine)
    /// How pairing ended: with success, or with the reason why not.
    case paired(ReceiptLine)
    /// How a test of a node ended, by the id of its profile.
    case tested(String, NodeTest)
    /// The user wants to see that task, wherever the wish was uttered.
    case show(TaskIdentity)
}

/// How a test of a node ended.
public enum NodeTest: Sendable, Equatable {
    case running
    /// Milliseconds from dialling to the first snapshot.
    case answered(milliseconds: Int)
    /// A sentence.
    case failed(String)
}

/// A change of the settings.
public enum SettingEdit: Sendable, Hashable {
    /// The word as ``ClientSetting/value(ofWord:)`` takes it; `nil` takes the setting out, so that its default counts.
    case set(key: String, word: String?)
    /// `nil` puts back what the profile brings.
    case assign(Keycap?, ActionSlot)
    /// Puts all keys of the profile in use back.
    case resetLayout
    /// Copies the keys of a computer into the profile in use; it learns nothing of it.
    case importKeys(KeyLayout)
}

/// What the dashboard asks of its driver.
public enum DashboardEffect: Sendable, Equatable {
    /// Carry out a command. Approvals, declines and resets were confirmed by the user.
    case perform(ClientRequest)
    case apply(ClientChange)
    case edit(SettingEdit)
    /// Pair with the node of that link, which holds a token.
    case pair(String)
    /// Connect once to the node of that profile, and tell how it went.
    case test(String)
    /// Put text without anything private into the clipboard of the terminal; ``Dashboard`` does it itself.
    case copy(String)
    /// Draw everything anew; ``Dashboard`` does it itself.
    case redraw
    /// Ring the terminal's bell; ``Dashboard`` does it itself.
    case bell
    case quit

    public static let reconnect = Self.apply(.reconnect)
    public static func open(_ task: TaskIdentity) -> Self { .perform(.open(task)) }
    public static func approve(_ task: TaskIdentity) -> Self { .perform(.approve(task)) }
    public static func decline(_ task: TaskIdentity) -> Self { .perform(.decline(task)) }
    public static func keycap(_ keycap: Keycap, _ task: TaskIdentity?) -> Self { .perform(.keycap(keycap, task)) }
}

/// How far a command is, in one line.
public struct ReceiptLine: Sendable, Hashable {
    public enum Kind: Sendable, Hashable { case progress, success, warning, failure }

    /// May hold anything a terminal must not see.
    public var text: String
    public var kind: Kind
    /// What was asked, to be shown before the text as far as there is room.
    public var request = ""

    public init(_ text: String, _ kind: Kind) {
        self.text = text
        self.kind = kind
    }

    /// A step of a command, with the command.
    public init(_ receipt: ReceiptRecord) {
        let kind: Kind =
            switch receipt.step {
            case .sending, .confirmedByHost: .progress
            case .finished(.success, _, _): .success
            case .finished(.warning, _, _): .warning
            case .finished(.failure, _, _): .failure
            }
        self.init(receipt.sentence, kind)
        let subject = receipt.title.isEmpty ? receipt.hostName : receipt.title
        request = receipt.action + (subject.isEmpty ? "" : " " + subject)
    }
}
