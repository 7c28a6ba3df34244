import Testing

@testable import WebSocket

struct WebSocketConnectionTimingTests {
    @Test func findsAHalfOpenConnectionWithinThirtySeconds() throws {
        var harness = Harness(.server)
        var now = start
        while let deadline = harness.connection.nextDeadline {
            now = deadline
            harness.connection.handleTimeout(now: now)
        }
        #expect(harness.events() == [.failed(.network(.silence))])
        #expect(now - start <= .seconds(30))
        #expect(try harness.sentFrames() == [Frame(opcode: .ping, payload: [])])
        #expect(harness.connection.status == .finished)
    }

    @Test func aPongKeepsTheConnection() throws {
        var harness = Harness(.server)
        harness.connection.handleTimeout(now: start + .seconds(15))
        var client = Harness(.client)
        _ = client.receive(harness.connection.takeOutput())
        #expect(harness.receive(client.connection.takeOutput(), at: 16) == [.pong([])])
        harness.connection.handleTimeout(now: start + .seconds(25))
        #expect(harness.connection.status == .open)
        #expect(harness.connection.nextDeadline == start + .seconds(31))
    }

    @Test func earlyAndRepeatedTimeoutsDoNothing() {
        var harness = Harness(.client)
        for milliseconds in [0, 1, 14_999] { harness.connection.handleTimeout(now: start + .milliseconds(milliseconds)) }
        #expect(harness.connection.takeOutput() == [])
        #expect(harness.connection.nextDeadline == start + .seconds(15))
    }

    @Test func probesOnDemand() throws {
        var harness = Harness(.client) { $0.pingInterval = nil }
        #expect(harness.connection.nextDeadline == nil)
        harness.connection.probe(now: start + .seconds(1))
        harness.connection.probe(now: start + .seconds(2))
        #expect(try harness.sentFrames() == [Frame(opcode: .ping, payload: [])])
        #expect(harness.connection.nextDeadline == start + .seconds(11))
        harness.connection.handleTimeout(now: start + .seconds(11))
        #expect(harness.events() == [.failed(.network(.silence))])
        harness.connection.probe(now: start + .seconds(12))
        #expect(harness.connection.takeOutput() == [])
    }
}
