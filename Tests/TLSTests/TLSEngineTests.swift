import COpenSSL
import Testing

@testable import TLS

struct TLSEngineTests {
    @Test("Data flows both ways however the stream is cut", arguments: Version.allCases, [1, 2, 7, 1460, Int.max])
    func exchangesData(version: Version, chunk: Int) throws {
        let pair = try Pair.established(version, chunk: chunk)
        #expect(pair.client.engine.state == .established)
        #expect(pair.server.engine.state == .established)
        let question = Fixture.bytes(700)
        let answer = Fixture.bytes(20_480)
        try pair.client.engine.write(question)
        try pair.server.engine.write(answer)
        try pair.shuttle()
        #expect(pair.server.received == question)
        #expect(pair.client.received == answer)
    }

    @Test("Record boundaries", arguments: Version.allCases, [1, 16_383, 16_384, 16_385, 32_768, 65_536, 1 << 20])
    func carriesAnySize(version: Version, size: Int) throws {
        let pair = try Pair.established(version)
        let message = Fixture.bytes(size)
        try pair.server.engine.write(message)
        try pair.shuttle()
        #expect(pair.client.received == message)
        try pair.client.engine.write(message)
        try pair.shuttle()
        #expect(pair.server.received == message)
    }

    @Test(arguments: Version.allCases) func twentyKiBBecomeTwoRecordsInOnePiece(version: Version) throws {
        let pair = try Pair.established(version)
        try pair.server.engine.write(Fixture.bytes(20_480))
        let output = pair.server.engine.takeOutput()
        var lengths: [Int] = []
        var position = 0
        while position + 5 <= output.count {
            #expect(output[position] == 23)
            let length = Int(output[position + 3]) << 8 | Int(output[position + 4])
            lengths.append(length)
            position += 5 + length
        }
        #expect(position == output.count)
        #expect(lengths.count == 2)
        #expect((output.count - 20_480) <= 2 * 32)
    }

    @Test func writingNothingSendsNothing() throws {
        let pair = try Pair.established()
        try pair.server.engine.write([])
        #expect(pair.server.engine.pendingOutput == 0)
    }

    @Test(arguments: Version.allCases) func agreesOnAuthenticatedEncryption(version: Version) throws {
        let pair = try Pair.established(version)
        for engine in [pair.client.engine, pair.server.engine] {
            #expect(engine.protocolVersion == version.name)
            let suite = try #require(engine.cipherSuite)
            #expect(suite.contains("GCM") || suite.contains("CHACHA20"))
        }
        #expect(pair.client.engine.peerFingerprint == (try Fixture.identity.get()).certificate.fingerprint)
        #expect(pair.server.engine.peerFingerprint == nil)
    }

    @Test func offersOnlyForwardSecretAuthenticatedSuites() throws {
        let contexts = try [
            TLSContext.server(Fixture.identity.get()), TLSContext.client(pinnedTo: Fixture.identity.get().certificate.fingerprint),
            TLSContext.client(hostname: "deck.example"),
        ]
        for context in contexts {
            let names = Self.suites(of: context)
            #expect(names.count >= 9)
            for name in names {
                #expect(name.hasPrefix("TLS_") || name.hasPrefix("ECDHE-"), "\(name)")
                #expect(name.contains("GCM") || name.contains("CHACHA20"), "\(name)")
                #expect(!name.contains("PSK") && !name.contains("CCM"), "\(name)")
            }
        }
    }

    private static func suites(of context: TLSContext) -> [String] {
        let ssl = SSL_new(context.raw)
        defer { SSL_free(ssl) }
        var names: [String] = []
        while let name = SSL_get_cipher_list(ssl, CInt(names.count)) { names.append(String(cString: name)) }
        return names
    }

    @Test("A suite without authenticated encryption finds no taker") func refusesOldSuites() throws {
        let server = try TLSContext.server(Fixture.identity.get())
        let client = try TLSContext.client(pinnedTo: Fixture.identity.get().certificate.fingerprint).limited(to: TLS1_2_VERSION)
        #expect(SSL_CTX_set_cipher_list(client.raw, "ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA") == 1)
        let errors = try Pair(client: client, server: server).connectExpectingFailure()
        #expect(errors.server == .other(reason: "no shared cipher"))
        guard case .alert(40, _) = errors.client else { return #expect(Bool(false), "\(String(describing: errors.client))") }
    }

    @Test(arguments: Version.allCases) func issuesNoTicketsAndKeepsNoSessions(version: Version) throws {
        let identity = try Fixture.identity.get()
        let context = try TLSContext.server(identity).limited(to: version)
        let pair = try Pair(client: .client(pinnedTo: identity.certificate.fingerprint), server: context)
        try pair.client.engine.handshake()
        try pair.server.feed(pair.client.engine.takeOutput())
        try pair.client.feed(pair.server.engine.takeOutput())
        try pair.server.feed(pair.client.engine.takeOutput())
        // In TLS 1.3 tickets would follow the client's last message; in 1.2 the server's own last message does.
        #expect(pair.server.engine.pendingOutput == 0 || version == .v12)
        try pair.shuttle()
        #expect(SSL_session_reused(pair.server.engine.ssl) == 0)
        #expect(SSL_CTX_ctrl(context.raw, SSL_CTRL_SESS_NUMBER, 0, nil) == 0)
        #expect(SSL_SESSION_has_ticket(SSL_get_session(pair.client.engine.ssl)) == 0)
    }

    @Test("A plaintext handler may answer at once") func writesFromWithinDelivery() throws {
        let pair = try Pair.established()
        try pair.client.engine.write(Array("ping".utf8))
        let engine = pair.server.engine
        let input = pair.client.engine.takeOutput()
        try input.withUnsafeBytes { raw in
            _ = try engine.receive(ciphertext: raw) { _ in
                do { try engine.write(Array("pong".utf8)) } catch { Issue.record(error) }
                engine.close()
            }
        }
        #expect(engine.state == .closed)
        try pair.shuttle()
        #expect(pair.client.received == Array("pong".utf8))
        #expect(pair.client.engine.state == .peerClosed)
    }

    @Test("Records behind the one whose handler closes are not delivered") func closingStopsDelivery() throws {
        let pair = try Pair.established()
        try pair.client.engine.write([1])
        try pair.client.engine.write([2])
        let engine = pair.server.engine
        var delivered: [UInt8] = []
        try pair.client.engine.takeOutput().withUnsafeBytes { raw in
            _ = try engine.receive(ciphertext: raw) {
                delivered += Array($0)
                engine.close()
            }
        }
        #expect(delivered == [1])
    }

    @Test("Data right behind the handshake's last message is delivered", arguments: Version.allCases)
    func deliversDataThatArrivesWithTheHandshake(version: Version) throws {
        let identity = try Fixture.identity.get()
        let pair = try Pair(client: .client(pinnedTo: identity.certificate.fingerprint), server: .server(identity).limited(to: version))
        try pair.client.engine.handshake()
        while pair.client.engine.state == .handshaking {
            try pair.server.feed(pair.client.engine.takeOutput())
            try pair.client.feed(pair.server.engine.takeOutput())
        }
        try pair.client.engine.write(Array("auth".utf8))
        try pair.server.feed(pair.client.engine.takeOutput())
        #expect(pair.server.received == Array("auth".utf8))
    }

    @Test func refusesToWriteBeforeTheHandshake() throws {
        let server = try Endpoint(.server(Fixture.identity.get()))
        #expect(throws: TLSError.notEstablished) { try server.engine.write([1]) }
        #expect(server.engine.pendingOutput == 0)
    }

    @Test("Output keeps its order over partial sends and writes in between") func keepsOutputInOrder() throws {
        let pair = try Pair.established()
        let engine = pair.server.engine
        try engine.write(Fixture.bytes(3000))
        var sent: [UInt8] = []
        engine.withOutput {
            sent += $0.prefix(1000)
            do { try engine.write(Array("next".utf8)) } catch { Issue.record(error) }
            return 1000
        }
        engine.withOutput { _ in 0 }
        sent += engine.takeOutput()
        #expect(engine.pendingOutput == 0)
        try pair.client.feed(sent)
        #expect(pair.client.received == Fixture.bytes(3000) + Array("next".utf8))
    }

    @Test("A peer's demand for new keys is answered") func followsKeyUpdates() throws {
        let pair = try Pair.established(.v13)
        for round in 0..<5 {
            let ssl = pair.client.engine.ssl
            #expect(SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1)
            try pair.client.engine.write([UInt8(round)])
            try pair.shuttle()
            try pair.server.engine.write([UInt8(round)])
            try pair.shuttle()
        }
        #expect(pair.server.received == [0, 1, 2, 3, 4])
        #expect(pair.client.received == [0, 1, 2, 3, 4])
    }

    @Test("TLS 1.2 renegotiation is refused") func refusesRenegotiation() throws {
        let pair = try Pair.established(.v12)
        // The client's own refusal is lifted, to see the server's.
        SSL_clear_options(pair.client.engine.ssl, deck_SSL_OP_NO_RENEGOTIATION())
        #expect(SSL_renegotiate(pair.client.engine.ssl) == 1)
        #expect(SSL_do_handshake(pair.client.engine.ssl) != 1)
        try pair.server.feed(pair.client.engine.takeOutput())
        #expect(pair.server.received.isEmpty)
        #expect(pair.client.failure(feeding: pair.server.engine.takeOutput()) != nil)
        #expect(pair.server.engine.state == .established)
    }

    @Test("A server's wish to renegotiate is declined with a warning") func declinesHelloRequest() throws {
        let pair = try Pair.established(.v12)
        SSL_clear_options(pair.server.engine.ssl, deck_SSL_OP_NO_RENEGOTIATION())
        #expect(SSL_renegotiate(pair.server.engine.ssl) == 1)
        #expect(SSL_do_handshake(pair.server.engine.ssl) == 1)
        try pair.client.feed(pair.server.engine.takeOutput())
        #expect(pair.client.engine.takeOutput().first == 21)  // an alert; a new handshake would be 22
        #expect(pair.client.engine.state == .established)
    }
}
