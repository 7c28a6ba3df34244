import CodexKit
import Synchronization

/// A question of the model to a person, with answers to choose from.
public struct AgentQuestion: Hashable, Sendable {
    /// The tool call that asks.
    public var id: String
    public var threadID: String
    public var text: String
    /// One or more; the first is what the model would do.
    public var options: [String]
}

/// The tool with which a model asks a person, and the questions that wait. One per thread at a time, as turns call one tool after another.
public final class AgentQuestions: Sendable {
    private struct Waiting {
        let question: AgentQuestion
        let continuation: CheckedContinuation<String, any Error>
    }

    private struct State {
        var waiting: [String: Waiting] = [:]
        var onChange: (@Sendable (_ threadID: String) -> Void)?
    }

    private let state = Mutex(State())

    public init() {}

    /// Called on no particular thread when a question came to a thread or went.
    public func follow(_ onChange: @escaping @Sendable (_ threadID: String) -> Void) { state.withLock { $0.onChange = onChange } }

    /// The question that a thread waits with.
    public func pending(in threadID: String) -> AgentQuestion? { state.withLock { $0.waiting[Self.key(threadID)]?.question } }

    /// Ids of threads are UUIDs, which some write in capitals.
    private static func key(_ threadID: String) -> String { threadID.lowercased() }

    /// Answers a thread's question with one of its options.
    ///
    /// - Parameters:
    ///   - id: The question that is meant; `nil` for any.
    ///   - option: From 0.
    /// - Returns: Whether it waited: the first answer counts.
    @discardableResult
    public func answer(_ threadID: String, id: String? = nil, option: Int) -> Bool {
        let waiting = state.withLock { state -> Waiting? in
            guard let found = state.waiting[Self.key(threadID)], id == nil || found.question.id == id, found.question.options.indices.contains(option)
            else { return nil }
            return state.waiting.removeValue(forKey: Self.key(threadID))
        }
        guard let waiting else { return false }
        waiting.continuation.resume(returning: waiting.question.options[option])
        tell(threadID)
        return true
    }

    private func tell(_ threadID: String) { state.withLock { $0.onChange }?(threadID) }

    // MARK: The tool

    public static let toolName = "ask_user"

    public static let definition = ToolDefinition(
        name: toolName, description: "Asks the user a question and waits for one of the answers that you offer.",
        inputSchema: [
            "type": "object",
            "properties": [
                "question": ["type": "string", "description": "One sentence."],
                "options": [
                    "type": "array", "items": ["type": "string"], "minItems": 1, "maxItems": 6,
                    "description": "What may be answered, your suggestion first.",
                ],
            ],
            "required": ["question", "options"],
        ])

    /// The tool, to be registered with a runtime.
    public var registration: AgentRuntime.ToolRegistration {
        AgentRuntime.ToolRegistration(
            definition: Self.definition,
            executor: AnyToolExecutor { [self] invocation, _ in
                let arguments = invocation.arguments
                let options = arguments["options"]?.array?.compactMap(\.string).filter { !$0.isEmpty } ?? []
                guard let text = arguments["question"]?.string, !text.isEmpty, (1...6).contains(options.count) else {
                    throw ToolFailure("Give a question and one to six options.")
                }
                let question = AgentQuestion(id: invocation.id, threadID: invocation.threadID, text: text, options: options)
                return .success(invocation: invocation, text: try await wait(for: question))
            })
    }

    private func wait(for question: AgentQuestion) async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let former = state.withLock { state in
                    state.waiting.updateValue(Waiting(question: question, continuation: continuation), forKey: Self.key(question.threadID))
                }
                former?.continuation.resume(throwing: CancellationError())
                // The cancellation may have come before there was anything to cancel.
                if Task.isCancelled { return withdraw(question) }
                tell(question.threadID)
            }
        } onCancel: {
            withdraw(question)
        }
    }

    private func withdraw(_ question: AgentQuestion) {
        let waiting = state.withLock { state -> Waiting? in
            let key = Self.key(question.threadID)
            return state.waiting[key]?.question == question ? state.waiting.removeValue(forKey: key) : nil
        }
        guard let waiting else { return }
        waiting.continuation.resume(throwing: CancellationError())
        tell(question.threadID)
    }
}
