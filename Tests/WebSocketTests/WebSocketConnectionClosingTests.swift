import Testing

@testable import WebSocket

struct WebSocketConnectionClosingTests {
    @Test(
        "Every valid code is accepted and echoed",
        arguments: Array(1000...1003) + Array(1007...1014) + [3000, 3999, 4000, 4001, 4003, 4999] as [UInt16])
    func echoesValidCodes(code: UInt16) throws {
        for role in WebSocketRole.allCases {
            var harness = Harness(role)
            let events = harness.receive(frame(from: role.peer, .close, closePayload(code, "tschüß")))
            #expect(events == [.close(code: CloseCode(rawValue: code), reason: "tschüß")])
            #expect(try harness.sentFrames().map(\.closeCode?.rawValue) == [code])
            #expect(harness.connection.status == (role == .server ? .finished : .lingering))
        }
    }

    @Test("Every other code is a violation", arguments: [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] as [UInt16])
    func refusesInvalidCodes(code: UInt16) throws {
        var harness = Harness(.server)
        #expect(harness.receive(frame(from: .client, .close, closePayload(code))) == [.failed(.peer(.invalidCloseCode(code)))])
        #expect(try harness.sentFrames().map(\.closeCode) == [.protocolError])
    }

    @Test func answersAnEmptyCloseWithAnEmptyOne() throws {
        var harness = Harness(.server)
        #expect(harness.receive(frame(from: .client, .close, [])) == [.close(code: nil, reason: "")])
        #expect(try harness.sentFrames() == [Frame(opcode: .close, payload: [])])
        #expect(harness.connection.nextDeadline == nil)
    }

    @Test func ignoresEverythingAfterTheClose() throws {
        var harness = Harness(.server)
        let close = frame(from: .client, .close, closePayload(1000))
        let events = harness.receive(frame(from: .client, text: "a", isFinal: false) + close + frame(from: .client, text: "late") + [0xFF] + close)
        #expect(events == [.close(code: .normal, reason: "")])
        #expect(harness.receive(frame(from: .client, .ping, [1]) + [0xFF]) == [])
        #expect(try harness.sentFrames().count == 1)
        harness.connection.transportEnded()
        #expect(harness.events() == [])
    }

    @Test("Both ends finish a closing handshake", arguments: WebSocketRole.allCases)
    func completesTheHandshake(role: WebSocketRole) {
        var ours = Harness(role)
        var theirs = Harness(role.peer)
        ours.connection.close(.application(4003), reason: "authentication failed", now: start)
        #expect(ours.connection.status == .closing)
        #expect(theirs.receive(ours.connection.takeOutput()) == [.close(code: .application(4003), reason: "authentication failed")])
        #expect(ours.receive(theirs.connection.takeOutput(), at: 1) == [.close(code: .application(4003), reason: "")])
        #expect(ours.connection.takeOutput() == [])
        // The server ends the stream, the client waits for that, but not for ever.
        var client = role == .client ? ours : theirs
        let server = role == .client ? theirs : ours
        #expect(server.connection.status == .finished)
        #expect(client.connection.status == .lingering)
        #expect(client.connection.nextDeadline == start + .seconds(role == .client ? 6 : 5))
        var impatient = client
        impatient.connection.handleTimeout(now: start + .seconds(6))
        #expect(impatient.connection.status == .finished)
        client.connection.transportEnded()
        #expect(client.connection.status == .finished)
        #expect(client.events() == [])
    }

    @Test func simultaneousClosesMeet() {
        var server = Harness(.server)
        var client = Harness(.client)
        server.connection.close(.goingAway, now: start)
        client.connection.close(.normal, now: start)
        let (fromServer, fromClient) = (server.connection.takeOutput(), client.connection.takeOutput())
        #expect(server.receive(fromClient) == [.close(code: .normal, reason: "")])
        #expect(client.receive(fromServer) == [.close(code: .goingAway, reason: "")])
        #expect(server.connection.takeOutput() + client.connection.takeOutput() == [])
    }

    @Test func sendsNothingAndDeliversNothingAfterItsOwnClose() throws {
        var harness = Harness(.server)
        harness.connection.close(.goingAway, reason: "restart", now: start)
        harness.connection.close(.normal, now: start)
        #expect(try harness.sentFrames() == [Frame(opcode: .close, payload: closePayload(1001, "restart"))])
        #expect(throws: WebSocketError.misuse(.notOpen)) { try harness.connection.send(text: "x".utf8) }
        #expect(throws: WebSocketError.misuse(.notOpen)) { try harness.connection.send(binary: [1]) }
        #expect(throws: WebSocketError.misuse(.notOpen)) { try harness.connection.ping([]) }
        #expect(throws: WebSocketError.misuse(.notOpen)) { try harness.connection.send(serverFrame: [0x81, 0]) }
        let late = frame(from: .client, text: "late") + frame(from: .client, .ping, [1]) + frame(from: .client, .pong, [])
        #expect(harness.receive(late) == [])
        #expect(harness.connection.takeOutput() == [])
        #expect(harness.receive(frame(from: .client, .close, [])) == [.close(code: nil, reason: "")])
    }

    @Test func violationsWhileClosingSendNoSecondClose() {
        var harness = Harness(.server)
        harness.connection.close(now: start)
        _ = harness.connection.takeOutput()
        #expect(harness.receive([0x83]) == [.failed(.peer(.reservedOpcode(3)))])
        #expect(harness.connection.takeOutput() == [])
        #expect(harness.connection.status == .lingering)
    }

    @Test func givesUpOnAnUnansweredClose() {
        var harness = Harness(.client) { $0.closeTimeout = .seconds(2) }
        harness.connection.close(now: start + .seconds(1))
        #expect(harness.connection.nextDeadline == start + .seconds(3))
        // Traffic that is no Close does not prolong the wait.
        #expect(harness.receive(frame(from: .server, text: "more"), at: 2) == [])
        harness.connection.handleTimeout(now: start + .milliseconds(2999))
        #expect(harness.connection.status == .closing)
        harness.connection.handleTimeout(now: start + .seconds(3))
        #expect(harness.connection.status == .finished)
        #expect(harness.events() == [.failed(.network(.closeUnanswered))])
        #expect(harness.connection.nextDeadline == nil)
    }

    @Test("The end of the stream is told once", arguments: [false, true])
    func reportsTheEndOfTheStream(isClosing: Bool) {
        var harness = Harness(.client)
        #expect(harness.receive([0x81, 0x05, 0x61]) == [])
        if isClosing { harness.connection.close(now: start) }
        harness.connection.transportEnded()
        harness.connection.transportEnded()
        #expect(harness.events() == [.failed(.network(.endOfStream))])
        #expect(harness.connection.status == .finished)
        #expect(harness.receive([0x62]) == [])
    }
}
