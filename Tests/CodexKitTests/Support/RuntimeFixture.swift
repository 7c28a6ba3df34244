import CodexKit
import FoundationEssentials
import Synchronization
import Testing

/// A runtime with a session, a scripted backend and a store, for one test.
struct RuntimeFixture {
    let runtime: AgentRuntime
    let backend: ScriptedBackend

    init(
        _ backend: ScriptedBackend, store: any RuntimeStateStoring = InMemoryRuntimeStateStore(),
        approvals: any ApprovalPresenting = FixedApprovalPresenter(.approved), session: ChatGPTSession? = .test,
        change: (inout AgentRuntime.Configuration) -> Void = { _ in }
    ) async throws {
        self.backend = backend
        var configuration = AgentRuntime.Configuration(
            authProvider: RefusingAuthProvider(), secureStore: InMemorySessionStore(), backend: backend, approvalPresenter: approvals,
            stateStore: store)
        configuration.now = TestClock().now
        change(&configuration)
        runtime = try AgentRuntime(configuration: configuration)
        if let session { await runtime.useSession(session) }
    }

    var requests: [AgentBackendRequest] { get async { await backend.requests.all } }
}

/// Each look at the clock finds it a second later.
struct TestClock: Sendable {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let ticks = Ticks()

    var now: @Sendable () -> Date {
        let start = start, ticks = ticks
        return { start.addingTimeInterval(Double(ticks.next())) }
    }
}

/// A counter for all threads.
final class Ticks: Sendable {
    private let value = Atomic(0)
    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}

extension ChatGPTSession {
    static let test = ChatGPTSession(
        accessToken: "access", account: ChatGPTAccount(id: "account", email: "ada@example.com", plan: .plus, name: "Ada"),
        acquiredAt: Date(timeIntervalSince1970: 0), isExternallyManaged: true)
}

/// Nobody signs in here.
struct RefusingAuthProvider: ChatGPTAuthProviding {
    func signInInteractively() async throws -> ChatGPTSession { throw AgentRuntimeError(code: .signInCancelled, message: "cancelled") }

    func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession {
        throw AgentRuntimeError(code: .refreshFailed, message: "refused")
    }
}

extension ToolDefinition {
    static func test(_ name: String, _ policy: ApprovalPolicy = .automatic) -> ToolDefinition {
        ToolDefinition(name: name, description: "Does \(name).", inputSchema: ["type": "object"], approvalPolicy: policy)
    }
}

extension AgentRuntime.ToolRegistration {
    /// A tool that answers with its name.
    static func test(_ name: String, _ policy: ToolDefinition.ApprovalPolicy = .automatic) -> Self {
        Self(definition: .test(name, policy), executor: AnyToolExecutor { call, _ in .success(invocation: call, text: "\(name) done") })
    }
}

extension AgentEventStream {
    /// All events, and the error at the end if there was one.
    func collected() async -> (events: [AgentEvent], error: AgentRuntimeError?) {
        var events: [AgentEvent] = []
        do {
            for try await event in self { events.append(event) }
            return (events, nil)
        } catch {
            return (events, error as? AgentRuntimeError)
        }
    }
}

extension AgentEvent {
    /// The name of the case, for comparing orders.
    var name: String { String("\(self)".prefix { $0 != "(" }) }
}

/// The code of what a call throws.
func code(_ body: () async throws -> some Any) async -> AgentRuntimeError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? AgentRuntimeError)?.code
    }
}

extension TemporaryFolder {
    func url(_ name: String) -> URL { URL(filePath: path + "/" + name) }

    var names: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? [] }
}
