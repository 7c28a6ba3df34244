import Log

/// How much a line matters: debug, info, notice, warning or error.
public typealias AgentLogLevel = Log.LogLevel
/// One line of the developer log.
public typealias AgentLogRecord = Log.LogRecord
/// Where lines go; called from any thread.
public typealias AgentLogSink = Log.LogSink

/// The part of the library that a line is about.
public enum AgentLogCategory: String, CaseIterable, Hashable, Sendable {
    case auth, network, retry, runtime, persistence, tools, approvals, skills, structuredOutput, memory, compaction, background
}

/// What the developer of a program wants to hear of what happens inside.
///
/// Lines name threads, turns and tools by their ids. Texts of the conversation, arguments and results of tools are never logged,
/// and what looks like a token is masked in everything else.
public struct AgentLogging: Sendable {
    /// Lines below it are not made.
    public let minimumLevel: AgentLogLevel
    /// Lines of other categories are not made.
    public let categories: Set<AgentLogCategory>
    private let sink: (any AgentLogSink)?

    /// - Parameter sink: Where lines go; `category` in them is one of ``AgentLogCategory`` by its raw value.
    public init(
        sink: any AgentLogSink, minimumLevel: AgentLogLevel = .info, categories: Set<AgentLogCategory> = Set(AgentLogCategory.allCases)
    ) {
        self.sink = sink
        self.minimumLevel = minimumLevel
        self.categories = categories
    }

    /// Calls a closure for each line, from any thread.
    public init(
        minimumLevel: AgentLogLevel = .info, categories: Set<AgentLogCategory> = Set(AgentLogCategory.allCases),
        write: @escaping @Sendable (AgentLogRecord) -> Void
    ) {
        self.init(sink: ClosureSink(body: write), minimumLevel: minimumLevel, categories: categories)
    }

    private init() {
        sink = nil
        minimumLevel = .error
        categories = []
    }

    /// Nothing is logged.
    public static let disabled = AgentLogging()

    /// Whether a line would be written, for callers that would have to prepare it.
    public func isEnabled(_ level: AgentLogLevel, _ category: AgentLogCategory) -> Bool {
        sink != nil && level >= minimumLevel && categories.contains(category)
    }

    /// Writes a line, masked; the text is not made when nobody wants it.
    public func log(_ level: AgentLogLevel, _ category: AgentLogCategory, _ message: @autoclosure () -> String) {
        guard isEnabled(level, category) else { return }
        sink?.write(AgentLogRecord(level: level, category: category.rawValue, message: redact(message())))
    }
}

private struct ClosureSink: AgentLogSink {
    let body: @Sendable (AgentLogRecord) -> Void
    func write(_ record: AgentLogRecord) { body(record) }
}
