import CodexKit
import FoundationEssentials
import RelayProtocol
import Synchronization
import Testing

@testable import DeckAgents

/// A host with a fake model, a session that holds for ever, and threads in a folder that goes with the fixture.
final class HostFixture: Sendable {
    let model: FakeModel
    let folder: TemporaryFolder
    let host: AgentHost
    let time: FakeTime
    let changes: ChangeList
    let configuration: AgentHost.Configuration

    /// - Parameter former: The fixture whose threads to take over; its host must be let go of before.
    init(
        _ scripts: [[FakeModel.Step]] = [], folder: TemporaryFolder? = nil, isSignedIn: Bool = true,
        change: (inout AgentHost.Configuration) -> Void = { _ in }
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        let model = FakeModel(scripts), time = FakeTime(), changes = ChangeList()
        var configuration = AgentHost.Configuration(
            backend: model, authProvider: NoSignIn(), secureStore: InMemorySessionStore(session: isSignedIn ? Self.session : nil),
            stateHome: folder.path + "/state", variables: ["PATH": "/usr/bin:/bin", "HOME": folder.path], home: folder.work, now: { time.now })
        change(&configuration)
        (self.folder, self.model, self.time, self.changes, self.configuration) = (folder, model, time, changes, configuration)
        host = AgentHost(configuration: configuration) { changes.add($0) }
    }

    static let session = ChatGPTSession(accessToken: "t", account: ChatGPTAccount(id: "a", email: "a@example.org", plan: .plus, name: nil))

    func ask(_ text: String, thread: TaskIdentity? = nil, detached: Bool = false) async throws -> AsyncStream<AgentAskEvent> {
        try await host.ask(AgentAsk(text: text, folder: thread == nil ? folder.work : nil, thread: thread?.uuid, isDetached: detached))
    }

    /// Asks and reads to the end.
    func answer(_ text: String, thread: TaskIdentity? = nil) async throws -> [AgentAskEvent] {
        var events: [AgentAskEvent] = []
        for await event in try await ask(text, thread: thread) { events.append(event) }
        return events
    }

    /// The threads as another process would find them after this one was killed: the files are copied while everything is under way. Then this
    /// host is closed, as turns that run in a process are known to all runtimes of it.
    func crashed(
        _ scripts: [[FakeModel.Step]] = [], isSignedIn: Bool = true, change: (inout AgentHost.Configuration) -> Void = { _ in }
    ) async throws -> HostFixture {
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.path + "/state", toPath: copy.path + "/state")
        await host.close()
        try? FileManager.default.removeItem(atPath: copy.path + "/state/agents.sqlite.lock")
        return try HostFixture(scripts, folder: copy, isSignedIn: isSignedIn, change: change)
    }
}

extension [AgentAskEvent] {
    var thread: TaskIdentity? {
        for event in self { if case .thread(let id, _, _, _) = event { return id } }
        return nil
    }
    var turn: String? {
        for event in self { if case .turn(let id) = event { return id } }
        return nil
    }
    var text: String { compactMap { if case .delta(let text) = $0 { text } else { nil } }.joined() }
    var approvals: [AgentApproval] { compactMap { if case .approvalRequested(let approval) = $0 { approval } else { nil } } }
    var finishedTools: [(succeeded: Bool, summary: String)] {
        compactMap { if case .toolFinished(_, _, let succeeded, let summary) = $0 { (succeeded, summary) } else { nil } }
    }
}

/// Signing in is nothing that a host does.
struct NoSignIn: ChatGPTAuthProviding {
    func signInInteractively() async throws -> ChatGPTSession { throw AgentRuntimeError(code: .signInRefused, message: "Nobody is here.") }
    func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession { session }
}

/// A clock that moves by a second with each look.
final class FakeTime: Sendable {
    private let value = Mutex<Int64>(1_760_000_000_000)
    var now: UnixMilliseconds {
        UnixMilliseconds(
            clamping: value.withLock {
                $0 += 1_000
                return $0
            })
    }
}

/// A clock that stands until it is moved.
final class StandingTime: Sendable {
    private let value = Mutex<Int64>(1_760_000_000_000)
    var now: UnixMilliseconds { UnixMilliseconds(clamping: value.withLock { $0 }) }
    func move(milliseconds: Int64) { value.withLock { $0 += milliseconds } }
}

/// What a host told.
final class ChangeList: Sendable {
    private let list = Mutex<[AgentChange]>([])
    func add(_ changes: [AgentChange]) { list.withLock { $0 += changes } }
    var all: [AgentChange] { list.withLock { $0 } }

    /// The phases that a task went through, each once in a row.
    func phases(_ identity: TaskIdentity) -> [AgentTask.Phase] {
        var result: [AgentTask.Phase] = []
        for case .task(let task) in all where task.identity == identity && result.last != task.phase { result.append(task.phase) }
        return result
    }
}

/// A folder with a folder `work` in it, removed with the value.
final class TemporaryFolder: Sendable {
    let path: String
    var work: String { path + "/work" }

    init() throws {
        path = "/tmp/deck-agents-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path + "/work", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, _ name: String) throws { try Data(text.utf8).write(to: URL(filePath: path + "/" + name)) }
    func read(_ name: String) -> String? { (try? Data(contentsOf: URL(filePath: path + "/" + name))).map { String(decoding: $0, as: UTF8.self) } }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }
}
