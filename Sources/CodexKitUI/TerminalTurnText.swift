import CodexKit

/// Turns the events of a turn into text for a terminal: the answer as it comes, and a line for each thing that happens beside it.
public struct TerminalTurnText: Sendable {
    private var isInLine = false
    private var streamed = ""

    public init() {}

    /// What to print now; empty for most events.
    public mutating func text(for event: AgentEvent) -> String {
        switch event {
        case .assistantMessageDelta(_, _, let delta):
            isInLine = true
            streamed += delta
            return TerminalText.safe(delta)
        case .messageCommitted(let message): return message.role == .assistant ? committed(message) : ""
        case .toolCallStarted(let call): return line("→ \(call.toolName)")
        case .toolCallFinished(let result):
            return line(result.success ? "✓ \(result.toolName)" : "✗ \(result.toolName): \(result.errorMessage ?? "failed")")
        case .webSearch(let search): return search.status == .searching ? line("⌕ \(search.query ?? "the web")") : ""
        case .retrying(let attempt, _, let reason): return line("… attempt \(attempt): \(reason.message)")
        case .contextCompacted: return line("… the earlier conversation was summarised")
        case .approvalResolved(let resolution): return line("\(resolution.decision == .approved ? "allowed" : "denied"): \(resolution.toolName)")
        case .turnCompleted: return endLine()
        case .turnFailed(let error): return line("! \(error.message)")
        case .threadStarted, .threadStatusChanged, .turnStarted, .reasoningDelta, .approvalRequested, .structuredOutputPartial,
            .structuredOutputCommitted, .threadUpdated, .threadDeleted:
            return ""
        }
    }

    /// A message that did not come in pieces is printed whole.
    private mutating func committed(_ message: AgentMessage) -> String {
        var text = streamed.isEmpty ? TerminalText.safe(message.text) : ""
        if !text.isEmpty { isInLine = true }
        streamed = ""
        text += endLine()
        for image in message.images { text += "[\(TerminalText.line(image.mimeType, limit: 40)), \(image.data.count) bytes]\n" }
        return text
    }

    private mutating func line(_ text: String) -> String { endLine() + TerminalText.line(text, limit: 500) + "\n" }

    private mutating func endLine() -> String {
        defer { isInLine = false }
        return isInLine ? "\n" : ""
    }
}
