import CodexKit
import CodexKitUI
import Foundation
import JSON
import LocalServer
import Testing

// The quickstart once more, word for word, and run: the names that lead to the real service and to this user's files stand here for
// the same types with a local server and a folder of the test's own.

@MainActor private var local: SampleServer?
@MainActor private var localURL: String { local?.server.url ?? "" }

@MainActor
private struct ChatGPTAuthProvider: ChatGPTAuthProviding {
    private let provider: CodexKit.ChatGPTAuthProvider

    init(method: CodexKit.ChatGPTAuthProvider.Method, deviceCodePresenter: any DeviceCodePresenting) throws {
        let configuration = ChatGPTAuthConfiguration(issuer: localURL)
        provider = try CodexKit.ChatGPTAuthProvider(method: method, deviceCodePresenter: deviceCodePresenter, configuration: configuration)
    }

    nonisolated func signInInteractively() async throws -> ChatGPTSession { try await provider.signInInteractively() }
    nonisolated func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession {
        try await provider.refresh(session: session, reason: reason)
    }
}

@MainActor
private func KeychainSessionSecureStore(service: String, account: String) -> CodexKit.KeychainSessionSecureStore {
    let environment = ["HOME": local?.folder.path ?? "/nowhere", "XDG_DATA_HOME": (local?.folder.path ?? "/nowhere") + "/data"]
    return CodexKit.KeychainSessionSecureStore(service: service, account: account, fallback: .alwaysFile, environment: environment)
}

@MainActor
private func CodexResponsesBackend(configuration: CodexResponsesBackendConfiguration) -> CodexKit.CodexResponsesBackend {
    var configuration = configuration
    configuration.baseURL = URL(string: localURL + "/codex") ?? configuration.baseURL
    return CodexKit.CodexResponsesBackend(configuration: configuration)
}

@MainActor
private enum FileManager {
    struct Local {
        func urls(for directory: Foundation.FileManager.SearchPathDirectory, in mask: Foundation.FileManager.SearchPathDomainMask) -> [URL] {
            [MainActor.assumeIsolated { local?.folder ?? URL(fileURLWithPath: "/nowhere") }]
        }
    }

    static let `default` = Local()
}

@MainActor
struct QuickstartRunTests {
    private func quickstart() async throws -> AgentEventStream {
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
        return stream
    }

    @Test func signsInAndStreams() async throws {
        let token = Self.token
        let server = try await LocalServer { request in
            switch request.path {
            case "/api/accounts/deviceauth/usercode": .json(200, ["device_auth_id": "d", "user_code": "AB-12", "interval": "0"])
            case "/api/accounts/deviceauth/token": .json(200, ["authorization_code": "code", "code_verifier": "verifier"])
            case "/oauth/token": .json(200, ["id_token": .string(token), "access_token": .string(token), "refresh_token": "refresh"])
            default: .events(ResponsesScript.text(["Hello", " from the server."]))
            }
        }
        let sample = SampleServer(server)
        local = sample
        try Foundation.FileManager.default.createDirectory(at: sample.folder, withIntermediateDirectories: true)
        #expect(try await quickstart().answer() == "Hello from the server.")
        let request = try #require(await server.requests().last)
        #expect(request.path == "/codex/responses")
        #expect(request.json?["model"] == "gpt-5.4")
        #expect(Foundation.FileManager.default.fileExists(atPath: sample.folder.path + "/CodexKit/runtime-state.json"))
        await sample.stop()
    }

    /// A token of which only the claims are read.
    private static let token: String = {
        let claims: JSONValue = [
            "email": "ada@example.com", "name": "Ada", "exp": .number(Date().timeIntervalSince1970.rounded() + 86_400),
            "https://api.openai.com/auth": ["chatgpt_account_id": "account", "chatgpt_plan_type": "plus"],
        ]
        let body = Data(claims.encoded()).base64EncodedString()
        let safe = body.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        return "eyJhbGciOiJub25lIn0.\(safe).x"
    }()
}
