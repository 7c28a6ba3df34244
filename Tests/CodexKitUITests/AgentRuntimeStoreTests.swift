import CodexKit
import CodexKitUI
import Testing

@MainActor
struct AgentRuntimeStoreTests {
    private func store(_ backend: TestBackend, approvals: any ApprovalPresenting = WaitingApprovalPresenter()) async throws -> AgentRuntimeStore {
        let store = AgentRuntimeStore(runtime: try makeRuntime(backend, approvals: approvals))
        await store.restore()
        await store.useSession(.test)
        return store
    }

    private func until(_ condition: @MainActor () -> Bool) async { while !condition() { await Task.yield() } }

    @Test func showsAConversationAsItGrows() async throws {
        let store = try await store(TestBackend("Hello."))
        #expect(store.session?.account.email == "ada@example.com")
        await store.createThread(title: "First")
        #expect(store.threads.map(\.title) == ["First"])
        await store.send(Request(text: "Hi"))
        await until { store.current?.messages.count == 2 && !store.isAnswering }
        #expect(store.current?.messages.map(\.text) == ["Hi", "Hello."])
        #expect(store.lastError == nil)
        await until { store.threads.first?.status == .idle }
    }

    @Test func showsWhatWaitsForAnAnswer() async throws {
        let inbox = ApprovalInbox()
        let store = try await store(TestBackend("call", "Done."), approvals: inbox)
        await store.createThread()
        await store.send(Request(text: "Remove it"))
        await until { store.current?.pendingApproval != nil && inbox.requests.count == 1 }
        #expect(store.isAnswering)
        let request = try #require(store.current?.pendingApproval)
        await until { store.current?.thread.status == .waitingForApproval }
        repeat { await store.resolveApproval(request, .approved) } while store.lastError != nil
        await until { store.current?.messages.last?.text == "Done." }
        await until { store.current?.pendingApproval == nil }
        for _ in 0..<1_000 where !inbox.requests.isEmpty { await Task.yield() }
        #expect(inbox.requests.isEmpty, "answered elsewhere, it is no question any more")
    }

    @Test func showsFailuresAndGoesOn() async throws {
        let store = try await store(TestBackend("fail", "Better."))
        await store.createThread()
        await store.send(Request(text: "Hi"))
        await until { store.lastError != nil && store.current?.thread.status == .failed }
        #expect(store.lastError?.code == .serverFailed)
        #expect(store.current?.lastFailure?.code == .serverFailed)
        await store.send(Request(text: "Again"))
        await until { store.current?.messages.last?.text == "Better." }
        await store.signIn()
        #expect(store.lastError?.code == .signInCancelled)
        await store.send(Request(text: " "))
        #expect(store.lastError?.code == .emptyRequest)
    }

    @Test func interruptsAndResumes() async throws {
        let store = try await store(TestBackend("call", "Done."))
        await store.createThread()
        await store.send(Request(text: "Remove it"))
        await until { store.current?.pendingApproval != nil }
        await store.interrupt()
        await until { store.current?.thread.status == .interrupted }
        #expect(store.lastError == nil, "the person did it")
        let request = try #require(store.current?.pendingApproval)
        await store.resolveApproval(request, .denied)
        await store.resume()
        await until { store.current?.messages.last?.text == "Done." }
    }

    @Test func deletingClosesTheOpenThread() async throws {
        let store = try await store(TestBackend("x"))
        await store.createThread(title: "A")
        let first = try #require(store.current?.thread.id)
        await store.createThread(title: "B")
        await store.open(first)
        #expect(store.current?.thread.title == "A")
        await store.deleteThread(first)
        #expect(store.current == nil)
        #expect(store.threads.map(\.title) == ["B"])
        await store.open("unknown")
        #expect(store.lastError?.code == .threadNotFound)
        await store.signOut()
        #expect(store.session == nil)
    }
}
