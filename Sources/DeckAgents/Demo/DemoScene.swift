import CodexKit

/// One turn of a demo task, written down: what the pretended model says and calls, and how it goes on with either answer of a person.
struct DemoScene: Hashable, Sendable {
    /// A call of a pretended tool, with what that tool answers.
    struct Call: Hashable, Sendable {
        var tool: String
        var arguments: JSONValue
        var output: String
    }

    /// One answer of the model that calls a tool.
    struct Step: Hashable, Sendable {
        var text: String
        var call: Call
    }

    enum Ending: Hashable, Sendable {
        /// The last message of the turn.
        case answer(String)
        /// The turn fails: what was said before, and the sentence of the failure.
        case failure(String, reason: String)
    }

    struct Branch: Hashable, Sendable {
        var steps: [Step]
        var ending: Ending
    }

    /// The message of the person that begins the turn.
    var prompt: String
    /// The work before somebody is asked.
    var opening: [Step]
    /// The call that a person decides on; `nil` for a turn that asks nobody.
    var question: Step?
    /// What follows a yes, or the first option of a question; without a question what follows the opening.
    var accepted: Branch
    /// What follows a no, or another option.
    var declined: Branch

    /// What the model does next.
    enum Answer: Hashable, Sendable {
        case step(Step, Place)
        case end(Ending, Place)

        var place: Place { switch self { case .step(_, let place), .end(_, let place): place } }
        var text: String {
            switch self {
            case .step(let step, _): step.text
            case .end(.answer(let text), _), .end(.failure(let text, _), _): text
            }
        }
    }

    /// Where in the turn an answer stands: before the decision or after it.
    enum Place: Hashable, Sendable {
        case before(index: Int, count: Int)
        case after(index: Int, count: Int)
    }

    /// The answer that comes after some calls of this turn were made and answered.
    ///
    /// - Parameters:
    ///   - calls: How many calls were answered, from 0.
    ///   - wasAccepted: What became of the question, if it was answered.
    func answer(after calls: Int, wasAccepted: Bool) -> Answer {
        if calls < opening.count { return .step(opening[max(calls, 0)], .before(index: max(calls, 0), count: openingCount)) }
        var index = calls - opening.count
        if let question {
            if index == 0 { return .step(question, .before(index: opening.count, count: openingCount)) }
            index -= 1
        }
        let branch = wasAccepted || question == nil ? accepted : declined
        let place = question == nil ? Place.before(index: calls, count: openingCount) : .after(index: index, count: branch.steps.count + 1)
        return index < branch.steps.count ? .step(branch.steps[index], place) : .end(branch.ending, place)
    }

    /// The answers up to the question, or all of them when there is none.
    private var openingCount: Int { opening.count + (question == nil ? accepted.steps.count : 0) + 1 }

    /// Every call that may be made.
    var calls: [Call] { (opening + [question].compactMap(\.self) + accepted.steps + declined.steps).map(\.call) }

    /// The index of the call that a person decides on, among the calls of the turn.
    var questionIndex: Int? { question == nil ? nil : opening.count }
}
