import FoundationEssentials
import JSON
import LocalServer
import ServerSentEvents
import Testing

@testable import CodexKit

/// What the events of the interface mean.
struct ResponsesEventTests {
    private func decode(_ json: JSONValue, type: String = "message") throws -> [AgentBackendEvent] {
        var decoder = ResponsesEventDecoder(now: { Date(timeIntervalSince1970: 1000) })
        return try decoder.decode(ServerSentEvent(type: type, data: json.encoded()))
    }

    private func failure(_ json: JSONValue) -> AgentRuntimeError? {
        #expect(throws: AgentRuntimeError.self) { try decode(json) }
    }

    @Test func textAndThoughts() throws {
        #expect(try decode(ResponsesScript.delta("a", item: "m")) == [.textDelta(itemID: "m", delta: "a")])
        #expect(try decode(ResponsesScript.delta("")) == [])
        #expect(
            try decode(["type": "response.reasoning_summary_text.delta", "item_id": "r", "delta": "hm"]) == [
                .reasoningDelta(itemID: "r", delta: "hm")
            ])
        #expect(try decode(["type": "response.reasoning_text.delta", "delta": "hm"]) == [.reasoningDelta(itemID: "", delta: "hm")])
        #expect(try decode(["type": "response.reasoning_summary_part.added", "item_id": "r", "summary_index": 0]) == [])
        #expect(
            try decode(["type": "response.reasoning_summary_part.added", "item_id": "r", "summary_index": 1]) == [
                .reasoningDelta(itemID: "r", delta: "\n\n")
            ])
        let item: JSONValue = [
            "type": "reasoning", "id": "r", "encrypted_content": "secret", "summary": [["type": "summary_text", "text": "a"], ["text": "b"]],
        ]
        #expect(try decode(ResponsesScript.done(item)) == [.reasoning(summary: "a\n\nb", item: item)])
    }

    @Test func theNameOfTheEventStandsInForItsType() throws {
        #expect(try decode(["delta": "a", "item_id": "m"], type: "response.output_text.delta") == [.textDelta(itemID: "m", delta: "a")])
    }

    @Test func messagesRefusalsAndPictures() throws {
        let url = try #require(URL(string: "https://example.org/x.png"))
        let json = ResponsesScript.done([
            "type": "message", "id": "m", "role": "assistant",
            "content": [
                ["type": "output_text", "text": "a"], ["type": "output_text", "text": "b"],
                ["type": "output_image", "image_url": "https://example.org/x.png"],
                ["type": "of_tomorrow"],
            ],
        ])
        #expect(try decode(json) == [.message(AgentBackendMessage(id: "m", text: "ab", imageURLs: [url]))])
        let refusal = ResponsesScript.done(["type": "message", "id": "m", "content": [["type": "refusal", "refusal": "No."]]])
        #expect(try decode(refusal) == [.message(AgentBackendMessage(id: "m", text: "", refusal: "No."))])
        #expect(try decode(ResponsesScript.done(["type": "message", "role": "user", "content": []])) == [])
    }

    @Test func toolCalls() throws {
        #expect(
            try decode(ResponsesScript.functionCall("look", arguments: "{\"a\":1}", call: "c")) == [
                .functionCall(AgentFunctionCall(callID: "c", name: "look", arguments: "{\"a\":1}"))
            ])
        #expect(try decode(ResponsesScript.done(["type": "function_call", "name": "x"])) == [])
    }

    @Test func searches() throws {
        let item: JSONValue = ["type": "web_search_call", "id": "w", "status": "completed", "action": ["type": "search", "query": "swift"]]
        #expect(try decode(["type": "response.output_item.added", "item": item]) == [.webSearch(.init(id: "w", status: .searching, query: "swift"))])
        #expect(try decode(ResponsesScript.done(item)) == [.webSearch(.init(id: "w", status: .completed, query: "swift"))])
        #expect(
            try decode(ResponsesScript.done(["type": "web_search_call", "id": "w", "status": "failed"])) == [
                .webSearch(.init(id: "w", status: .failed))
            ])
        #expect(try decode(["type": "response.output_item.added", "item": ["type": "message"]]) == [])
    }

    @Test(
        "Pictures by their first bytes",
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47], "image/png"), ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), (Array("GIF89a".utf8), "image/gif"),
            (Array("RIFF....WEBPVP8 ".utf8), "image/webp"), ([1], "image/png"),
        ] as [([UInt8], String)])
    func pictures(bytes: [UInt8], type: String) throws {
        let json = ResponsesScript.done([
            "type": "image_generation_call", "id": "i", "result": .string(Data(bytes).base64EncodedString()), "revised_prompt": "a cat",
        ])
        #expect(try decode(json) == [.image(AgentGeneratedImage(id: "i", data: Data(bytes), mimeType: type, revisedPrompt: "a cat"))])
    }

    @Test("Pictures that are none", arguments: ["", "***", "AA"])
    func brokenPicture(text: String) throws {
        #expect(try decode(ResponsesScript.done(["type": "image_generation_call", "id": "i", "result": .string(text)])) == [])
    }

    @Test(
        "Usage that is missing is not zero",
        arguments: [
            "null", "{}", "{\"input_tokens\":1}", "{\"input_tokens\":-1,\"output_tokens\":1}", "{\"input_tokens\":1.5,\"output_tokens\":1}",
            "{\"input_tokens\":\"1\",\"output_tokens\":1}", "{\"input_tokens\":1e300,\"output_tokens\":1}",
        ])
    func noUsage(text: String) throws {
        #expect(ResponsesEventDecoder.usage(try JSONParser().parse(Array(text.utf8))) == nil)
    }

    @Test func usageSumsWhatTheServerDoesNot() throws {
        #expect(ResponsesEventDecoder.usage(["input_tokens": 2, "output_tokens": 3])?.totalTokens == 5)
        #expect(ResponsesEventDecoder.usage(["input_tokens": 0, "output_tokens": 0])?.totalTokens == 0)
    }

    @Test(
        "Failures within the stream",
        arguments: [
            ("rate_limit_exceeded", AgentRuntimeError.Code.rateLimited), ("context_length_exceeded", .contextTooLong),
            ("insufficient_quota", .usageLimitReached),
            ("server_error", .serverFailed), ("invalid_prompt", .requestRefused), ("of_tomorrow", .serverFailed), ("", .serverFailed),
        ])
    func failures(word: String, code: AgentRuntimeError.Code) {
        let inResponse = failure(["type": "response.failed", "response": ["error": ["code": .string(word), "message": "Try again in 28ms."]]])
        #expect(inResponse?.code == code)
        #expect(inResponse?.retryAfter == .milliseconds(28))
        #expect(failure(["type": "error", "error": ["code": .string(word)]])?.code == code)
        #expect(failure(["type": "error", "code": .string(word), "message": "m"])?.code == code)
    }

    @Test(
        "Waits in words",
        arguments: [
            ("try again in 2s", .seconds(2)), ("Please TRY AGAIN IN 1.5 s now", .milliseconds(1500)), ("try again in 7ms", .milliseconds(7)),
            ("try again in ", nil), ("try again in .s", nil), ("try again in 5 minutes", nil), ("try again in 99999999999999999999s", nil),
            ("no", nil), ("", nil),
        ] as [(String, Duration?)])
    func waits(text: String, expected: Duration?) {
        #expect(failure(["type": "error", "code": "rate_limit_exceeded", "message": .string(text)])?.retryAfter == expected)
    }

    @Test func whatTheServerSaysIsMasked() {
        let error = failure(["type": "error", "code": "server_error", "message": "Authorization: Bearer CANARY\nfoo"])
        #expect(error?.message.contains("CANARY") == false)
        #expect(error?.message.contains("\n") == false)
    }

    @Test("Answers that stop early", arguments: [("max_output_tokens", "length"), ("content_filter", "filter"), ("of_tomorrow", "no reason")])
    func incomplete(reason: String, word: String) {
        let error = failure(["type": "response.incomplete", "response": ["incomplete_details": ["reason": .string(reason)]]])
        #expect(error?.code == .responseIncomplete)
        #expect(error?.message.contains(word) == true)
    }

    @Test func brokenUTF8IsRepaired() throws {
        var decoder = ResponsesEventDecoder()
        let data = Array("{\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"delta\":\"a".utf8) + [0xFF] + Array("\"}".utf8)
        #expect(try decoder.decode(ServerSentEvent(data: data)) == [.textDelta(itemID: "m", delta: "a\u{FFFD}")])
    }

    @Test func theWordAtTheEndIsNoEvent() throws {
        var decoder = ResponsesEventDecoder()
        #expect(try decoder.decode(ServerSentEvent(data: Array("[DONE]".utf8))) == [])
        #expect(!decoder.isFinished)
    }
}
