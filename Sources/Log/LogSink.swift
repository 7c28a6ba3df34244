/// One line on its way to a sink.
public struct LogRecord: Sendable, Equatable {
    public var level: LogLevel
    /// The part of the program that speaks; may be empty.
    public var category: String
    public var message: String

    public init(level: LogLevel, category: String, message: String) {
        self.level = level
        self.category = category
        self.message = message
    }
}

/// Where lines go. Called from any thread, also from several at once.
public protocol LogSink: Sendable {
    func write(_ record: LogRecord)
}

/// Drops every line.
public struct SilentSink: LogSink {
    public init() {}
    public func write(_ record: LogRecord) {}
}
