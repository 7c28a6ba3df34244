import CodexKit
import JSON
import Synchronization
import Testing

@testable import DeckAgents

struct AgentQuestionsTests {
    static let thread = "AAAAAAAA-0000-4000-8000-000000000001"
    let questions = AgentQuestions()

    func ask(_ arguments: JSONValue, id: String = "1") async throws -> ToolResultEnvelope {
        let call = ToolInvocation(id: id, threadID: Self.thread, turnID: "t", toolName: AgentQuestions.toolName, arguments: arguments)
        return try await questions.registration.executor.execute(
            invocation: call, context: ToolExecutionContext(thread: AgentThread(id: Self.thread), turnID: "t"))
    }

    /// A question under way, and what waits for its changes.
    func asking(_ id: String = "1") async -> Task<ToolResultEnvelope, any Error> {
        let (changes, continuation) = AsyncStream<String>.makeStream()
        questions.follow { continuation.yield($0) }
        let task = Task { try await ask(["question": "Which?", "options": ["This", "That"]], id: id) }
        for await _ in changes where questions.pending(in: Self.thread)?.id == id { break }
        return task
    }

    @Test(arguments: [0, 1]) func answersWithTheOptionThatIsChosen(option: Int) async throws {
        let task = await asking()
        #expect(questions.pending(in: Self.thread.lowercased())?.options == ["This", "That"], "ids are read in any case")
        #expect(questions.answer(Self.thread.lowercased(), option: option))
        #expect(try await task.value.primaryText == ["This", "That"][option])
        #expect(questions.pending(in: Self.thread) == nil)
    }

    @Test func theFirstAnswerCounts() async throws {
        let task = await asking()
        #expect(questions.answer(Self.thread, option: 1))
        #expect(!questions.answer(Self.thread, option: 0))
        #expect(try await task.value.primaryText == "That")
    }

    @Test(arguments: [(nil, 2), (nil, -1), ("other", 0)] as [(String?, Int)])
    func anAnswerToSomethingElseIsNone(id: String?, option: Int) async throws {
        let task = await asking()
        #expect(!questions.answer(Self.thread, id: id, option: option))
        #expect(questions.pending(in: Self.thread) != nil)
        #expect(questions.answer(Self.thread, id: "1", option: 0))
        _ = try await task.value
    }

    @Test func aTurnThatIsStoppedTakesItsQuestionAway() async {
        let task = await asking()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(questions.pending(in: Self.thread) == nil)
        #expect(!questions.answer(Self.thread, option: 0))
    }

    @Test func aStoppedTurnAsksNothing() async {
        let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let task = Task {
            await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
            return try await ask(["question": "Which?", "options": ["This"]])
        }
        while gate.withLock({ $0 == nil }) { await Task.yield() }
        task.cancel()
        gate.withLock { $0?.resume() }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(questions.pending(in: Self.thread) == nil)
    }

    @Test func anotherQuestionOfTheThreadReplacesTheFirst() async throws {
        let first = await asking("1")
        let second = await asking("2")
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(questions.pending(in: Self.thread)?.id == "2")
        #expect(questions.answer(Self.thread, id: "2", option: 0))
        #expect(try await second.value.primaryText == "This")
    }

    @Test(arguments: [
        "{}", #"{"question":"","options":["a"]}"#, #"{"question":"Which?","options":[]}"#, #"{"question":"Which?","options":["",1]}"#,
        #"{"question":"Which?","options":["1","2","3","4","5","6","7"]}"#, #"{"question":7,"options":["a"]}"#,
        #"{"question":"Which?","options":"a"}"#,
    ]) func aCallThatMakesNoSenseIsToldSo(arguments: String) async throws {
        let arguments = try JSONParser().parse(Array(arguments.utf8))
        await #expect(throws: ToolFailure.self) { try await ask(arguments) }
        #expect(questions.pending(in: Self.thread) == nil)
    }
}
