import Glibc

/// What is known about the terminal at a descriptor.
public enum Terminal {
    public static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

    /// The width to write for: `COLUMNS` when it is a number from 1 to 10000, else what the terminal says, else 80.
    public static func columns(environment: [String: String], descriptor: CInt = STDOUT_FILENO) -> Int {
        if let text = environment["COLUMNS"], let columns = Int(text), (1...10000).contains(columns) { return columns }
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return 80
    }

    /// Whether the locale writes UTF-8.
    public static func isUTF8(environment: [String: String]) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let encoding = locale.split(separator: ".").dropFirst().first?.prefix { $0 != "@" }.lowercased()
        return encoding == "utf-8" || encoding == "utf8"
    }
}

/// Whether to colour what is printed.
public enum ColorPolicy: String, Sendable, CaseIterable {
    case automatic = "auto"
    case always, never

    /// Decides for one descriptor. Without an explicit choice `NO_COLOR` counts first, then `CLICOLOR_FORCE`, then `TERM=dumb`, then
    /// whether a terminal is there.
    public func allowsColor(environment: [String: String], isTerminal: Bool) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .automatic:
            if let value = environment["NO_COLOR"], !value.isEmpty { return false }
            if let value = environment["CLICOLOR_FORCE"], !value.isEmpty, value != "0" { return true }
            guard let term = environment["TERM"], !term.isEmpty, term != "dumb" else { return false }
            return isTerminal
        }
    }
}

/// Colours words, or leaves them as they are.
public struct Paint: Sendable {
    public let isColored: Bool

    public init(isColored: Bool) { self.isColored = isColored }

    public func bold(_ text: String) -> String { wrap(text, "1") }
    public func dim(_ text: String) -> String { wrap(text, "2") }
    public func red(_ text: String) -> String { wrap(text, "31") }
    public func green(_ text: String) -> String { wrap(text, "32") }
    public func yellow(_ text: String) -> String { wrap(text, "33") }
    public func cyan(_ text: String) -> String { wrap(text, "36") }

    private func wrap(_ text: String, _ code: String) -> String { isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
