import CodexKit
import FoundationEssentials
import Testing

struct ToolTests {
    struct Greeting: Decodable, Sendable { let name: String }
    private enum Volume: RequestContextKey { static let defaultValue = 3 }

    @Test func runsWhatTheModelCallsAndGivesBackTheResult() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("look", #"{"at":"sky"}"#), .text("It is blue."))) {
            $0.tools = [
                .init(
                    definition: .test("look"),
                    executor: AnyToolExecutor { call, context in
                        .success(invocation: call, text: "\(call.arguments["at"]?.string ?? "") for \(context.session?.account.name ?? "?")")
                    })
            ]
        }
        let thread = try await fixture.runtime.createThread()
        let (events, _) = await (try fixture.runtime.stream(Request(text: "Look"), in: thread.id)).collected()
        let names = events.map(\.name).filter { $0.hasPrefix("tool") || $0.hasPrefix("approval") }
        #expect(names == ["toolCallStarted", "toolCallFinished"])
        let input = try #require(await fixture.requests.last?.input)
        #expect(
            input == [
                .text(.user, "Look"), .functionCall(callID: "call_look_0", name: "look", arguments: #"{"at":"sky"}"#),
                .functionCallOutput(callID: "call_look_0", output: [.text("sky for Ada")]),
            ])
        let kinds = try await fixture.runtime.history(of: thread.id).map(\.item.kind)
        #expect(kinds == [.message, .toolCall, .toolResult, .message])
        // A later turn still knows of the call.
        _ = try await fixture.runtime.send(Request(text: "And?"), in: thread.id)
        #expect(await fixture.requests.last?.input.dropLast().dropLast().count == 3)
    }

    @Test(arguments: [
        ("look", "not json", "no JSON object"), ("look", "[1]", "no JSON object"), ("nothing", "{}", "no tool"), ("fails", "{}", "the cat is out"),
        ("throws", "{}", "The tool failed."), ("typed", #"{"nom":"x"}"#, "name is missing"),
    ])
    func whatGoesWrongIsToldToTheModel(name: String, arguments: String, part: String) async throws {
        struct Private: Error { let secret = "hush" }
        let fixture = try await RuntimeFixture(ScriptedBackend(.call(name, arguments), .text("I see."))) {
            $0.tools = [
                .test("look"), .init(definition: .test("fails"), executor: AnyToolExecutor { _, _ in throw ToolFailure("the cat is out") }),
                .init(definition: .test("throws"), executor: AnyToolExecutor { _, _ in throw Private() }),
                .init(definition: .test("typed"), executor: TypedToolExecutor(Greeting.self) { greeting, _ in [.text(greeting.name)] }),
            ]
        }
        let thread = try await fixture.runtime.createThread()
        #expect(try await fixture.runtime.send(Request(text: "x"), in: thread.id) == "I see.")
        let last = await fixture.requests.last?.input.last
        guard case .functionCallOutput(_, let output) = last, case .text(let text) = output.first else {
            return #expect(Bool(false), "an answer to the call")
        }
        #expect(text.contains(part), "\(text)")
        #expect(!text.contains("hush"))
    }

    @Test func typedToolsGetTheirArgumentsAndTheContext() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("typed", #"{"name":"Ada"}"#), .text("done"))) {
            $0.tools = [
                .init(
                    definition: .test("typed"),
                    executor: TypedToolExecutor(Greeting.self) { greeting, context in
                        [.text("\(greeting.name) \(context.requestContext[Volume.self])")]
                    })
            ]
        }
        let thread = try await fixture.runtime.createThread()
        var context = RequestContext().with(Volume.self, 11)
        try context.show(["depth": 4], as: "measures")
        _ = try await fixture.runtime.send(Request(text: "x", context: context), in: thread.id)
        let input = try #require(await fixture.requests.last?.input)
        #expect(input.last == .functionCallOutput(callID: "call_typed_0", output: [.text("Ada 11")]))
        #expect(input.first == .text(.developer, "Context of this request, given by the program:\nmeasures: {\"depth\":4}"))
        _ = try await fixture.runtime.send(Request(text: "y"), in: thread.id)
        #expect(await fixture.requests.last?.input.first == .text(.user, "x"), "data of a request is not part of the thread")
    }

    @Test func endsATurnThatCallsForEver() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("look"))) {
            $0.tools = [.test("look")]
            $0.limits.toolRounds = 4
        }
        let thread = try await fixture.runtime.createThread()
        #expect(await code { try await fixture.runtime.send(Request(text: "x"), in: thread.id) } == .tooManyToolRounds)
        #expect(await fixture.requests.count == 4)
    }

    @Test func cutsWhatIsTooLongForTheModel() async throws {
        let long = AnyToolExecutor { call, _ in .success(invocation: call, text: String(repeating: "ä", count: 100)) }
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("long"), .text("ok"))) {
            $0.tools = [.init(definition: .test("long"), executor: long)]
            $0.limits.toolResultBytes = 10
        }
        let thread = try await fixture.runtime.createThread()
        _ = try await fixture.runtime.send(Request(text: "x"), in: thread.id)
        #expect(
            await fixture.requests.last?.input.last
                == .functionCallOutput(callID: "call_long_0", output: [.text("äääää\n[cut: 200 bytes in all]")]))
    }

    @Test func aThreadMayHaveFewerTools() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("b"), .text("ok"))) { $0.tools = [.test("a"), .test("b")] }
        let thread = try await fixture.runtime.createThread(configuration: AgentThreadConfiguration(toolNames: ["a"]))
        let result = await (try fixture.runtime.stream(Request(text: "x"), in: thread.id)).collected()
        #expect(await fixture.requests.first?.tools.map(\.name) == ["a"])
        guard case .toolCallFinished(let answer) = result.events.first(where: { $0.name == "toolCallFinished" }) else { return #expect(Bool(false)) }
        #expect(!answer.success)
    }

    @Test func aDemandedToolIsDemandedOnce() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("a"), .text("ok"))) { $0.tools = [.test("a")] }
        let thread = try await fixture.runtime.createThread()
        _ = try await fixture.runtime.send(Request(text: "x", options: RequestOptions(toolChoice: .required)), in: thread.id)
        #expect(await fixture.requests.map(\.toolChoice) == [.required, .automatic])
    }

    @Test func namesAreChecked() async throws {
        let runtime = try await RuntimeFixture(ScriptedBackend(.text("x"))).runtime
        let executor = AnyToolExecutor { call, _ in .success(invocation: call, text: "") }
        for name in ["", "with space", String(repeating: "a", count: 65), "ünï"] {
            #expect(await code { try await runtime.registerTool(.test(name), executor: executor) } == .toolInvalid)
        }
        try await runtime.registerTool(.test("fine"), executor: executor)
        #expect(await code { try await runtime.registerTool(.test("fine"), executor: executor) } == .toolInvalid)
        try await runtime.replaceTool(.test("fine", .requiresApproval), executor: executor)
        #expect(await runtime.toolDefinitions().map(\.approvalPolicy) == [.requiresApproval])
        #expect(await runtime.unregisterTool("fine"))
        #expect(await runtime.unregisterTool("fine") == false)
    }
}
