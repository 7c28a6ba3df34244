import CodexKit
import FoundationEssentials
import JSON
import Testing

/// JSON text as a value.
enum JSONCodingText {
    static func value(_ text: String) throws -> JSONValue { try JSONParser().parse(Array(text.utf8)) }
}

struct StructuredOutputTests {
    struct Draft: AgentStructuredOutput, Equatable {
        let subject: String
        let urgency: String

        static let responseFormat = AgentStructuredOutputFormat(
            name: "draft", description: "A draft.",
            schema: .object(
                properties: ["subject": .string(), "urgency": .string(enum: ["low", "high"])], required: ["subject", "urgency"],
                additionalProperties: false))
    }

    private static let good = #"{"subject":"Delay","urgency":"high"}"#
    private static let framed = "I wrote one.\n<structured_output>\(good)</structured_output>"

    private func thread(_ fixture: RuntimeFixture) async throws -> String { try await fixture.runtime.createThread().id }

    @Test func anAnswerBecomesAValueAndStaysAMessage() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text(Self.good)))
        let id = try await thread(fixture)
        #expect(try await fixture.runtime.send(Request(text: "x"), in: id, response: Draft.self) == Draft(subject: "Delay", urgency: "high"))
        let format = try #require(await fixture.requests.last?.responseFormat)
        #expect(format.name == "draft" && format.strict && format.schema == Draft.responseFormat.rawSchema)
        let message = try await fixture.runtime.messages(for: id).last
        #expect(message?.text == Self.good)
        #expect(message?.structuredOutput?.payload["subject"] == "Delay")
    }

    @Test(arguments: [
        "Sure! \(good)", "", "{}", #"{"subject":"a","urgency":"soon"}"#, #"{"subject":"a","urgency":"low","more":1}"#, good + "x",
        #"{"subject":"a","subject":"b","urgency":"low"}"#,
    ])
    func whatDoesNotFitFailsTheTurn(answer: String) async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text(answer)))
        let id = try await thread(fixture)
        #expect(await code { try await fixture.runtime.send(Request(text: "x"), in: id, response: Draft.self) } == .structuredOutputInvalid)
        #expect(try await fixture.runtime.messages(for: id).count == 2, "the answer stays readable")
    }

    @Test func aRefusalIsNoValue() async throws {
        let fixture = try await RuntimeFixture(
            ScriptedBackend([.event(.message(AgentBackendMessage(id: "m", text: "", refusal: "No."))), .event(.completed(.init(responseID: "r")))]))
        let id = try await thread(fixture)
        #expect(await code { try await fixture.runtime.send(Request(text: "x"), in: id, response: Draft.self) } == .structuredOutputMissing)
    }

    @Test func aRawSchemaWillDo() async throws {
        struct Plain: Decodable, Sendable { let n: Int }
        let fixture = try await RuntimeFixture(ScriptedBackend(.text(#"{"n":5}"#)))
        let format = AgentStructuredOutputFormat(name: "plain", rawSchema: ["type": "object", "properties": ["n": ["type": "integer"]]])
        #expect(try await fixture.runtime.send(Request(text: "x"), in: try await thread(fixture), response: Plain.self, format: format).n == 5)
        #expect(await fixture.requests.last?.responseFormat?.strict == false)
    }

    @Test func toolsMayBeCalledFirst() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("look"), .text(Self.good))) { $0.tools = [.test("look")] }
        let draft = try await fixture.runtime.send(Request(text: "x"), in: try await thread(fixture), response: Draft.self)
        #expect(draft.subject == "Delay")
    }

    @Test func textStreamsAndTheValueFollows() async throws {
        let pieces = ["I wr", "ote one.\n<struct", "ured_output>{\"subject\":\"Delay\",", "\"urgency\":\"high\"}</structured", "_output>"]
        let steps: [ScriptedBackend.Step] = pieces.map { .event(.textDelta(itemID: "m", delta: $0)) } + [
            .event(.message(AgentBackendMessage(id: "m", text: Self.framed))), .event(.completed(AgentBackendCompletion(responseID: "r"))),
        ]
        let fixture = try await RuntimeFixture(ScriptedBackend(steps))
        let id = try await thread(fixture)
        var text = "", partials = 0
        var committed: Draft?
        for try await event in try await fixture.runtime.stream(Request(text: "x"), in: id, response: Draft.self) {
            switch event {
            case .event(.assistantMessageDelta(_, _, let delta)): text += delta
            case .event: break
            case .structuredOutputPartial: partials += 1
            case .structuredOutputCommitted(let draft): committed = draft
            }
        }
        #expect(text == "I wrote one.\n")
        #expect(committed == Draft(subject: "Delay", urgency: "high"))
        #expect(partials == 1, "of two beginnings only the complete one has all properties")
        let message = try await fixture.runtime.messages(for: id).last
        #expect(message?.text == "I wrote one.")
        #expect(message?.structuredOutput?.payload["urgency"] == "high")
        #expect(await fixture.requests.last?.responseFormat == nil)
        #expect(await fixture.requests.last?.instructions.contains("<structured_output>") == true)
    }

    @Test func aMissingValueMattersWhenItIsRequired() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("just text")))
        let runtime = fixture.runtime
        let id = try await thread(fixture)
        let required = await code {
            for try await _ in try await runtime.stream(Request(text: "x"), in: id, response: Draft.self) {}
            return 0
        }
        #expect(required == .structuredOutputMissing)
        let optional = await code {
            for try await _ in try await runtime.stream(Request(text: "x"), in: id, response: Draft.self, options: .init(required: false)) {}
            return 0
        }
        #expect(optional == nil)
    }

    @Test func aWrongValueAfterTheTextFailsTheTurn() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("Hi <structured_output>{\"subject\":1}</structured_output>")))
        let id = try await thread(fixture)
        let result = await code {
            for try await _ in try await fixture.runtime.stream(Request(text: "x"), in: id, response: Draft.self) {}
            return 0
        }
        #expect(result == .structuredOutputInvalid)
    }
}
