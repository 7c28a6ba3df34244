import FoundationEssentials
import JSON
import LocalServer
import Testing

@testable import CodexKit

/// What is sent.
struct ResponsesRequestTests {
    private func body(
        _ request: AgentBackendRequest, change: (inout CodexResponsesBackendConfiguration) -> Void = { _ in }
    ) throws -> JSONValue {
        var configuration = CodexResponsesBackendConfiguration(model: "gpt-5.4")
        change(&configuration)
        return try JSONParser().parse(ResponsesRequest(request: request, configuration: configuration).body())
    }

    @Test func thePlainRequest() throws {
        #expect(
            try body(BackendFixture.request) == [
                "model": "gpt-5.4", "instructions": "Be brief.",
                "input": [["type": "message", "role": "user", "content": [["type": "input_text", "text": "Hello"]]]], "tools": [],
                "tool_choice": "auto",
                "parallel_tool_calls": true, "reasoning": ["effort": "medium", "summary": "auto"], "text": ["format": ["type": "text"]],
                "store": false,
                "stream": true, "include": ["reasoning.encrypted_content"], "prompt_cache_key": "thread-1",
            ])
    }

    @Test("Thinking levels", arguments: zip(ReasoningEffort.allCases, ["low", "medium", "high", "xhigh"]))
    func effort(effort: ReasoningEffort, word: String) throws {
        #expect(try body(BackendFixture.request) { $0.reasoningEffort = effort }["reasoning"]?["effort"]?.string == word)
        var request = BackendFixture.request
        request.reasoningEffort = effort
        #expect(try body(request)["reasoning"]?["effort"]?.string == word)
    }

    @Test(
        "The switches add tools; a request may decide otherwise",
        arguments: [
            (false, nil, []), (true, nil, ["web_search", "image_generation"]), (true, false, []), (false, true, ["web_search", "image_generation"]),
        ] as [(Bool, Bool?, [String])])
    func switches(byDefault: Bool, byRequest: Bool?, expected: [String]) throws {
        var request = BackendFixture.request
        request.enableWebSearch = byRequest
        request.enableImageGeneration = byRequest
        let json = try body(request) {
            $0.enableWebSearch = byDefault
            $0.enableImageGeneration = byDefault
        }
        #expect(json["tools"]?.array?.compactMap { $0["type"]?.string } == expected)
    }

    @Test func toolsAndTheirCalls() throws {
        var request = BackendFixture.request
        request.model = "gpt-other"
        request.tools = [ToolDefinition(name: "look", description: "Looks.", inputSchema: ["type": "object"], approvalPolicy: .requiresApproval)]
        request.toolChoice = .tool("look")
        let image = try #require(URL(string: "https://example.org/a.png"))
        request.input += [
            .text(.assistant, "Wait."), .functionCall(callID: "c1", name: "look", arguments: "{\"a\": 1}"),
            .functionCallOutput(callID: "c1", output: [.text("one"), .text("two")]),
            .functionCallOutput(callID: "c2", output: [.text("seen"), .image(image)]), .opaque(["type": "reasoning", "encrypted_content": "x"]),
            .text(.developer, "Mind the gap."),
        ]
        let json = try body(request)
        #expect(json["model"] == "gpt-other")
        #expect(json["tools"] == [["type": "function", "name": "look", "description": "Looks.", "strict": false, "parameters": ["type": "object"]]])
        #expect(json["tool_choice"] == ["type": "function", "name": "look"])
        #expect(
            json["input"]?.array?.dropFirst().map { $0 } == [
                ["type": "message", "role": "assistant", "content": [["type": "output_text", "text": "Wait."]]],
                ["type": "function_call", "call_id": "c1", "name": "look", "arguments": "{\"a\": 1}"],
                ["type": "function_call_output", "call_id": "c1", "output": "one\ntwo"],
                [
                    "type": "function_call_output", "call_id": "c2",
                    "output": [["type": "input_text", "text": "seen"], ["type": "input_image", "image_url": "https://example.org/a.png"]],
                ], ["type": "reasoning", "encrypted_content": "x"],
                ["type": "message", "role": "developer", "content": [["type": "input_text", "text": "Mind the gap."]]],
            ])
    }

    @Test("Choices of tools", arguments: zip([AgentToolChoice.automatic, .none, .required], ["auto", "none", "required"]))
    func choice(choice: AgentToolChoice, word: String) throws {
        var request = BackendFixture.request
        request.toolChoice = choice
        #expect(try body(request)["tool_choice"]?.string == word)
    }

    @Test func imagesWithAndWithoutText() throws {
        var request = BackendFixture.request
        request.input = [.message(.user, [.image(Data([0xFF, 0xD8]), mimeType: "image/jpeg")])]
        #expect(
            try body(request)["input"] == [
                ["type": "message", "role": "user", "content": [["type": "input_image", "image_url": "data:image/jpeg;base64,/9g="]]]
            ])
    }

    @Test("The form of the answer", arguments: [nil, "A draft."])
    func responseFormat(description: String?) throws {
        var request = BackendFixture.request
        request.responseFormat = AgentResponseFormat(name: "draft", description: description, schema: ["type": "object"])
        let format = try body(request)["text"]?["format"]
        #expect(format?["type"] == "json_schema")
        #expect(format?["name"] == "draft")
        #expect(format?["strict"] == true)
        #expect(format?["schema"] == ["type": "object"])
        #expect(format?["description"]?.string == description)
    }

    @Test func theHeadNamesTheAccountAndTheThread() async throws {
        let server = try await LocalServer(answers: [.events(ResponsesScript.text(["x"]))])
        let fixture = try BackendFixture(server) {
            $0.extraHeaders = ["X-Team": "blue", "authorization": "Bearer evil", "Host": "evil"]
            $0.originator = "my-app"
        }
        #expect(await fixture.collect().error == nil)
        let request = try #require(await server.requests().first)
        #expect(request.method == "POST")
        #expect(request.target == "/v1/responses")
        #expect(request["authorization"] == "Bearer " + TestTokens.access())
        #expect(request["chatgpt-account-id"] == "acc-1")
        #expect(request["session_id"] == "thread-1")
        #expect(request["originator"] == "my-app")
        #expect(request["accept"] == "text/event-stream")
        #expect(request["content-type"] == "application/json")
        #expect(request["x-team"] == "blue")
        #expect(request["host"] == "127.0.0.1:\(server.port)")
        #expect(request.fields.filter { $0.name.lowercased() == "authorization" }.count == 1)
        await server.stop()
    }

    @Test("A token or thread that would break the head is refused before anything is sent", arguments: ["a\r\nX: y", "a\nb"])
    func injection(text: String) async throws {
        let server = try await LocalServer(answers: [.events([])])
        var request = BackendFixture.request
        request.threadID = text
        let (_, error) = try await BackendFixture(server).collect(request)
        #expect(error?.code == .invalidConfiguration)
        #expect(await server.connectionCount() == 0)
        await server.stop()
    }

    @Test func theDefaultPlaceIsChatGPT() {
        #expect(CodexResponsesBackendConfiguration.defaultBaseURL.absoluteString == "https://chatgpt.com/backend-api/codex")
    }
}
