import Testing

@testable import TLS

struct TLSClosingTests {
    @Test(arguments: Version.allCases) func closeNotifyIsAnOrderlyEnd(version: Version) throws {
        let pair = try Pair.established(version)
        try pair.server.engine.write(Array("bye".utf8))
        pair.server.engine.close()
        #expect(pair.server.engine.state == .closed)
        try pair.client.feed(pair.server.engine.takeOutput())
        #expect(pair.client.received == Array("bye".utf8))
        #expect(pair.client.engine.state == .peerClosed)
        try pair.client.engine.receiveEnd()
        // The other direction is still open, as TLS 1.3 allows.
        try pair.client.engine.write([1])
        pair.client.engine.close()
        #expect(pair.client.engine.pendingOutput > 0)
        try pair.server.feed(pair.client.engine.takeOutput())
        try pair.server.engine.receiveEnd()
    }

    @Test(arguments: Version.allCases) func anEndWithoutCloseNotifyIsATruncation(version: Version) throws {
        let pair = try Pair.established(version)
        #expect(throws: TLSError.truncated) { try pair.client.engine.receiveEnd() }
        #expect(pair.client.engine.state == .failed(.truncated))
        #expect(throws: TLSError.truncated) { try pair.client.engine.write([1]) }
        #expect(pair.client.failure(feeding: [1, 2, 3]) == .truncated)
    }

    @Test("Half a record, then the end") func aCutRecordIsATruncation() throws {
        let pair = try Pair.established()
        try pair.server.engine.write(Fixture.bytes(1000))
        try pair.client.feed(Array(pair.server.engine.takeOutput().dropLast()))
        #expect(pair.client.received.isEmpty)
        #expect(throws: TLSError.truncated) { try pair.client.engine.receiveEnd() }
    }

    @Test func anEndBeforeAnyByteIsAClosedConnection() throws {
        let client = try Endpoint(.client(pinnedTo: Fixture.identity.get().certificate.fingerprint))
        try client.engine.handshake()
        #expect(throws: TLSError.closed) { try client.engine.receiveEnd() }
        let server = try Endpoint(.server(Fixture.identity.get()))
        #expect(throws: TLSError.closed) { try server.engine.receiveEnd() }
    }

    @Test(arguments: Version.allCases) func everyCutOfTheServersHandshakeIsATruncation(version: Version) throws {
        let identity = try Fixture.identity.get()
        let clientContext = try TLSContext.client(pinnedTo: identity.certificate.fingerprint)
        let server = try Endpoint(.server(identity).limited(to: version))
        let client = try Endpoint(clientContext)
        try client.engine.handshake()
        try server.feed(client.engine.takeOutput())
        let flight = server.engine.takeOutput()
        for length in [1, 4, 5, 6, 50, flight.count / 2, flight.count - 1] {
            let pair = try Pair(client: clientContext, server: .server(identity).limited(to: version))
            try pair.client.engine.handshake()
            try pair.server.feed(pair.client.engine.takeOutput())
            let own = pair.server.engine.takeOutput()
            // Signatures vary in length, so a flight may be a few bytes shorter than the sample.
            try pair.client.feed(Array(own.prefix(min(length, own.count - 1))))
            #expect(pair.client.engine.state == .handshaking)
            #expect(throws: TLSError.truncated) { try pair.client.engine.receiveEnd() }
        }
    }

    @Test func closingDuringTheHandshakeSaysNothing() throws {
        let client = try Endpoint(.client(pinnedTo: Fixture.identity.get().certificate.fingerprint))
        try client.engine.handshake()
        _ = client.engine.takeOutput()
        client.engine.close()
        #expect(client.engine.pendingOutput == 0)
        #expect(client.engine.state == .closed)
        #expect(throws: TLSError.closed) { try client.engine.write([1]) }
        let state = try client.engine.handshake()
        #expect(state == .closed)
    }

    @Test func closingTwiceSendsOneRecord() throws {
        let pair = try Pair.established()
        pair.server.engine.close()
        let once = pair.server.engine.pendingOutput
        pair.server.engine.close()
        #expect(once > 0)
        #expect(pair.server.engine.pendingOutput == once)
        #expect(throws: TLSError.closed) { try pair.server.engine.write([1]) }
    }

    @Test("What follows the peer's closing record, or our own, is ignored") func ignoresBytesAfterTheEnd() throws {
        let pair = try Pair.established()
        pair.server.engine.close()
        try pair.client.feed(pair.server.engine.takeOutput() + [0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
        #expect(pair.client.engine.state == .peerClosed)
        try pair.client.feed([9, 9, 9])
        try pair.server.feed([9, 9, 9, 9, 9, 9])
        #expect(pair.server.engine.state == .closed)
    }
}
