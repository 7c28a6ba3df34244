import Testing

@testable import WebSocket

struct FrameDecoderTests {
    /// Decodes until the bytes or the peer's luck run out.
    private static func decode(
        _ bytes: [UInt8], as role: WebSocketRole = .server, chunk: Int = .max, limit: Int = 65_536
    ) -> (frames: [Frame], error: WebSocketError?) {
        var decoder = FrameDecoder(role: role, maxMessageBytes: limit)
        var frames: [Frame] = []
        for piece in bytes.chunks(of: min(chunk, max(1, bytes.count))) {
            decoder.receive(piece)
            do throws(WebSocketError) {
                while let frame = try decoder.nextFrame() { frames.append(frame) }
            } catch {
                return (frames, error)
            }
        }
        return (frames, nil)
    }

    /// Fails if the violation is not reported, or reported later than at the last of `bytes`.
    private static func expect(
        _ violation: PeerViolation, _ bytes: [UInt8], as role: WebSocketRole = .server, limit: Int = 65_536,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for chunk in [1, .max] {
            let result = decode(bytes, as: role, chunk: chunk, limit: limit)
            #expect(result.error == .peer(violation), sourceLocation: sourceLocation)
        }
        let early = decode(Array(bytes.dropLast()), as: role, limit: limit)
        #expect(early.error == nil, "reported before the wrong byte", sourceLocation: sourceLocation)
    }

    @Test func readsTheExamplesOfTheRFC() {
        let hello = Array("Hello".utf8)
        #expect(Self.decode([0x81, 5] + hello, as: .client).frames == [Frame(opcode: .text, payload: hello)])
        let masked: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(Self.decode(masked).frames == [Frame(opcode: .text, payload: hello)])
        let fragments: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
        #expect(
            Self.decode(fragments, as: .client).frames == [
                Frame(isFinal: false, opcode: .text, payload: [0x48, 0x65, 0x6C]), Frame(opcode: .continuation, payload: [0x6C, 0x6F]),
            ])
    }

    @Test("Every length form round trips", arguments: [0, 1, 124, 125, 126, 127, 255, 256, 65_534, 65_535, 65_536], WebSocketRole.allCases)
    func readsAllLengths(length: Int, role: WebSocketRole) {
        let sent = Frame(opcode: .binary, payload: [UInt8](repeating: 0xA5, count: length))
        let result = Self.decode(frame(from: role.peer, .binary, sent.payload), as: role, chunk: 1000)
        #expect(result.frames == [sent])
        #expect(result.error == nil)
    }

    @Test("Chunk boundaries never change the frames", arguments: [1, 2, 3, 5, 7, 13, 100, 4096], WebSocketRole.allCases)
    func decodesAnyChunking(chunk: Int, role: WebSocketRole) {
        let peer = role.peer
        let stream =
            frame(from: peer, text: "aé€🙂", isFinal: false) + frame(from: peer, .ping, [1, 2])
            + frame(from: peer, .continuation, [], isFinal: false)
            + frame(from: peer, .continuation, Array("🙂".utf8)) + frame(from: peer, .binary, SeededRandom(5).sample(70_000 - 5000))
            + frame(from: peer, .pong, []) + frame(from: peer, .close, closePayload(1000, "bye"))
        let whole = Self.decode(stream, as: role)
        let pieces = Self.decode(stream, as: role, chunk: chunk)
        #expect(whole.frames.count == 7 && whole.error == nil)
        #expect(pieces.frames == whole.frames)
    }

    @Test("RSV bits are refused at the first byte", arguments: [0x40, 0x20, 0x10, 0x70, 0x60] as [UInt8], Opcode.allCases)
    func refusesReservedBits(bits: UInt8, opcode: Opcode) {
        Self.expect(.reservedBits, [0x80 | bits | opcode.rawValue])
    }

    @Test("Reserved opcodes are refused at the first byte", arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8], [0, 0x80] as [UInt8])
    func refusesReservedOpcodes(opcode: UInt8, fin: UInt8) {
        Self.expect(.reservedOpcode(opcode), [fin | opcode])
    }

    @Test("Masks go one way only", arguments: Opcode.allCases)
    func refusesWrongMasks(opcode: Opcode) {
        Self.expect(.unmasked, [0x80 | opcode.rawValue, 0x00], as: .server)
        Self.expect(.masked, [0x80 | opcode.rawValue, 0x80], as: .client)
    }

    @Test("Control frames are short and whole", arguments: [.close, .ping, .pong] as [Opcode])
    func refusesLongOrFragmentedControls(opcode: Opcode) {
        Self.expect(.fragmentedControl, [opcode.rawValue])
        Self.expect(.controlTooLong, [0x80 | opcode.rawValue, 0x80 | 126])
        Self.expect(.controlTooLong, [0x80 | opcode.rawValue, 0x80 | 127])
        let longest = frame(from: .client, opcode, [UInt8](repeating: 1, count: 125))
        #expect(Self.decode(longest).frames.map(\.payload.count) == [125])
    }

    @Test("Lengths have one form", arguments: [0, 1, 125] as [UInt8])
    func refusesPaddedShortLengths(length: UInt8) {
        Self.expect(.lengthNotMinimal, [0x82, 0x80 | 126, 0, length])
    }

    @Test("64-bit lengths are for what does not fit 16 bits", arguments: [0, 125, 126, 65_535] as [UInt64])
    func refusesPaddedLongLengths(length: UInt64) {
        Self.expect(.lengthNotMinimal, [0x82, 0x80 | 127] + bigEndian(length))
    }

    @Test("The highest bit of a length is never set", arguments: [0, 7, 0xFF] as [UInt8])
    func refusesHugeLengths(rest: UInt8) {
        Self.expect(.lengthOverflow, [0x82, 0x80 | 127, 0x80] + [UInt8](repeating: rest, count: 7))
    }

    @Test("A payload over the limit is refused before it is sent", arguments: [65_537, 1 << 20, 1 << 32, (1 << 63) - 1] as [UInt64])
    func refusesLargePayloadsFromTheHeader(length: UInt64) {
        let header: [UInt8] = [0x82, 0x80 | 127] + bigEndian(length) + [1, 2, 3, 4]
        Self.expect(.messageTooLarge(bytes: length), header)
    }

    @Test func countsAllFragmentsAgainstTheLimit() {
        let first = frame(from: .client, .binary, [1, 2, 3], isFinal: false) + frame(from: .client, .ping, [UInt8](repeating: 0, count: 100))
        let fits = Self.decode(first + frame(from: .client, .continuation, [4, 5, 6, 7]), limit: 7)
        #expect(fits.frames.count == 3)
        Self.expect(.messageTooLarge(bytes: 8), first + [0x80, 0x85, 0, 0, 0, 0], limit: 7)
        // The next message starts from zero again.
        let next = Self.decode(first + frame(from: .client, .continuation, [4]) + frame(from: .client, .text, [1, 2, 3, 4, 5, 6, 7]), limit: 7)
        #expect(next.error == nil)
    }

    @Test func sumsThatOverflowAreOnlyTooLarge() {
        let header: [UInt8] = [0x80, 0x80 | 127, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [0, 0, 0, 0]
        Self.expect(.messageTooLarge(bytes: UInt64(Int64.max) + 3), frame(from: .client, .binary, [1, 2, 3], isFinal: false) + header)
        Self.expect(.messageTooLarge(bytes: 1), [0x82, 0x81, 0, 0, 0, 0], limit: -5)
    }

    @Test func refusesContinuationsOfNothing() {
        Self.expect(.unexpectedContinuation, [0x80, 0x80, 0, 0, 0, 0])
        Self.expect(.unexpectedContinuation, frame(from: .client, text: "done") + [0x00, 0x83, 0, 0, 0, 0])
        let ended = frame(from: .client, text: "a", isFinal: false) + frame(from: .client, .continuation, [0x62])
        Self.expect(.unexpectedContinuation, ended + [0x80, 0x80, 0, 0, 0, 0])
    }

    @Test("A message cannot start inside another", arguments: [0x81, 0x01, 0x82, 0x02] as [UInt8])
    func refusesInterleavedMessages(first: UInt8) {
        Self.expect(.messageInterleaved, frame(from: .client, text: "a", isFinal: false) + [first, 0x80, 0, 0, 0, 0])
    }

    @Test("Bad text fails at its byte, in the middle of its frame", arguments: invalidUTF8.indices)
    func refusesBadTextAtOnce(index: Int) {
        let (bytes, wrongAt) = invalidUTF8[index]
        for prefix in ["", "a", "12345678", "€uro 🙂"] {
            let text = Array(prefix.utf8) + bytes
            let whole = frame(from: .server, .text, text + Array("the rest".utf8))
            Self.expect(.textNotUTF8, Array(whole[...(2 + prefix.utf8.count + wrongAt)]), as: .client)
        }
    }

    @Test("Bad text fails when cut into fragments anywhere", arguments: invalidUTF8.indices)
    func refusesBadTextAcrossFragments(index: Int) {
        let (bytes, wrongAt) = invalidUTF8[index]
        for cut in 0...wrongAt {
            let head = frame(from: .client, .text, Array(bytes[..<cut]), isFinal: false) + frame(from: .client, .ping, [0xFF])
            let tail = frame(from: .client, .continuation, Array(bytes[cut...wrongAt]) + [0x61])
            Self.expect(.textNotUTF8, head + tail.dropLast())
        }
    }

    @Test("Text must not end inside a character", arguments: [[0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98]] as [[UInt8]])
    func refusesUnfinishedText(bytes: [UInt8]) {
        Self.expect(.textNotUTF8, frame(from: .client, .text, bytes))
        Self.expect(.textNotUTF8, frame(from: .client, .text, bytes, isFinal: false) + [0x80, 0x80, 0, 0, 0, 0])
    }

    @Test func leavesBinaryAndControlPayloadsUnchecked() {
        for opcode in [Opcode.binary, .ping, .pong] {
            #expect(Self.decode(frame(from: .client, opcode, [0xFF, 0xC0])).error == nil)
        }
    }

    @Test func keepsGoodFramesBeforeABadOneAndStaysFailed() throws {
        var decoder = FrameDecoder(role: .server)
        decoder.receive(frame(from: .client, text: "good") + [0x83])
        #expect(try decoder.nextFrame()?.payload == Array("good".utf8))
        #expect(throws: WebSocketError.peer(.reservedOpcode(3))) { try decoder.nextFrame() }
        decoder.receive(frame(from: .client, text: "late"))
        #expect(throws: WebSocketError.peer(.reservedOpcode(3))) { try decoder.nextFrame() }
    }
}

private func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

extension SeededRandom {
    fileprivate func sample(_ count: Int) -> [UInt8] {
        var copy = self
        return copy.bytes(count)
    }
}
