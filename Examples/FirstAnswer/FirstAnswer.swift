import CodexKit
import CodexKitUI
import FoundationEssentials
import Glibc

@main
struct FirstAnswer {
    static func main() async {
        do {
            try await answer(CommandLine.arguments.dropFirst().joined(separator: " "))
        } catch {
            print(error)
            exit(1)
        }
    }

    static func answer(_ question: String) async throws {
        // A local server can stand in for ChatGPT.
        let environment = ProcessInfo.processInfo.environment
        var auth = ChatGPTAuthConfiguration()
        if let issuer = environment["CODEXKIT_ISSUER"] { auth.issuer = issuer }
        var model = CodexResponsesBackendConfiguration(model: "gpt-5.4")
        if let base = environment["CODEXKIT_BASE_URL"].flatMap({ URL(string: $0) }) { model.baseURL = base }

        let runtime = try AgentRuntime(configuration: .init(
            authProvider: try ChatGPTAuthProvider(
                method: .deviceCode,
                deviceCodePresenter: TerminalDeviceCodePresenter { print($0) },
                configuration: auth
            ),
            secureStore: KeychainSessionSecureStore(service: "com.example.first-answer", account: "main"),
            backend: CodexResponsesBackend(configuration: model),
            approvalPresenter: FixedApprovalPresenter(.denied),
            stateStore: FileRuntimeStateStore(url: URL(filePath: "first-answer.json"))
        ))

        if try await runtime.restore().session == nil { try await runtime.signIn() }
        let thread = try await runtime.createThread(title: "First answer")
        for try await event in try await runtime.stream(Request(text: question), in: thread.id) {
            if case .assistantMessageDelta(_, _, let delta) = event {
                print(delta, terminator: "")
                fflush(nil)  // Each piece is to be seen when it comes.
            }
        }
        print()
    }
}
