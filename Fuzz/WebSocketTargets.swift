import WebSocket

let webSocketTargets = [
    FuzzTarget("http-request", maximumLength: 1024) { bytes in
        let whole = request([bytes])
        expect(whole == request(bytes.pieces), "how a request is cut changes nothing")
        guard case .success((let request?)) = whole.outcome else { return }
        expect(bytes.suffix(whole.leftover.count).elementsEqual(whole.leftover), "what follows the request is kept")
        let answer = request.acceptance { _ in [UInt8](repeating: 0, count: 20) }
        expect(answer.starts(with: "HTTP/1.1 101 ".utf8) && answer.suffix(4) == [13, 10, 13, 10], "a good request has an answer")
    },
    FuzzTarget("http-response", maximumLength: 1024) { bytes in
        let whole = response([bytes])
        expect(whole == response(bytes.pieces), "how a response is cut changes nothing")
        guard case .success(true) = whole.outcome else { return }
        expect(bytes.suffix(whole.leftover.count).elementsEqual(whole.leftover), "what follows the response is kept")
    },
    FuzzTarget("websocket-server", maximumLength: 1024) { checkFrames($0, role: .server) },
    FuzzTarget("websocket-client", maximumLength: 1024) { checkFrames($0, role: .client) },
]

// MARK: Handshakes

private struct Handshake<Value: Equatable, Failure: Error & Equatable>: Equatable {
    var outcome: Result<Value, Failure>
    var leftover: [UInt8] = []
}

private func request(_ pieces: [UnsafeRawBufferPointer]) -> Handshake<UpgradeRequest?, UpgradeRefusal> {
    var parser = UpgradeRequestParser(allowedOrigins: ["https://deck.example"], maxHeadBytes: 512, maxHeaderLines: 12)
    var handshake = Handshake<UpgradeRequest?, UpgradeRefusal>(outcome: .success(nil))
    for piece in pieces {
        parser.receive(piece)
        do throws(UpgradeRefusal) { handshake.outcome = .success(try parser.nextRequest()) } catch { handshake.outcome = .failure(error) }
    }
    handshake.leftover = parser.takeLeftover()
    return handshake
}

/// The answer to the key in the RFC's own example.
private let expectedAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

private func response(_ pieces: [UnsafeRawBufferPointer]) -> Handshake<Bool, UpgradeFailure> {
    var parser = UpgradeResponseParser(expectedAccept: expectedAccept, maxHeadBytes: 512, maxHeaderLines: 12)
    var handshake = Handshake<Bool, UpgradeFailure>(outcome: .success(false))
    for piece in pieces {
        parser.receive(piece)
        do throws(UpgradeFailure) { handshake.outcome = .success(try parser.isUpgraded()) } catch { handshake.outcome = .failure(error) }
    }
    handshake.leftover = parser.takeLeftover()
    return handshake
}

// MARK: Frames

/// The largest message in bytes: small, so that short inputs reach it, and past the first of the two longer forms of a length.
private let messageLimit = 200

private struct Conversation: Equatable {
    var events: [WebSocketEvent] = []
    var output: [UInt8] = []
}

/// Masks that can be compared.
private struct Counter: RandomNumberGenerator, Sendable {
    var value: UInt64 = 0
    mutating func next() -> UInt64 {
        value &+= 0x9e37_79b9_7f4a_7c15
        return value
    }
}

private let start = ContinuousClock.now

private func converse(_ pieces: [UnsafeRawBufferPointer], role: WebSocketRole) -> Conversation {
    var configuration = WebSocketConnection.Configuration()
    configuration.maxMessageBytes = messageLimit
    var connection = WebSocketConnection(role: role, configuration: configuration, random: Counter(), now: start)
    var conversation = Conversation()
    func pull() { while let event = connection.nextEvent() { conversation.events.append(event) } }
    for piece in pieces {
        connection.receive(piece, now: start)
        pull()
    }
    connection.transportEnded()
    pull()
    conversation.output = connection.takeOutput()
    return conversation
}

private func checkFrames(_ bytes: UnsafeRawBufferPointer, role: WebSocketRole) {
    let whole = converse([bytes], role: role)
    expect(whole == converse(bytes.pieces, role: role), "how frames are cut changes nothing")
    for (index, event) in whole.events.enumerated() {
        let isLast = index == whole.events.count - 1
        switch event {
        case .text(let text): expect(text.count <= messageLimit && String(validating: text, as: UTF8.self) != nil, "a text is short and valid")
        case .binary(let data): expect(data.count <= messageLimit, "a message is within the limit")
        case .ping(let data), .pong(let data): expect(data.count <= 125, "a control frame is short")
        case .close(let code, _): expect(isLast && code.map { $0.rawValue >= 1000 } ?? true, "nothing follows a close")
        case .failed: expect(isLast, "nothing follows a failure")
        }
    }
    checkAnswers(whole.output, from: role)
}

/// Whatever the other end sends, our answers must be fit for it.
private func checkAnswers(_ output: [UInt8], from role: WebSocketRole) {
    var decoder = FrameDecoder(role: role == .server ? .client : .server, maxMessageBytes: messageLimit)
    decoder.receive(output)
    do throws(WebSocketError) {
        while try decoder.nextFrame() != nil {}
    } catch {
        expect(false, "what we send keeps the rules: \(error)")
    }
}
