import CodexKit
import FoundationEssentials

/// Answers each request with the next text; calls the tool `rm` instead of saying `call`.
actor TestBackend: AgentBackend {
    nonisolated let defaultModel = "test"
    nonisolated let baseInstructions: String? = nil
    private var answers: [String]

    init(_ answers: String...) { self.answers = answers }

    private func next() -> String { answers.count > 1 ? answers.removeFirst() : answers[0] }

    nonisolated func respond(to request: AgentBackendRequest, as sessions: any AgentSessionProviding) -> AgentTurnStream {
        AgentTurnStream { continuation in
            let task = Task {
                let answer = await self.next()
                switch answer {
                case "call": continuation.yield(.functionCall(AgentFunctionCall(callID: UUID().uuidString, name: "rm", arguments: "{}")))
                case "fail": return continuation.finish(throwing: AgentRuntimeError(code: .serverFailed, message: "The server failed."))
                default:
                    continuation.yield(.textDelta(itemID: "m", delta: answer))
                    continuation.yield(.message(AgentBackendMessage(id: "m", text: answer)))
                }
                continuation.yield(.completed(AgentBackendCompletion(responseID: "r")))
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

struct NoSignIn: ChatGPTAuthProviding {
    func signInInteractively() async throws -> ChatGPTSession { throw AgentRuntimeError(code: .signInCancelled, message: "You gave up.") }

    func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession { session }
}

extension ChatGPTSession {
    static let test = ChatGPTSession(
        accessToken: "access", account: ChatGPTAccount(id: "account", email: "ada@example.com", plan: .plus), isExternallyManaged: true)
}

func makeRuntime(_ backend: TestBackend, approvals: any ApprovalPresenting = WaitingApprovalPresenter()) throws -> AgentRuntime {
    try AgentRuntime(
        configuration: .init(
            authProvider: NoSignIn(), secureStore: InMemorySessionStore(), backend: backend, approvalPresenter: approvals,
            stateStore: InMemoryRuntimeStateStore(),
            tools: [
                .init(
                    definition: ToolDefinition(name: "rm", description: "Removes.", inputSchema: [:], approvalPolicy: .requiresApproval),
                    executor: AnyToolExecutor { call, _ in .success(invocation: call, text: "gone") })
            ]))
}
