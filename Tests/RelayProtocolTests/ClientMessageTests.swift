import JSON
import RelayProtocol
import Testing

struct ClientMessageTests {
    private static let uuid = Fixture.uuid
    private static let key = "local:\(uuid)"

    private func decode(_ text: String) throws(ClientMessageError) -> ClientMessage { try ClientMessage(decoding: Array(text.utf8)) }

    private func decode(command: String) throws(ClientMessageError) -> ClientMessage {
        try decode(#"{"type":"command","protocol":1,"requestId":"r","command":\#(command)}"#)
    }

    @Test func readsAnAuth() throws {
        #expect(try decode(#"{"type":"auth","protocol":1,"token":"abc"}"#) == .auth(token: "abc", fresh: false))
        #expect(try decode(#"{"type":"auth","protocol":1.0,"token":"é","x":{},"capabilities":[1,"fresh"]}"#) == .auth(token: "é", fresh: true))
        #expect(try decode(#"{"type":"auth","protocol":1,"token":"a","capabilities":"fresh"}"#) == .auth(token: "a", fresh: false))
    }

    @Test(arguments: [
        (1, true), (512, true), (0, false), (513, false),
    ])
    func aTokenHasBounds(bytes: Int, isFine: Bool) {
        let text = #"{"type":"auth","protocol":1,"token":"\#(String(repeating: "t", count: bytes))"}"#
        #expect((try? decode(text)) == (isFine ? .auth(token: String(repeating: "t", count: bytes), fresh: false) : nil))
        let wide = String(repeating: "é", count: 257)
        #expect(throws: ClientMessageError.invalidAuth) { try decode(#"{"type":"auth","protocol":1,"token":"\#(wide)"}"#) }
    }

    @Test(arguments: [
        ("", .notJSON), ("x", .notJSON), ("[]", .notJSON), ("1", .notJSON), ("null", .notJSON), (#"{"type":"auth""#, .notJSON),
        (#"{"type":"auth","type":"auth","protocol":1,"token":"a"}"#, .notJSON), ("{}", .otherProtocol),
        (#"{"type":"auth","protocol":2,"token":"a"}"#, .otherProtocol), (#"{"type":"auth","protocol":"1","token":"a"}"#, .otherProtocol),
        (#"{"type":"auth","protocol":true,"token":"a"}"#, .otherProtocol), (#"{"type":"auth","protocol":1.5,"token":"a"}"#, .otherProtocol),
        (#"{"type":"auth","token":"a"}"#, .otherProtocol), (#"{"protocol":1}"#, .unknownType), (#"{"type":1,"protocol":1}"#, .unknownType),
        (#"{"type":"ready","protocol":1}"#, .unknownType), (#"{"type":"AUTH","protocol":1,"token":"a"}"#, .unknownType),
        (#"{"type":"auth","protocol":1}"#, .invalidAuth), (#"{"type":"auth","protocol":1,"token":1}"#, .invalidAuth),
        (#"{"type":"auth","protocol":1,"token":null}"#, .invalidAuth),
    ] as [(String, ClientMessageError)])
    func saysWhyAMessageIsOfNoUse(text: String, expected: ClientMessageError) { #expect(throws: expected) { try decode(text) } }

    @Test func aMessageHasALargestSize() throws {
        func padded(_ size: Int) -> [UInt8] {
            let bare = Array(#"{"type":"auth","protocol":1,"token":"a","x":""}"#.utf8)
            return bare.dropLast(2) + Array(repeating: UInt8(ascii: "x"), count: size - bare.count) + bare.suffix(2)
        }
        #expect(try ClientMessage(decoding: padded(65_536)) == .auth(token: "a", fresh: false))
        #expect(throws: ClientMessageError.tooLarge(bytes: 65_537)) { try ClientMessage(decoding: padded(65_537)) }
    }

    @Test(arguments: [
        (#"{"kind":"agent","slot":0,"threadKey":"\#(key)","act":1}"#, .agent(slot: 0, threadKey: TaskKey(key)!, phase: .press)),
        (#"{"kind":"agent","slot":5.0,"threadKey":"LOCAL:\#(uuid.uppercased())","act":0e0}"#,
            .agent(slot: 5, threadKey: TaskKey("LOCAL:\(uuid.uppercased())")!, phase: .release)),
        (#"{"kind":"action","slot":"ACT10_ACT11","act":1}"#, .action(slot: .act10And11, phase: .press, task: nil)),
        (#"{"kind":"action","slot":"ACT06","act":0,"threadKey":"\#(key)","more":[]}"#, .action(slot: .act06, phase: .release, task: TaskKey(key)!)),
        (#"{"kind":"joystick","direction":"up","distance":1}"#, .joystick(direction: .up, distance: .press, task: nil)),
        (#"{"kind":"joystick","direction":"left","distance":0,"threadKey":"\#(key)"}"#,
            .joystick(direction: .left, distance: .release, task: TaskKey(key)!)),
        (#"{"kind":"encoder","act":1}"#, .encoder(phase: .press, task: nil)),
        (#"{"kind":"encoder","act":0,"threadKey":"\#(key)"}"#, .encoder(phase: .release, task: TaskKey(key)!)),
        (#"{"kind":"reasoning","direction":"decrease"}"#, .reasoning(direction: .decrease, task: nil)),
        (#"{"kind":"reasoning","direction":"increase","threadKey":"\#(key)"}"#, .reasoning(direction: .increase, task: TaskKey(key)!)),
        (#"{"kind":"rate-limit-reset"}"#, .rateLimitReset), (#"{"kind":"rate-limit-reset","threadKey":5}"#, .rateLimitReset),
        (#"{"kind":"keycap","keycapId":"MIND+"}"#, .keycap(.mindIncrease, task: nil)),
        (#"{"kind":"keycap","keycapId":"APPR","threadKey":"\#(key)"}"#, .keycap(.approve, task: TaskKey(key)!)),
    ] as [(String, Command)])
    func readsCommands(text: String, expected: Command) throws {
        #expect(try decode(command: text) == .command(requestID: "r", expected))
    }

    @Test(arguments: [
        "null", "1", "[]", "\"agent\"", "{}", #"{"kind":1}"#, #"{"kind":"Agent"}"#, #"{"kind":"open","url":"x"}"#, #"{"kind":"text","text":"hi"}"#,
        #"{"kind":"agent","slot":6,"threadKey":"\#(key)","act":1}"#, #"{"kind":"agent","slot":-1,"threadKey":"\#(key)","act":1}"#,
        #"{"kind":"agent","slot":0.5,"threadKey":"\#(key)","act":1}"#, #"{"kind":"agent","slot":"0","threadKey":"\#(key)","act":1}"#,
        #"{"kind":"agent","slot":null,"threadKey":"\#(key)","act":1}"#, #"{"kind":"agent","slot":1e300,"threadKey":"\#(key)","act":1}"#,
        #"{"kind":"agent","threadKey":"\#(key)","act":1}"#, #"{"kind":"agent","slot":0,"act":1}"#,
        #"{"kind":"agent","slot":0,"threadKey":null,"act":1}"#,
        #"{"kind":"agent","slot":0,"threadKey":"","act":1}"#, #"{"kind":"agent","slot":0,"threadKey":"local:x","act":1}"#,
        #"{"kind":"agent","slot":0,"threadKey":["\#(key)"],"act":1}"#, #"{"kind":"agent","slot":0,"threadKey":"\#(key)"}"#,
        #"{"kind":"agent","slot":0,"threadKey":"\#(key)","act":2}"#, #"{"kind":"agent","slot":0,"threadKey":"\#(key)","act":0.5}"#,
        #"{"kind":"agent","slot":0,"threadKey":"\#(key)","act":-1}"#, #"{"kind":"agent","slot":0,"threadKey":"\#(key)","act":true}"#,
        #"{"kind":"agent","slot":0,"threadKey":"\#(key)","act":"1"}"#, #"{"kind":"agent","slot":0,"threadKey":"\#(key)","act":null}"#,
        #"{"kind":"action","slot":"ACT05","act":1}"#, #"{"kind":"action","slot":"ACT10","act":1}"#, #"{"kind":"action","slot":6,"act":1}"#,
        #"{"kind":"action","slot":"ACT06"}"#, #"{"kind":"action","slot":"ACT06","act":false}"#, #"{"kind":"action","act":1}"#,
        #"{"kind":"action","slot":"ACT06","act":1,"threadKey":"nonsense"}"#, #"{"kind":"action","slot":"ACT06","act":1,"threadKey":null}"#,
        #"{"kind":"joystick","direction":"Up","distance":1}"#, #"{"kind":"joystick","direction":"up","distance":2}"#,
        #"{"kind":"joystick","direction":"up"}"#,
        #"{"kind":"joystick","distance":1}"#, #"{"kind":"joystick","direction":"up","distance":0.3}"#,
        #"{"kind":"joystick","direction":"up","act":1}"#,
        #"{"kind":"encoder"}"#, #"{"kind":"encoder","act":3}"#, #"{"kind":"encoder","act":1,"threadKey":7}"#,
        #"{"kind":"reasoning"}"#, #"{"kind":"reasoning","direction":"up"}"#, #"{"kind":"reasoning","direction":"increase","threadKey":{}}"#,
        #"{"kind":"keycap"}"#, #"{"kind":"keycap","keycapId":"NOPE"}"#, #"{"kind":"keycap","keycapId":"fast"}"#, #"{"kind":"keycap","keycapId":1}"#,
        #"{"kind":"rate-limit-reset "}"#, #"{"kind":"rateLimitReset"}"#,
    ])
    func refusesEverythingElse(command: String) {
        #expect(throws: ClientMessageError.invalidCommand(requestID: "r")) { try decode(command: command) }
    }

    @Test func everyKeycapAndSlotOfTheSpecificationIsRead() throws {
        let keycaps =
            "FAST APPR REJ SPLIT MIC CODEX BUG OAI TERM DWN DEL NEW NAV MAGIC DIFF PLAY GIT BRCH MRG PR PAINT LAB PARTY TIME "
            + "MIND+ MIND- SETUP FOLD UPL APPS"
        let names = keycaps.split(separator: " ").map(String.init)
        #expect(names.count == 30 && Keycap.allCases.count == 30)
        for name in names { #expect(throws: Never.self) { try decode(command: #"{"kind":"keycap","keycapId":"\#(name)"}"#) } }
        for name in ["ACT06", "ACT07", "ACT08", "ACT09", "ACT10_ACT11", "ACT12"] {
            #expect(throws: Never.self) { try decode(command: #"{"kind":"action","slot":"\#(name)","act":1}"#) }
        }
    }

    @Test(arguments: [
        (#""requestId":"""#, nil), (#""requestId":1"#, nil), (#""requestId":null"#, nil), (#""x":1"#, nil),
        (#""requestId":"\#(String(repeating: "a", count: 129))""#, nil), (#""requestId":"\#(String(repeating: "é", count: 65))""#, nil),
        (#""requestId":"\#(String(repeating: "é", count: 64))""#, String(repeating: "é", count: 64)), (#""requestId":"\u0000""#, "\0"),
    ] as [(String, String?)])
    func onlyARequestIDWithinItsBoundsIsEchoed(member: String, expected: String?) {
        #expect(throws: ClientMessageError.invalidCommand(requestID: expected)) { try decode(#"{"type":"command","protocol":1,\#(member)}"#) }
    }

    @Test(arguments: [
        ClientMessage.auth(token: "t\"\n", fresh: false), .auth(token: "é", fresh: true),
        .command(requestID: "r\u{1f}", .agent(slot: 3, threadKey: TaskKey("Local:\(uuid)")!, phase: .press)),
        .command(requestID: "1", .action(slot: .act12, phase: .release, task: nil)),
        .command(requestID: "1", .joystick(direction: .down, distance: .press, task: TaskKey(key)!)),
        .command(requestID: "1", .encoder(phase: .press, task: nil)),
        .command(requestID: "1", .reasoning(direction: .increase, task: TaskKey(key)!)), .command(requestID: "1", .rateLimitReset),
        .command(requestID: "1", .keycap(.mindDecrease, task: TaskKey(key)!)),
    ])
    func whatIsWrittenReadsBackTheSame(message: ClientMessage) throws { #expect(try ClientMessage(decoding: message.encoded()) == message) }

    @Test func optionalMembersAreLeftOut() {
        let auth = ClientMessage.auth(token: "a", fresh: false).encoded()
        #expect(String(decoding: auth, as: UTF8.self) == #"{"type":"auth","protocol":1,"token":"a"}"#)
        let command = ClientMessage.command(requestID: "1", .keycap(.approve, task: nil)).encoded()
        #expect(
            String(decoding: command, as: UTF8.self)
                == #"{"type":"command","protocol":1,"requestId":"1","command":{"kind":"keycap","keycapId":"APPR"}}"#)
    }

    @Test func errorsAreSentencesWithoutContents() {
        let all: [ClientMessageError] = [
            .tooLarge(bytes: 70_000), .notJSON, .otherProtocol, .unknownType, .invalidAuth, .invalidCommand(requestID: "secret"),
        ]
        for error in all {
            #expect(error.description.hasSuffix(".") && !error.description.contains("secret"))
        }
    }
}
