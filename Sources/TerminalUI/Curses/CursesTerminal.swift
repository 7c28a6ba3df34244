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
    private var escapes = EscapeFilter()

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
        deck_use_mouse()
        var colors = 0
        if colored, start_color() == OK, use_default_colors() == OK { colors = Int(deck_colors()) }
        styles = StyleMap(colors: colors, theme: theme)
    }

    /// Gives the terminal back as it was. Nothing is drawn after this.
    public func close() {
        guard isOpen else { return }
        isOpen = false
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
    public func suspend() {
        guard isOpen else { return }
        endwin()
        JobControl.stop()
        resume()
    }

    /// Draws the rows that differ from those before; ncurses then sends only the cells that differ.
    public func draw(_ rows: [StyledLine]) {
        guard isOpen, rows != drawn else { return }
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

    /// What was typed or done with the mouse.
    public enum Input: Sendable, Hashable {
        case key(Key)
        case mouse(MouseEvent)
    }

    /// What comes next; `nil` when there is nothing.
    public func nextInput() -> Input? {
        while isOpen {
            var code: wint_t = 0
            switch wget_wch(deck_screen(), &code) {
            case OK:
                guard let code = escapes.take(code) else { continue }
                if let key = Key(character: code) { return .key(key) }
            case KEY_CODE_YES:
                if Int32(bitPattern: code) == KEY_MOUSE {
                    if let event = mouseEvent() { return .mouse(event) }
                } else if let key = Key(function: Int32(bitPattern: code)) {
                    return .key(key)
                }
            default:
                // Nothing came after it: it was the key itself.
                guard let code = escapes.end() else { return nil }
                return Key(character: code).map(Input.key)
            }
        }
        return nil
    }

    private func mouseEvent() -> MouseEvent? {
        var column: Int32 = 0
        var row: Int32 = 0
        let kind: MouseEvent.Kind
        switch deck_mouse(&column, &row) {
        case 1: kind = .click
        case 4: kind = .wheelUp
        case 5: kind = .wheelDown
        default: return nil
        }
        return MouseEvent(kind, row: Int(row), column: Int(column))
    }

    public func ring() {
        if isOpen { beep() }
    }

    /// Hands text to the clipboard of the terminal, where the terminal lets programs do that.
    public func copy(_ text: String) {
        guard isOpen else { return }
        let sequence = Array("\u{1b}]52;c;".utf8) + Clipboard.base64(Array(text.utf8)) + [0x07]
        var rest = sequence[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    /// Whether the terminal has bytes to read. It was readable and has none: then it is gone.
    public var hasInput: Bool { deck_waiting(STDIN_FILENO) != 0 }
}
