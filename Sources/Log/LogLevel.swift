/// How much a line matters, from the talkative to the serious.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error

    /// The priority of syslog and journald: 7 for debug … 3 for error.
    public var priority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.priority > right.priority }

    /// The lowest level to print: what the option says, else what the environment says, else `fallback`.
    ///
    /// - Parameters:
    ///   - option: The value of `--log-level`, if it was given.
    ///   - environment: The environment to read ``environmentVariable`` from; an empty value counts as unset.
    /// - Throws: ``LogLevelError`` when the value that counts is no level.
    public static func chosen(
        option: String?, environment: [String: String], fallback: LogLevel = .notice
    ) throws(LogLevelError) -> LogLevel {
        if let option { return try parse(option, from: "--log-level") }
        if let value = environment[environmentVariable], !value.isEmpty { return try parse(value, from: environmentVariable) }
        return fallback
    }

    /// The variable that sets the level when no option does.
    public static let environmentVariable = "CODEX_DECK_LOG"

    private static func parse(_ text: String, from source: String) throws(LogLevelError) -> LogLevel {
        guard let level = LogLevel(rawValue: text.lowercased()) else { throw LogLevelError(source: source) }
        return level
    }
}

/// A level that is none of ``LogLevel``.
public struct LogLevelError: Error, Equatable, CustomStringConvertible {
    /// The option or variable that holds it.
    public let source: String

    public var description: String {
        "\(source) must be one of " + LogLevel.allCases.map(\.rawValue).joined(separator: ", ") + "."
    }
}
