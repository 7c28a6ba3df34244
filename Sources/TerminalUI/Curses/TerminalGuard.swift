import CCurses

/// Gives the terminal back, its mouse included, where nobody else can any more: after a trap, an abort, Ctrl-\ or an `exit` far away.
/// Only SIGKILL goes past it.
///
/// All use of the guard in the C header is in this file, because its state exists once for each file that uses it.
enum TerminalGuard {
    /// Notes how the terminal is now, and watches. Call before the terminal is changed.
    ///
    /// - Returns: `false` when the standard input is no terminal, or the guard is on watch already.
    static func begin() -> Bool { deck_guard_begin() }

    /// The terminal is as it was; whoever handled those signals before does again.
    static func end() { deck_guard_end() }
}
