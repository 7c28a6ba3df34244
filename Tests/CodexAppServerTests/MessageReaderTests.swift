import JSON
import Testing

@testable import CodexAppServer

struct MessageReaderTests {
    private let reader = MessageReader(wanted: ["thread/archived"])

    @Test(arguments: [
        (#"{"id":1,"result":{}}"#, RPCMessage.response(id: .integer(1), result: .object([:]))),
        (#"{"id":0,"result":null}"#, .response(id: .integer(0), result: .null)),
        (#"{"id":"abc","result":[1]}"#, .response(id: .string("abc"), result: [1])),
        (#"{"id":"","result":1}"#, .response(id: .string(""), result: 1)),
        (#"{"id":-3,"result":1}"#, .response(id: .integer(-3), result: 1)),
        (#"{"id":9007199254740991,"result":1}"#, .response(id: .integer(9_007_199_254_740_991), result: 1)),
        (#"{"jsonrpc":"2.0","id":1.0,"result":1}"#, .response(id: .integer(1), result: 1)),
        (#"{"id":1,"result":{},"error":null}"#, .response(id: .integer(1), result: .object([:]))),
        (
            #"{"method":"thread/archived","params":{"threadId":"x"},"emittedAtMs":1}"#,
            .notification(method: "thread/archived", params: ["threadId": "x"])
        ),
        (#"{"method":"thread/archived"}"#, .notification(method: "thread/archived", params: .object([:]))),
        (#"{"method":"thread/archived","id":null}"#, .notification(method: "thread/archived", params: .object([:]))),
        (#"{"method":"a/b","id":0,"params":{"x":1}}"#, .request(id: .integer(0), method: "a/b", params: ["x": 1])),
        (#"{"params":null,"id":"r","method":"a/b"}"#, .request(id: .string("r"), method: "a/b", params: .null)),
    ]) func reads(text: String, message: RPCMessage) throws {
        #expect(try reader.read(bytes(text)) == message)
    }

    @Test func readsErrorsOfTheServer() throws {
        // As version 0.163.0 answers.
        let conflict =
            #"{"error":{"code":-32600,"data":{"reason":"readStateConflict","readState":{"firstUnread":null,"revision":"27"}},"#
            + #""message":"read state changed"},"id":21}"#
        #expect(
            try reader.read(bytes(conflict))
                == .failure(id: .integer(21), RPCError(code: -32600, message: "read state changed", reason: "readStateConflict")))
        #expect(try reader.read(bytes(#"{"error":{"code":1},"id":null}"#)) == .failure(id: nil, RPCError(code: 1, message: "")))
        // An error of any shape ends the waiting for an answer.
        for odd in [#""no""#, "5", "[]", "{}", #"{"code":"x","message":3,"data":7}"#, #"{"code":1e99}"#] {
            #expect(try reader.read(bytes(#"{"id":1,"error":\#(odd)}"#)) == .failure(id: .integer(1), RPCError(code: 0, message: "")))
        }
    }

    @Test(arguments: [
        #"{"method":"item/agentMessage/delta","params":{"delta":"x"}}"#,
        #"{"params":{"id":5,"method":"thread/archived"},"method":"item/agentMessage/delta"}"#,
        #"{"method":"item/agentMessage/delta","id":null,"params":{}}"#,
        // Its contents are not read, and so may be anything that ends.
        #"{"method":"warning","params":{"a":[[[[[nonsense]]]]]}}"#,
    ]) func skipsNotificationsThatNobodyWants(text: String) throws {
        #expect(try reader.read(bytes(text)) == nil)
    }

    @Test func requestsAreNeverSkipped() throws {
        #expect(try reader.read(bytes(#"{"method":"later/kind","id":7}"#)) == .request(id: .integer(7), method: "later/kind", params: .object([:])))
    }

    /// A skipped message may be nested as deeply as it likes; one that is read may not.
    @Test func deepNestingEndsNobody() throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(try reader.read(bytes(#"{"method":"warning","params":\#(deep)}"#)) == nil)
        #expect(throws: MessageError.notJSON) { try reader.read(bytes(#"{"id":1,"result":\#(deep)}"#)) }
        #expect(throws: MessageError.notJSON) { try reader.read(bytes(String(repeating: "[", count: 100_000))) }
    }

    @Test(arguments: [
        "", " ", "{", "nonsense", #"{"id":1,"result":}"#, #"{"id":1,"result":{}} x"#, "{\"id\":1,\"result\":\"\u{1}\"}", #"{"id":1e999,"result":1}"#,
    ])
    func damagedTextIsNoJSON(text: String) {
        #expect(throws: MessageError.notJSON) { try reader.read(bytes(text)) }
    }

    @Test func notUTF8IsNoJSON() {
        #expect(throws: MessageError.notJSON) { try reader.read(bytes(#"{"id":1,"result":""#) + [0xff, 0xfe] + bytes(#""}"#)) }
    }

    @Test(arguments: [
        "[]", "1", "null", #""text""#, "{}", #"{"id":1}"#, #"{"result":{}}"#, #"{"id":null,"result":{}}"#, #"{"method":5}"#,
        #"{"method":null,"params":{}}"#,
        // An id that is none: it could not be answered under it.
        #"{"id":{},"method":"a/b"}"#, #"{"id":1.5,"method":"a/b"}"#, #"{"id":true,"result":1}"#, #"{"id":1e300,"method":"a/b"}"#,
        #"{"id":9007199254740993,"method":"a/b"}"#, #"{"id":[1],"error":{"code":1}}"#,
    ]) func jsonThatIsNoMessage(text: String) {
        #expect(throws: MessageError.notAMessage) { try reader.read(bytes(text)) }
    }

    @Test func theLastOfRepeatedMembersCounts() throws {
        #expect(try reader.read(bytes(#"{"id":1,"result":1,"result":2}"#)) == .response(id: .integer(1), result: 2))
    }

    @Test(arguments: [
        RPCMessage.request(id: .integer(1), method: "thread/list", params: ["limit": 1]),
        .request(id: .string("a"), method: "m", params: .object([:])),
        .response(id: .integer(0), result: ["decision": "accept"]), .failure(id: .integer(5), RPCError(code: -32001, message: "busy")),
        .failure(id: nil, RPCError(code: 1, message: "é\"\n")), .notification(method: "initialized", params: .object([:])),
    ]) func whatIsWrittenReadsBack(message: RPCMessage) throws {
        #expect(try MessageReader(wanted: ["initialized"]).read(message.encoded()) == message)
    }

    @Test func writesNoMemberOfTheProtocolsName() {
        let request = RPCMessage.request(id: .integer(1), method: "thread/list", params: .object([:]))
        #expect(String(decoding: request.encoded(), as: UTF8.self) == #"{"id":1,"method":"thread/list","params":{}}"#)
    }
}

struct RPCErrorTests {
    @Test func tellsErrorsApart() throws {
        let unknown = "Invalid request: unknown variant `thread/readState/update`, expected one of `initialize`, `server/diagnostics`"
        #expect(RPCError(code: -32600, message: unknown).isUnknownMethod)
        #expect(RPCError(code: -32601, message: "").isUnknownMethod)
        #expect(!RPCError(code: -32600, message: "thread not found: x").isUnknownMethod)
        #expect(RPCError(code: -32001, message: "").isOverload)
        #expect(!RPCError(code: -32000, message: "").isOverload)
        let draining = "Server is draining; retry after reconnecting"
        #expect(RPCError(code: -32600, message: draining, reason: "serverShuttingDown").isShuttingDown)
        #expect(!RPCError(code: -32600, message: draining).isShuttingDown)
    }

    /// The server's words may hold a path or a name; a person who pressed a key is told in ours.
    @Test func sentencesHoldNoWordsOfTheServer() {
        let errors: [AppServerError] = [
            .disconnected, .timedOut(method: "canary"), .unexpectedAnswer(method: "canary"), .refused(RPCError(code: 1, message: "canary")),
            .refused(RPCError(code: -32001, message: "canary")), .refused(RPCError(code: -32601, message: "canary")),
            .refused(RPCError(code: 1, message: "canary", reason: "serverShuttingDown")),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        for error in errors {
            #expect(!error.description.contains("canary") && error.description.hasSuffix("."))
            #expect(error == .disconnected ? error.detail == nil : error.detail?.contains("canary") == true)
        }
    }

    @Test func endsSayOneSentence() {
        #expect(
            TransportEnd.lost("The peer stopped answering.").description == "The connection to the Codex daemon ended: The peer stopped answering.")
        #expect(TransportEnd.lost("it exited with status 1").description == "The connection to the Codex daemon ended: it exited with status 1.")
        let ends: [TransportEnd] = [.absent, .refused, .closedHere, .lost("x"), .violation("x.")]
        for end in ends { #expect(end.description.hasSuffix(".") && !end.description.hasSuffix("..")) }
    }
}
