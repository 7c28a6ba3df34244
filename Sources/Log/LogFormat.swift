/// How a record becomes one line of text.
public enum LogFormat: Sendable, Equatable {
    /// `decknode: warning: relay: text`, for people.
    case human(program: String)
    /// `<4>relay: text`, which journald turns into a priority.
    case journal

    /// The longest line in UTF-8 bytes, without the newline; longer ones end in `…`.
    public static let maximumLength = 4096

    /// One line without its newline. Control characters, also those that foreign text brought in, are spelled out: a line
    /// stays a line, and nothing in it can command a terminal.
    public func line(_ record: LogRecord) -> String {
        var line = prefix(record.level)
        if !record.category.isEmpty { line += record.category + ": " }
        for scalar in record.message.unicodeScalars {
            if line.utf8.count > Self.maximumLength - 16 { return line + "…" }
            line.appendPrintable(scalar)
        }
        return line
    }

    private func prefix(_ level: LogLevel) -> String {
        switch self {
        case .human(let program): "\(program): \(level.rawValue): "
        case .journal: "<\(level.priority)>"
        }
    }
}

extension String {
    /// Appends the character, or its escape when it controls a terminal or reorders text.
    fileprivate mutating func appendPrintable(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
            append("\\u{" + String(scalar.value, radix: 16) + "}")
        default: unicodeScalars.append(scalar)
        }
    }
}
