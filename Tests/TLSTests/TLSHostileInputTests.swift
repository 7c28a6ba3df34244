import COpenSSL
import Testing

@testable import TLS

struct TLSHostileInputTests {
    @Test(
        "Plain text on the TLS port",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
            "{\"type\":\"auth\"}",
        ], [1, Int.max])
    func serverNamesPlaintext(text: String, chunk: Int) throws {
        let server = try Endpoint(.server(Fixture.identity.get()))
        #expect(server.failure(feeding: Array(text.utf8), chunk: chunk) == .plaintextOnTLSPort)
        #expect(server.received.isEmpty)
    }

    @Test("A plain server behind a TLS address", arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n"])
    func clientNamesPlaintext(text: String) throws {
        let client = try Endpoint(.client(pinnedTo: Fixture.identity.get().certificate.fingerprint))
        try client.engine.handshake()
        _ = client.engine.takeOutput()
        #expect(client.failure(feeding: Array(text.utf8)) == .plaintextOnTLSPort)
    }

    @Test("Garbage fails and stays failed", arguments: 0..<64) func garbageEndsTheConnection(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let garbage = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let server = try Endpoint(.server(Fixture.identity.get()))
        let error = try #require(server.failure(feeding: garbage, chunk: 911))
        #expect(server.engine.state == .failed(error))
        #expect(server.failure(feeding: garbage) == error)
        #expect(throws: error) { try server.engine.write([1]) }
    }

    @Test("One flipped byte anywhere in the server's flight never leads to data", arguments: Version.allCases)
    func tamperedHandshakeFails(version: Version) throws {
        let identity = try Fixture.identity.get()
        let client = try TLSContext.client(pinnedTo: identity.certificate.fingerprint)
        let server = try TLSContext.server(identity).limited(to: version)
        for fraction in 0..<40 {
            let pair = try Pair(client: client, server: server)
            try pair.client.engine.handshake()
            try pair.server.feed(pair.client.engine.takeOutput())
            var flight = pair.server.engine.takeOutput()
            flight[fraction * (flight.count - 1) / 39] ^= 0x40
            let early = pair.client.failure(feeding: flight)
            _ = pair.server.failure(feeding: pair.client.engine.takeOutput())
            // A changed length makes the client wait for bytes that never come: no error yet, but no connection either.
            #expect(early != nil || pair.client.engine.state == .handshaking || pair.server.engine.state != .established)
            #expect(!(pair.client.engine.state == .established && pair.server.engine.state == .established))
        }
    }

    @Test("A flipped byte in a record", arguments: Version.allCases) func tamperedRecordIsRefused(version: Version) throws {
        let pair = try Pair.established(version)
        try pair.server.engine.write(Array("first".utf8))
        let good = pair.server.engine.takeOutput()
        try pair.server.engine.write(Array("second".utf8))
        var bad = pair.server.engine.takeOutput()
        bad[bad.count - 1] ^= 1
        let error = try #require(pair.client.failure(feeding: good + bad))
        #expect(pair.client.received == Array("first".utf8))
        guard case .other = error else { return #expect(Bool(false), "\(error)") }
        // The peer is told.
        guard case .alert(20, _) = pair.server.failure(feeding: pair.client.engine.takeOutput()) else { return #expect(Bool(false)) }
    }

    @Test("A record sent again is refused", arguments: Version.allCases) func replayIsRefused(version: Version) throws {
        let pair = try Pair.established(version)
        try pair.client.engine.write(Array("press".utf8))
        let record = pair.client.engine.takeOutput()
        try pair.server.feed(record)
        #expect(pair.server.failure(feeding: record) != nil)
        #expect(pair.server.received == Array("press".utf8))
    }

    @Test("Older versions", arguments: [TLS1_VERSION, TLS1_1_VERSION]) func refusesOldVersions(version: CInt) throws {
        let client = try TLSContext.client(pinnedTo: Fixture.identity.get().certificate.fingerprint).limited(to: version)
        SSL_CTX_set_security_level(client.raw, 0)
        #expect(SSL_CTX_set_cipher_list(client.raw, "ALL:@SECLEVEL=0") == 1)
        let errors = try Pair(client: client, server: .server(Fixture.identity.get())).connectExpectingFailure()
        #expect(errors.server == .protocolVersion)
        #expect(errors.client == .protocolVersion)
    }

    @Test("A closing record instead of a greeting") func closeDuringTheHandshake() throws {
        let client = try Endpoint(.client(pinnedTo: Fixture.identity.get().certificate.fingerprint))
        try client.engine.handshake()
        #expect(client.failure(feeding: [21, 3, 3, 0, 2, 1, 0]) == .closed)
    }

    @Test("An alert instead of an answer") func namesThePeersAlert() throws {
        let client = try Endpoint(.client(pinnedTo: Fixture.identity.get().certificate.fingerprint))
        try client.engine.handshake()
        #expect(client.failure(feeding: [21, 3, 3, 0, 2, 2, 40]) == .alert(code: 40, name: "handshake failure"))
    }

    @Test("A message that announces 16 MiB is refused at its header") func refusesHugeHandshakeMessage() throws {
        let server = try Endpoint(.server(Fixture.identity.get()))
        #expect(server.failure(feeding: [22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff]) == .other(reason: "excessive message size"))
    }

    @Test func refusesOverlongRecord() throws {
        let pair = try Pair.established()
        #expect(pair.server.failure(feeding: [23, 3, 3, 0xff, 0xff]) != nil)
    }

    @Test("What other code leaves in the thread's error queue is not taken for a failure", arguments: Version.allCases)
    func errorsOfOthersDoNotReachAConnection(version: Version) throws {
        let pair = try Pair.established(version)
        try pair.client.engine.write([1])
        let record = pair.client.engine.takeOutput()
        for byte in record {
            #expect(BIO_new_file("/nonexistent", "r") == nil)
            try pair.server.feed([byte])
        }
        #expect(pair.server.received == [1])
        #expect(BIO_new_file("/nonexistent", "r") == nil)
        let again = try Pair.established(version)
        #expect(again.client.engine.state == .established)
    }
}

/// A small seeded generator, so that a failing case can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
