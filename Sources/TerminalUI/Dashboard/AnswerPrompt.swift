import DeckClient
import RelayProtocol

/// The question before a task is approved or declined. It is about one task, whatever the focus does meanwhile.
struct AnswerPrompt: Sendable, Equatable {
    let answer: AnswerTransaction.Answer
    let task: TaskIdentity
    /// As the task was shown when the question was put.
    let title: String

    var effect: DashboardEffect {
        switch answer {
        case .approve: .approve(task)
        case .decline: .decline(task)
        }
    }

    /// Why it cannot be answered any more; `nil` while it can.
    func obstacle(on board: Board) -> String? {
        guard let found = board.task(task) else { return "\(CommandOutcome.missingTask)" }
        if found.offline { return "\(CommandOutcome.offlineHost(name: found.ownerName))" }
        return found.meaning == .waiting ? nil : "Already answered elsewhere."
    }

    /// The question, with so much of the title as leaves the end in sight.
    func line(columns: Int, _ glyphs: GlyphSet) -> StyledLine {
        let verb = answer == .approve ? "Approve" : "Decline"
        let around = " \(verb) \(glyphs.openQuote)\(glyphs.closeQuote)? y/n"
        let title = CellText.clipped(title, to: max(columns - CellWidth.columns(around), 1), glyphs)
        return StyledLine(" \(verb) \(glyphs.openQuote)\(title)\(glyphs.closeQuote)? y/n", .prompt).clipped(to: columns, glyphs)
    }
}
