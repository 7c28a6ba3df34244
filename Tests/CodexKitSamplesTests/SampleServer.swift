import CodexKit
import Foundation
import JSON
import LocalServer
import Testing

// The prelude of the SDK's documented samples: the values that they use without making them. The samples themselves stand word for
// word in the files beside this one, between the lines `sample` and `end of sample`.

/// A server that answers as the service does, and what belongs to a runtime that talks to it.
struct SampleServer {
    let server: LocalServer
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("codexkit-samples-" + UUID().uuidString)

    /// - Parameter answers: One after the other, the last again and again.
    init(_ answers: [JSONValue]...) async throws {
        server = try await LocalServer(answers: answers.map { .events($0) })
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    init(_ server: LocalServer) { self.server = server }

    func stop() async {
        await server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    var authProvider: any ChatGPTAuthProviding { NoSignIn() }
    var secureStore: any SessionSecureStoring { InMemorySessionStore(session: .sample) }
    var approvalPresenter: any ApprovalPresenting { FixedApprovalPresenter(.approved) }
    var stateStore: any RuntimeStateStoring { FileRuntimeStateStore(url: folder.appendingPathComponent("state.json")) }

    var backend: CodexResponsesBackend {
        var configuration = CodexResponsesBackendConfiguration(model: "gpt-5.4", requestRetryPolicy: .disabled)
        configuration.baseURL = URL(string: server.url) ?? configuration.baseURL
        return CodexResponsesBackend(configuration: configuration)
    }

    /// A runtime with a session.
    func runtime(tools: [AgentRuntime.ToolRegistration] = [], fetcher: any AgentResourceFetching = HTTPResourceFetcher()) async throws -> AgentRuntime {
        let runtime = try AgentRuntime(
            configuration: .init(
                authProvider: authProvider, secureStore: secureStore, backend: backend, approvalPresenter: approvalPresenter,
                stateStore: stateStore, tools: tools, resourceFetcher: fetcher))
        try await runtime.restore()
        return runtime
    }

    /// The body of the request with this number.
    func body(_ index: Int) async throws -> JSONValue { try #require(await server.requests()[index].json) }
}

struct NoSignIn: ChatGPTAuthProviding {
    func signInInteractively() async throws -> ChatGPTSession { .sample }
    func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession { session }
}

extension ChatGPTSession {
    static let sample = ChatGPTSession(
        accessToken: "access", account: ChatGPTAccount(id: "account", email: "ada@example.com", plan: .plus, name: " Ada "))
}

extension [JSONValue] {
    static func says(_ text: String) -> Self { ResponsesScript.text([text]) }
    static func calls(_ tool: String) -> Self {
        [ResponsesScript.created(), ResponsesScript.functionCall(tool, arguments: "{}", call: "call_\(tool)"), ResponsesScript.completed()]
    }
}

extension AgentRuntime.ToolRegistration {
    static func sample(_ name: String) -> Self {
        Self(
            definition: ToolDefinition(name: name, description: "Does \(name).", inputSchema: ["type": "object", "properties": [:]]),
            executor: AnyToolExecutor { call, _ in .success(invocation: call, text: "done") })
    }
}

extension AgentEventStream {
    /// The text of the turn's last message.
    func answer() async throws -> String? {
        var text: String?
        for try await event in self { if case .turnCompleted(let summary) = event { text = summary.finalMessage?.text } }
        return text
    }
}
