import JSON
import RelayProtocol
import Testing

struct NodeMessageTests {
    private static let id = HostID(Fixture.uuid)!
    private static let host = Host(id: id, name: "Mac mini", platform: .mac, codexVersion: "0.99.0")
    private static let time = UnixMilliseconds(Int64(Fixture.observedAt))!

    private func decode(_ value: JSONValue) throws(NodeMessageError) -> NodeMessage { try NodeMessage(decoding: value.encoded()) }

    private static let ready: JSONValue = [
        "type": "ready", "protocol": 1, "host": Fixture.host, "capabilities": ["agent", "novel", 1], "bridge": "native-codex-micro", "x": 1,
    ]
    private static let health: JSONValue = [
        "type": "health", "protocol": 1, "host": Fixture.host, "state": "degraded", "reason": "native-signals-unavailable",
        "observedAt": .number(Double(Fixture.observedAt)),
    ]

    @Test func readsEveryType() throws {
        #expect(try decode(Self.ready) == .ready(host: Self.host, capabilities: ["agent", "novel"], bridge: "native-codex-micro"))
        #expect(try decode(Self.ready.with("bridge", nil)) == .ready(host: Self.host, capabilities: ["agent", "novel"], bridge: ""))
        #expect(
            try decode(Self.health)
                == .health(host: Self.host, state: "degraded", reason: "native-signals-unavailable", observedAt: Self.time))
        #expect(
            try decode([
                "type": "fresh", "protocol": 1, "host": ["hostId": .string(Fixture.uuid.uppercased())],
                "observedAt": .number(Double(Fixture.observedAt)),
            ])
                == .fresh(hostID: Self.id, observedAt: Self.time))
        guard case .snapshot(Self.host, Self.time, _) = try decode(Fixture.snapshotMessage) else {
            Issue.record("no snapshot")
            return
        }
    }

    @Test(arguments: [
        (#""ok":true"#, nil), (#""ok":true,"error":"ignored""#, nil), (#""ok":false,"error":"No.""#, "No."), (#""ok":false"#, RelayError.noReason),
        (#""ok":false,"error":"""#, RelayError.noReason), (#""ok":false,"error":null"#, RelayError.noReason),
    ] as [(String, String?)])
    func readsResults(members: String, expected: String?) throws {
        let text = #"{"type":"result","protocol":1,"requestId":"r",\#(members)}"#
        #expect(try NodeMessage(decoding: text.utf8) == .result(requestID: "r", error: expected))
    }

    @Test(arguments: [
        ("host", nil, "message.host"), ("host", "x", "message.host"), ("host.hostId", "x", "message.host.hostId"),
        ("host.hostId", nil, "message.host.hostId"),
        ("host.hostName", "", "message.host.hostName"), ("host.hostName", .string(String(repeating: "n", count: 129)), "message.host.hostName"),
        ("host.hostName", nil, "message.host.hostName"), ("host.platform", "linux", "message.host.platform"),
        ("host.platform", nil, "message.host.platform"),
        ("capabilities", nil, "message.capabilities"), ("capabilities", "agent", "message.capabilities"), ("bridge", 1, "message.bridge"),
    ] as [(String, JSONValue?, String)])
    func refusesAReadyWithABadField(path: String, value: JSONValue?, field: String) {
        #expect(throws: NodeMessageError.invalid(field: field)) { try decode(Self.ready.with(path, value)) }
    }

    @Test(arguments: [
        ("codexVersion", .string(String(repeating: "v", count: 65)), nil, nil), ("codexVersion", nil, nil, nil), ("codexVersion", 1, nil, nil),
        ("os", "linux", "0.99.0", "linux"), ("os", .string(String(repeating: "o", count: 33)), "0.99.0", nil), ("os", "", "0.99.0", nil),
        ("os", 1, "0.99.0", nil),
        ("hostName", .string(String(repeating: "é", count: 128)), "0.99.0", nil),
    ] as [(String, JSONValue?, String?, String?)])
    func whatIsOnlyShownMayBeMissing(key: String, value: JSONValue?, version: String?, os: String?) throws {
        guard case .ready(let host, _, _) = try decode(Self.ready.with("host.\(key)", value)) else {
            Issue.record("not a ready")
            return
        }
        #expect(host.codexVersion == version && host.os == os)
    }

    @Test(arguments: [
        ("state", nil), ("state", 1), ("reason", nil), ("observedAt", nil), ("observedAt", 0), ("observedAt", -5), ("observedAt", 1e300),
        ("observedAt", "1"),
    ] as [(String, JSONValue?)])
    func refusesAHealthWithABadField(key: String, value: JSONValue?) {
        #expect(throws: NodeMessageError.invalid(field: "message.\(key)")) { try decode(Self.health.with(key, value)) }
    }

    @Test(arguments: [
        (#"{"type":"result","protocol":1,"requestId":"","ok":true}"#, .invalid(field: "message.requestId")),
        (#"{"type":"result","protocol":1,"requestId":"r","ok":1}"#, .invalid(field: "message.ok")),
        (#"{"type":"result","protocol":1,"requestId":"r","ok":false,"error":1}"#, .invalid(field: "message.error")),
        (#"{"type":"fresh","protocol":1,"host":{"hostId":"x"},"observedAt":1}"#, .invalid(field: "message.host.hostId")),
        (#"{"type":"fresh","protocol":1,"observedAt":1}"#, .invalid(field: "message.host")),
        ("", .notJSON), ("[]", .notJSON), ("{", .notJSON), ("{}", .otherProtocol), (#"{"protocol":2,"type":"ready"}"#, .otherProtocol),
        (#"{"protocol":"1","type":"ready"}"#, .otherProtocol), (#"{"protocol":1}"#, .unknownType), (#"{"protocol":1,"type":"news"}"#, .unknownType),
        (#"{"protocol":1,"type":"auth","token":"x"}"#, .unknownType), (#"{"protocol":1,"type":null}"#, .unknownType),
        (String(repeating: " ", count: 65_537), .tooLarge(bytes: 65_537)),
    ] as [(String, NodeMessageError)])
    func saysWhyAMessageIsOfNoUse(text: String, expected: NodeMessageError) {
        #expect(throws: expected) { try NodeMessage(decoding: Array(text.utf8)) }
        #expect(expected.description.hasSuffix("."))
    }

    @Test func writesTheShapesPeersKnow() {
        func text(_ message: NodeMessage) -> String { String(decoding: message.encoded(), as: UTF8.self) }
        let linux = Host(id: Self.id, name: "box", platform: .mac, os: "linux")
        let hostText = #""host":{"hostId":"\#(Fixture.uuid)","hostName":"box","platform":"darwin","os":"linux"}"#
        #expect(
            text(.ready(host: linux, capabilities: ["agent"], bridge: "b"))
                == #"{"type":"ready","protocol":1,\#(hostText),"capabilities":["agent"],"bridge":"b"}"#)
        #expect(
            text(.health(host: linux, state: "s", reason: "r", observedAt: Self.time))
                == #"{"type":"health","protocol":1,\#(hostText),"state":"s","reason":"r","observedAt":1780000000000}"#)
        #expect(text(.result(requestID: "r", error: nil)) == #"{"type":"result","protocol":1,"requestId":"r","ok":true}"#)
        #expect(text(.result(requestID: "r", error: "No.")) == #"{"type":"result","protocol":1,"requestId":"r","ok":false,"error":"No."}"#)
        #expect(
            text(.fresh(hostID: Self.id, observedAt: Self.time))
                == #"{"type":"fresh","protocol":1,"host":{"hostId":"\#(Fixture.uuid)"},"observedAt":1780000000000}"#)
    }

    @Test func overlongTextsAreCutWhenWritten() throws {
        let long = String(repeating: "👩‍👩‍👧‍👦", count: 5_000)
        let host = Host(id: Self.id, name: long, platform: .windows, os: long, codexVersion: long)
        for message in [
            NodeMessage.ready(host: host, capabilities: Array(repeating: long, count: 100), bridge: long),
            .health(host: host, state: long, reason: long, observedAt: Self.time), .result(requestID: "r", error: long),
        ] {
            let bytes = message.encoded()
            #expect(bytes.count < 16_384)
            #expect(throws: Never.self) { try NodeMessage(decoding: bytes) }
        }
        let bytes = NodeMessage.ready(host: Host(id: Self.id, name: "", platform: .mac), capabilities: [], bridge: "").encoded()
        #expect(throws: Never.self) { try NodeMessage(decoding: bytes) }
    }
}
