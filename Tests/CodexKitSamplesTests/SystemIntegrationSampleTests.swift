import CodexKit
import Foundation
import Testing

@MainActor private var integrationServer: SampleServer?

@MainActor
private enum AgentDemoRuntimeFactory {
    struct NoServer: Error {}

    static func makeRestorableRuntimeForSystemIntegration() throws -> AgentRuntime {
        guard let server = integrationServer else { throw NoServer() }
        return try AgentRuntime(
            configuration: .init(
                authProvider: server.authProvider, secureStore: server.secureStore, backend: server.backend,
                approvalPresenter: server.approvalPresenter, stateStore: server.stateStore))
    }
}

/// The Linux twin of the documented App Intent: what a command, a menu entry or a timer of the desktop would run. The framework's
/// property wrappers and results are gone, the rest is the sample's.
private struct SummarizeImportedContent {
    static let title = "Summarize Imported Content"

    var text: String

    var link: URL?

    @MainActor
    func perform() async throws -> String {
        let runtime = try AgentDemoRuntimeFactory.makeRestorableRuntimeForSystemIntegration()
        _ = try await runtime.restore()

        guard await runtime.currentSession() != nil else {
            return "Sign in to the app first."
        }

        let thread = try await runtime.createThread(title: "Shortcut Summary")
        let request = Request(
            prompt: "Summarize this imported content in three short bullet points.",
            importedContent: .init(
                textSnippets: [text],
                urls: link.map { [$0] } ?? []
            )
        )

        let summary = try await runtime.send(
            request,
            in: thread.id
        )
        return summary
    }

    /// The same with the names of the first generation.
    @MainActor
    func performWithFormerNames() async throws -> String {
        let runtime = try AgentDemoRuntimeFactory.makeRestorableRuntimeForSystemIntegration()
        _ = try await runtime.restore()

        guard await runtime.currentSession() != nil else {
            return "Sign in to the app first."
        }

        let thread = try await runtime.createThread(title: "Shortcut Summary")
        let request = UserMessageRequest(
            prompt: "Summarize this imported content in three short bullet points.",
            importedContent: .init(
                textSnippets: [text],
                urls: link.map { [$0] } ?? []
            )
        )

        let summary = try await runtime.sendMessage(
            request,
            in: thread.id
        )
        return summary
    }
}

@MainActor
struct SystemIntegrationSampleTests {
    @Test func summarisesWithoutAScreen() async throws {
        let server = try await SampleServer(.says("- one\n- two\n- three"))
        integrationServer = server
        let intent = SummarizeImportedContent(text: "Much text.", link: URL(string: "https://example.com"))
        #expect(try await intent.perform() == "- one\n- two\n- three")
        #expect(try await intent.performWithFormerNames() == "- one\n- two\n- three")
        await server.stop()
    }

    /// The Linux twin of the background window: a delay inhibitor of logind in place of a background task.
    @Test func backgroundWindow() async throws {
        let server = try await SampleServer(.says("done"))
        let authProvider = server.authProvider, secureStore = server.secureStore, backend = server.backend
        let approvalPresenter = server.approvalPresenter, stateStore = server.stateStore
        // sample, with the provider of this system
        let runtime = try AgentRuntime(configuration: .init(
            // auth, backend, approvals, and persistence omitted
            authProvider: authProvider,
            secureStore: secureStore,
            backend: backend,
            approvalPresenter: approvalPresenter,
            stateStore: stateStore,
            backgroundActivityProvider: LogindBackgroundActivityProvider()
        ))
        // end of sample
        try await runtime.restore()
        let thread = try await runtime.createThread()
        #expect(try await runtime.send(Request(text: "x"), in: thread.id) == "done")
        await server.stop()
    }
}
