import CodexKit

/// Something that the pretended model says at a moment.
struct DemoBeat: Hashable, Sendable {
    /// In time since the beginning of the demo.
    var at: Duration
    var events: [AgentBackendEvent]
    /// What ends the answer instead of its completion.
    var failure: AgentRuntimeError?

    /// Text comes in pieces of this much time: nobody reads along with six tasks, and each piece wakes the process.
    static let usualInterval = Duration.milliseconds(2_500)
    /// The same for an answer to somebody who watches it come.
    static let visitInterval = Duration.milliseconds(250)

    static func beats(
        of answer: DemoScene.Answer, id: String, usage: AgentUsage, from start: Duration, to end: Duration, interval: Duration
    ) -> [DemoBeat] {
        let pieces = pieces(of: answer.text, atMost: max(1, Int((end - start) / interval)))
        var beats = pieces.enumerated().map { index, piece in
            DemoBeat(at: start + (end - start) * (index + 1) / (pieces.count + 1), events: [.textDelta(itemID: id, delta: piece)])
        }
        beats.insert(DemoBeat(at: start, events: [.started(id: id, model: ScriptedBackend.model)]), at: 0)
        var last: [AgentBackendEvent] = []
        if !answer.text.isEmpty { last.append(.message(AgentBackendMessage(id: id, text: answer.text))) }
        switch answer {
        case .step(let step, _):
            last.append(.functionCall(AgentFunctionCall(callID: "call_" + id, name: step.call.tool, arguments: step.call.json)))
        case .end(.failure(_, let reason), _):
            return beats + [DemoBeat(at: end, events: last, failure: AgentRuntimeError(code: .demoFailure, message: reason))]
        case .end(.answer, _): break
        }
        return beats + [DemoBeat(at: end, events: last + [.completed(AgentBackendCompletion(responseID: id, usage: usage))])]
    }

    /// A text in at most so many pieces of whole words.
    private static func pieces(of text: String, atMost count: Int) -> [String] {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let size = max(1, (words.count + count - 1) / count)
        return stride(from: 0, to: text.isEmpty ? 0 : words.count, by: size).map { start in
            let piece = words[start..<min(start + size, words.count)].joined(separator: " ")
            return start == 0 ? piece : " " + piece
        }
    }
}

extension AgentRuntimeError.Code {
    /// A failure that belongs to the play.
    static let demoFailure = Self(rawValue: "demo_failure")
}

extension DemoScene.Call {
    var json: String { String(decoding: arguments.encoded(), as: UTF8.self) }
}
