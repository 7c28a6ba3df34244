import CCurses
import Glibc

/// The terminal, drawn with ncurses. One at a time in a process, and used from one thread.
///
/// `@unchecked Sendable`: ncurses has one global screen; whoever owns this uses it on its loop's thread only.
public final class CursesTerminal: @unchecked Sendable {
    /// Why there is no full-screen terminal.
    public struct Unavailable: Error, Equatable, CustomStringConvertible {
        public let description: String

        static let notOne = Self(description: "The dashboard needs a terminal to read from and to draw in; use `deckclient watch --plain`.")
        static let unknown = Self(
            description: "The terminal is not one that can be drawn in (TERM is not set or not known); use `deckclient watch --plain`.")
    }

    /// Whether the locale lets Unicode through; else only ASCII may be drawn.
    public let isUnicode: Bool
    private let screen: OpaquePointer
    private var styles: StyleMap
    private var pairs: [Int: Int16] = [:]
    private var drawn: [StyledLine] = []
    private var isOpen = true
    /// Where the clock of the input begins.
    private let opened = ContinuousClock.now
    /// The character that suspends, Ctrl-Z mostly; negative when none does.
    private let suspendKey: Int32
    /// Whether the terminal is of a kind that may know how to.
    private let marksPastes: Bool
    private var input = TerminalInput()
    private var clicks: [MouseEvent] = []

    /// Takes the terminal over: full screen, no echo, keys as they come.
    ///
    /// - Parameters:
    ///   - colored: `false` keeps to the terminal's own colours.
    ///   - wantsUnicode: Whether the environment asks for UTF-8, also when its locale is not installed.
    public init(theme: Theme, colored: Bool, wantsUnicode: Bool) throws(Unavailable) {
        let isKnown = setlocale(LC_CTYPE, "") != nil && deck_is_utf8()
        if !isKnown, wantsUnicode { setlocale(LC_CTYPE, "C.UTF-8") }
        isUnicode = deck_is_utf8()
        guard isatty(STDOUT_FILENO) == 1, TerminalGuard.begin() else { throw .notOne }
        guard let screen = deck_new_screen() else {
            TerminalGuard.end()
            throw .unknown
        }
        self.screen = screen
        cbreak()
        noecho()
        nonl()
        keypad(deck_screen(), true)
        nodelay(deck_screen(), true)
        // An Escape key is told from an escape sequence by the time that passes; the default second is felt.
        set_escdelay(25)
        curs_set(0)
        suspendKey = deck_take_suspend_key()
        deck_use_mouse()
        marksPastes = has_mouse()
        var colors = 0
        if colored, start_color() == OK, use_default_colors() == OK { colors = Int(deck_colors()) }
        styles = StyleMap(colors: colors, theme: theme)
        markPastes(true)
    }

    /// Gives the terminal back as it was. Nothing is drawn after this.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        markPastes(false)
        endwin()
        TerminalGuard.end()
        delscreen(screen)
    }

    deinit { close() }

    public var size: ScreenSize {
        var columns: Int32 = 0
        var rows: Int32 = 0
        // 0 × 0 is what a serial line says: then what the terminal's description has counts.
        if deck_window_size(STDOUT_FILENO, &columns, &rows) { return ScreenSize(columns: Int(columns), rows: Int(rows)) }
        return ScreenSize(columns: Int(getmaxx(deck_screen())), rows: Int(getmaxy(deck_screen())))
    }

    /// Takes the terminal back after the process was stopped: meanwhile a shell had it.
    public func resume() {
        guard isOpen else { return }
        reset_prog_mode()
        // Else the first arrow key would come in the form that ncurses does not read.
        keypad(deck_screen(), true)
        markPastes(true)
        resize()
    }

    /// Takes the colours of another theme.
    ///
    /// - Returns: Whether it is another one.
    public func use(_ theme: Theme) -> Bool {
        guard theme != styles.theme else { return false }
        styles = StyleMap(colors: styles.colors, theme: theme)
        invalidate()
        return true
    }

    /// Follows a changed size.
    public func resize() {
        guard isOpen else { return }
        let size = size
        resizeterm(Int32(max(size.rows, 1)), Int32(max(size.columns, 1)))
        invalidate()
    }

    /// Forgets what was drawn, so that the next rows are drawn whole.
    public func invalidate() {
        guard isOpen else { return }
        drawn = []
        clearok(deck_screen(), true)
        werase(deck_screen())
    }

    /// Lets go of the terminal, and stops the process until somebody lets it go on.
    ///
    /// - Parameter withGroup: Whether the other processes of the job have not heard of it: nobody but the terminal tells them.
    public func suspend(withGroup: Bool) {
        guard isOpen else { return }
        markPastes(false)
        endwin()
        JobControl.stop(withGroup: withGroup)
        resume()
    }

    /// Draws the rows that differ from those before; ncurses then sends only the cells that differ.
    public func draw(_ rows: [StyledLine]) {
        // In a single column ncurses 6.4 reads the cell left of the first one to fill the last corner, and shows what lies there in memory.
        let rows = getmaxx(deck_screen()) < 2 ? [] : rows
        guard isOpen, rows != drawn || drawn.isEmpty else { return }
        for (index, row) in rows.enumerated() where !drawn.indices.contains(index) || drawn[index] != row {
            guard wmove(deck_screen(), Int32(index), 0) == OK else { continue }
            // Before the text: after a row that fills the last column the cursor stands on the next one.
            deck_set_attributes(0, 0)
            wclrtoeol(deck_screen())
            for span in row.spans { draw(span) }
        }
        drawn = rows
        wrefresh(deck_screen())
    }

    private func draw(_ span: Span) {
        let look = styles.look(span.style)
        deck_set_attributes(deck_attributes(look.isBold, look.isDim, look.isReversed), look.color.map(pair) ?? 0)
        var cells: [wchar_t] = []
        for scalar in span.text.unicodeScalars {
            let width = CellWidth.columns(scalar)
            let value = wchar_t(bitPattern: scalar.value)
            if scalar.isASCII || deck_width(value) == Int32(width) {
                cells.append(value)
            } else {
                // The C library counts this character otherwise: a stand-in keeps everything to its right in place.
                cells += Array(repeating: wchar_t(0x3f), count: width)
            }
        }
        waddnwstr(deck_screen(), cells, Int32(cells.count))
    }

    /// The pair of a colour on the terminal's own background, made at its first use.
    private func pair(_ color: Int) -> Int16 {
        if let pair = pairs[color] { return pair }
        let pair = Int16(pairs.count + 1)
        guard Int32(pair) < deck_pairs(), init_pair(pair, Int16(color), -1) == OK else { return 0 }
        pairs[color] = pair
        return pair
    }

    /// What was typed, pasted or done with the mouse.
    public enum Input: Sendable, Hashable {
        case key(Key)
        case paste(String)
        case mouse(MouseEvent)
        /// The wish to stop and give the terminal to the shell.
        case suspend
    }

    /// What comes next; `nil` when there is nothing.
    public func nextInput() -> Input? {
        if !clicks.isEmpty { return .mouse(clicks.removeFirst()) }
        while isOpen {
            var code: wint_t = 0
            switch wget_wch(deck_screen(), &code) {
            case OK:
                switch input.take(code, at: Int64((ContinuousClock.now - opened) / .milliseconds(1))) {
                case .key(let code) where Int64(code) == Int64(suspendKey): return .suspend
                case .key(let code): if let key = Key(character: code) { return .key(key) }
                case .paste(let text): return .paste(text)
                case nil: continue
                }
            case KEY_CODE_YES:
                if Int32(bitPattern: code) == KEY_MOUSE {
                    clicks += mouseEvents()
                    if !clicks.isEmpty { return .mouse(clicks.removeFirst()) }
                } else if !input.isPasting, let key = Key(function: Int32(bitPattern: code)) {
                    return .key(key)
                }
            default:
                // Nothing came after it: it was the key itself.
                guard let code = input.end() else { return nil }
                return Key(character: code).map(Input.key)
            }
        }
        return nil
    }

    /// Asks the terminal to mark what is pasted, so that it presses no keys. Those that do not know it ignore it.
    private func markPastes(_ isOn: Bool) {
        guard marksPastes else { return }
        input = TerminalInput()
        send(Array("\u{1b}[?2004\(isOn ? "h" : "l")".utf8))
    }

    /// All that the mouse did since it was asked last, in order.
    private func mouseEvents() -> [MouseEvent] {
        var events: [MouseEvent] = []
        while true {
            var column: Int32 = 0
            var row: Int32 = 0
            let kind: MouseEvent.Kind
            switch deck_mouse(&column, &row) {
            case 1: kind = .click
            case 4: kind = .wheelUp
            case 5: kind = .wheelDown
            case 0: continue
            default: return events.reversed()
            }
            events.append(MouseEvent(kind, row: Int(row), column: Int(column)))
        }
    }

    public func ring() {
        if isOpen { beep() }
    }

    /// Hands text to the clipboard of the terminal, where the terminal lets programs do that.
    public func copy(_ text: String) {
        guard isOpen else { return }
        send(Array("\u{1b}]52;c;".utf8) + Clipboard.base64(Array(text.utf8)) + [0x07])
    }

    /// Sends bytes that are none of ncurses' concern.
    private func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    /// Whether the terminal has bytes to read. It was readable and has none: then it is gone.
    public var hasInput: Bool { deck_waiting(STDIN_FILENO) != 0 }
}
