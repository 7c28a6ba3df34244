import CodexKit
import Synchronization

/// A model that says what a test has put down for it, one script for each question; a question without a script is answered with "ok".
final class FakeModel: AgentBackend {
    enum Step: Sendable {
        case say(String)
        case call(String, String)
        case use(tokens: Int)
        case fail(AgentRuntimeError)
        /// Waits until the turn is cancelled.
        case hang
        /// Waits until the gate is opened.
        case wait(Gate)
    }

    let defaultModel: String
    var baseInstructions: String? { nil }
    private let scripts: Mutex<[[Step]]>
    private let asked = Mutex<[AgentBackendRequest]>([])

    init(_ scripts: [[Step]] = [], model: String = "gpt-5.4") {
        self.scripts = Mutex(scripts)
        defaultModel = model
    }

    func add(_ script: [Step]) { scripts.withLock { $0.append(script) } }

    /// What the model was asked, in order.
    var requests: [AgentBackendRequest] { asked.withLock { $0 } }

    func respond(to request: AgentBackendRequest, as sessions: any AgentSessionProviding) -> AgentTurnStream {
        asked.withLock { $0.append(request) }
        let steps = scripts.withLock { $0.isEmpty ? [.say("ok")] : $0.removeFirst() }
        let number = asked.withLock { $0.count }
        return AgentTurnStream { continuation in
            let task = Task {
                do {
                    try await Self.play(steps, number, continuation)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private static func play(_ steps: [Step], _ number: Int, _ out: AgentTurnStream.Continuation) async throws {
        out.yield(.started(id: "r\(number)", model: nil))
        var usage: AgentUsage?
        for (index, step) in steps.enumerated() {
            let id = "i\(number)-\(index)"
            switch step {
            case .say(let text):
                out.yield(.textDelta(itemID: id, delta: text))
                out.yield(.message(AgentBackendMessage(id: id, text: text)))
            case .call(let name, let arguments):
                out.yield(.functionCall(AgentFunctionCall(callID: "c\(number)-\(index)", name: name, arguments: arguments)))
            case .use(let tokens): usage = AgentUsage(inputTokens: tokens, outputTokens: 0)
            case .fail(let error): throw error
            case .hang: try await Gate().wait()
            case .wait(let gate): try await gate.wait()
            }
        }
        out.yield(.completed(AgentBackendCompletion(responseID: "r\(number)", usage: usage)))
    }
}

/// Holds up whoever waits until it is opened, or until they are cancelled.
final class Gate: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func wait() async throws {
        for await _ in stream {}
        try Task.checkCancellation()
    }
}
