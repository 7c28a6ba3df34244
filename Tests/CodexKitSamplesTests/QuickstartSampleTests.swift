import CodexKit
import CodexKitUI
import Foundation
import Testing

/// The quickstart as it is documented. It signs in at the real service, so here it is compiled only; `QuickstartRunTests` runs it.
@MainActor
private func quickstart() async throws {
    // sample
    let approvalInbox = ApprovalInbox()
    let deviceCodeCoordinator = DeviceCodePromptCoordinator()

    let runtime = try AgentRuntime(configuration: .init(
        authProvider: try ChatGPTAuthProvider(
            method: .deviceCode,
            deviceCodePresenter: deviceCodeCoordinator
        ),
        secureStore: KeychainSessionSecureStore(
            service: "CodexKit.ChatGPTSession",
            account: "main"
        ),
        backend: CodexResponsesBackend(
            configuration: .init(
                model: "gpt-5.4",
                reasoningEffort: .medium,
                enableWebSearch: true
            )
        ),
        approvalPresenter: approvalInbox,
        stateStore: FileRuntimeStateStore(
            url: FileManager.default.urls(
                for: .applicationSupportDirectory,
                in: .userDomainMask
            ).first!
            .appendingPathComponent("CodexKit/runtime-state.json")
        )
    ))

    let _ = try await runtime.signIn()
    let thread = try await runtime.createThread(title: "First Chat")
    let stream = try await runtime.streamMessage(
        UserMessageRequest(text: "Hello from iOS."),
        in: thread.id
    )
    // end of sample
    _ = stream
}
