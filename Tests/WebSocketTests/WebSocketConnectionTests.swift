import Testing

@testable import WebSocket

struct WebSocketConnectionTests {
    @Test("Messages of both kinds arrive whole", arguments: WebSocketRole.allCases)
    func receivesMessages(role: WebSocketRole) {
        var harness = Harness(role)
        let events = harness.receive(
            frame(from: role.peer, text: "{\"a\":1}") + frame(from: role.peer, .binary, [0, 255]) + frame(from: role.peer, text: ""))
        #expect(events == [.text(Array("{\"a\":1}".utf8)), .binary([0, 255]), .text([])])
        #expect(harness.connection.takeOutput() == [])
    }

    @Test("Fragments are joined around control frames, however the bytes are cut", arguments: [1, 2, 3, 8, 1000], WebSocketRole.allCases)
    func joinsFragments(chunk: Int, role: WebSocketRole) throws {
        let peer = role.peer
        let euro = Array("a€🙂z".utf8)
        var stream = frame(from: peer, .text, Array(euro[..<2]), isFinal: false) + frame(from: peer, .ping, [7])
        stream += frame(from: peer, .continuation, Array(euro[2..<6]), isFinal: false) + frame(from: peer, .pong, [])
        stream += frame(from: peer, .continuation, [], isFinal: false) + frame(from: peer, .continuation, Array(euro[6...]))
        stream += frame(from: peer, .binary, [1], isFinal: false) + frame(from: peer, .continuation, [2]) + frame(from: peer, text: "next")
        var harness = Harness(role)
        let events = stream.chunks(of: chunk).flatMap { harness.receive($0) }
        #expect(events == [.ping([7]), .pong([]), .text(euro), .binary([1, 2]), .text(Array("next".utf8))])
        #expect(try harness.sentFrames() == [Frame(opcode: .pong, payload: [7])])
    }

    @Test func answersEachPingWithItsPayload() throws {
        var harness = Harness(.client)
        let payloads = [[], [1], [UInt8](repeating: 9, count: 125)]
        #expect(harness.receive(payloads.flatMap { frame(from: .server, .ping, $0) }) == payloads.map { .ping($0) })
        #expect(try harness.sentFrames() == payloads.map { Frame(opcode: .pong, payload: $0) })
    }

    @Test("Messages up to the limit pass, one byte more does not", arguments: [0, 125, 126, 65_535, 65_536], [true, false])
    func enforcesTheLimitBothWays(limit: Int, isFragmented: Bool) throws {
        let message = [UInt8](repeating: 0x61, count: limit)
        let head = isFragmented ? frame(from: .client, .text, Array(message.prefix(limit / 2)), isFinal: false) : []
        let rest = isFragmented ? Array(message.dropFirst(limit / 2)) : message
        let opcode: Opcode = isFragmented ? .continuation : .text
        var good = Harness(.server) { $0.maxMessageBytes = limit }
        #expect(good.receive(head + frame(from: .client, opcode, rest)) == [.text(message)])
        try good.connection.send(text: message)
        #expect(throws: WebSocketError.misuse(.messageTooLarge(bytes: limit + 1))) { try good.connection.send(text: message + [0x61]) }
        #expect(throws: WebSocketError.misuse(.messageTooLarge(bytes: limit + 1))) { try good.connection.send(binary: message + [0x61]) }
        #expect(try good.sentFrames() == [Frame(opcode: .text, payload: message)])

        var bad = Harness(.server) { $0.maxMessageBytes = limit }
        let tooLong = head + frame(from: .client, opcode, rest + [0x61])
        let headerEnd = tooLong.count - rest.count - 1
        let failure = WebSocketError.peer(.messageTooLarge(bytes: UInt64(limit + 1)))
        #expect(bad.receive(tooLong[..<(headerEnd - 1)]) == [])
        #expect(bad.receive(tooLong[(headerEnd - 1)..<headerEnd]) == [.failed(failure)], "seen from the header alone")
        #expect(try bad.sentFrames().map(\.closeCode) == [.messageTooBig])
    }

    @Test func sendsWhatThePeerReads() throws {
        for role in WebSocketRole.allCases {
            var sender = Harness(role)
            var receiver = Harness(role.peer)
            try sender.connection.send(text: "grüße".utf8)
            try sender.connection.send(binary: [1, 2, 3][1...])
            try sender.connection.ping([5])
            #expect(receiver.receive(sender.connection.takeOutput()) == [.text(Array("grüße".utf8)), .binary([2, 3]), .ping([5])])
            #expect(sender.receive(receiver.connection.takeOutput()) == [.pong([5])])
            #expect(sender.connection.takeOutput() == [])
        }
    }

    @Test func masksEveryFrameOfAClientAndNoneOfAServer() throws {
        for role in WebSocketRole.allCases {
            var harness = Harness(role)
            try harness.connection.send(text: "x".utf8)
            try harness.connection.ping([])
            harness.connection.close(now: start)
            let bytes = harness.connection.takeOutput()
            #expect((bytes[1] & 0x80 != 0) == (role == .client))
            var decoder = FrameDecoder(role: role.peer)
            decoder.receive(bytes)
            for opcode in [Opcode.text, .ping, .close] { #expect(try decoder.nextFrame()?.opcode == opcode) }
        }
    }

    @Test func sharesOneEncodedFrameAmongClients() throws {
        let shared = FrameEncoder.serverFrame(text: "snapshot".utf8)
        for isBusy in [false, true] {
            var server = Harness(.server)
            var client = Harness(.client)
            if isBusy { try server.connection.send(text: "result".utf8) }
            try server.connection.send(serverFrame: shared)
            let expected = (isBusy ? ["result"] : []) + ["snapshot"]
            #expect(client.receive(server.connection.takeOutput()) == expected.map { .text(Array($0.utf8)) })
        }
        var client = Harness(.client)
        #expect(throws: WebSocketError.misuse(.serverFrameOnClient)) { try client.connection.send(serverFrame: shared) }
    }

    @Test func refusesMisuseWithoutHarm() throws {
        var harness = Harness(.server)
        #expect(throws: WebSocketError.misuse(.textNotUTF8)) { try harness.connection.send(text: [0xC3]) }
        let long = [UInt8](repeating: 0, count: 126)
        #expect(throws: WebSocketError.misuse(.controlPayloadTooLong(bytes: 126))) { try harness.connection.ping(long) }
        #expect(harness.connection.status == .open)
        #expect(harness.connection.takeOutput() == [])
    }

    @Test(
        "Violations close with their code and end everything",
        arguments: [
            ([0xC1, 0x80], .reservedBits, 1002), ([0x83, 0x80], .reservedOpcode(3), 1002), ([0x09], .fragmentedControl, 1002),
            ([0x89, 0xFE], .controlTooLong, 1002), ([0x81, 0x00], .unmasked, 1002), ([0x81, 0xFE, 0, 1], .lengthNotMinimal, 1002),
            ([0x80, 0x80, 0, 0, 0, 0], .unexpectedContinuation, 1002), ([0x81, 0x82, 0, 0, 0, 0, 0xFF], .textNotUTF8, 1007),
            ([0x88, 0x81, 0, 0, 0, 0, 3], .closePayloadTooShort, 1002), ([0x88, 0x82, 0, 0, 0, 0, 3, 0xED], .invalidCloseCode(1005), 1002),
            ([0x88, 0x83, 0, 0, 0, 0, 3, 0xE8, 0xFF], .closeReasonNotUTF8, 1007),
        ] as [([UInt8], PeerViolation, UInt16)], [1, 1000])
    func closesOnViolations(violation: ([UInt8], PeerViolation, UInt16), chunk: Int) throws {
        var harness = Harness(.server)
        let stream = frame(from: .client, text: "good") + violation.0 + frame(from: .client, text: "late")
        let events = stream.chunks(of: chunk).flatMap { harness.receive($0, at: 3) }
        #expect(events == [.text(Array("good".utf8)), .failed(.peer(violation.1))])
        let sent = try harness.sentFrames()
        #expect(sent.map(\.closeCode?.rawValue) == [violation.2])
        #expect(harness.connection.status == .lingering)
        #expect(throws: WebSocketError.misuse(.notOpen)) { try harness.connection.send(text: "x".utf8) }
        #expect(harness.receive(frame(from: .client, .ping, [])) == [])
        #expect(harness.connection.takeOutput() == [])
        harness.connection.handleTimeout(now: start + .seconds(8))
        #expect(harness.connection.status == .finished)
        #expect(harness.events() == [])
    }

    @Test("Every violation's reason fits a Close frame and names a code that may be sent")
    func reasonsFit() {
        let all: [PeerViolation] = [
            .reservedBits, .reservedOpcode(15), .fragmentedControl, .controlTooLong, .unmasked, .masked, .lengthNotMinimal, .lengthOverflow,
            .unexpectedContinuation, .messageInterleaved, .messageTooLarge(bytes: .max), .textNotUTF8, .closePayloadTooShort,
            .invalidCloseCode(.max), .closeReasonNotUTF8,
        ]
        #expect(all.allSatisfy { $0.description.utf8.count <= ClosePayload.maxReasonBytes })
        #expect(Set(all.map(\.description)).count == all.count)
    }
}

extension Frame {
    /// The code in a Close frame; `nil` in any other.
    var closeCode: CloseCode? {
        opcode == .close ? (try? ClosePayload(payload))?.code : nil
    }
}
