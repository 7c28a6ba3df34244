import Testing

@testable import WebSocket

/// Bytes that make no sense, or nearly do, must neither trap nor depend on how they were cut.
struct GarbageTests {
    /// Random bytes, mixed with what gets a parser further: headers of frames, pieces of a request.
    private static func garbage(_ random: inout SeededRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            switch Int.random(in: 0...3, using: &random) {
            case 0: bytes += random.bytes(Int.random(in: 0...20, using: &random))
            case 1:
                bytes += [
                    [0x01, 0x80, 0x81, 0x82, 0x88, 0x89, 0x8A].randomElement(using: &random) ?? 0,
                    [0, 3, 0x80, 0x85, 0xFE, 0xFF, 127].randomElement(using: &random) ?? 0,
                ]
            case 2:
                bytes += frame(
                    from: Bool.random(using: &random) ? .client : .server, Opcode.allCases.randomElement(using: &random) ?? .text, random.bytes(3),
                    isFinal: Bool.random(using: &random))
            default: bytes += Array((UpgradeRequestParserTests.lines.randomElement(using: &random) ?? "").utf8) + [13, 10]
            }
        }
        return bytes
    }

    private static func outcome(_ bytes: [UInt8], role: WebSocketRole, chunk: Int) -> ([WebSocketEvent], [UInt8]) {
        var harness = Harness(role) { $0.maxMessageBytes = 200 }
        let events = bytes.chunks(of: chunk).flatMap { harness.receive($0) }
        harness.connection.handleTimeout(now: start + .seconds(100))
        harness.connection.transportEnded()
        return (events + harness.events(), harness.connection.takeOutput())
    }

    @Test("Connections end the same way in any pieces", arguments: 1...40 as ClosedRange<UInt64>)
    func connections(seed: UInt64) {
        var random = SeededRandom(seed)
        for _ in 0..<50 {
            let bytes = Self.garbage(&random)
            for role in WebSocketRole.allCases {
                let whole = Self.outcome(bytes, role: role, chunk: 100_000)
                let pieces = Self.outcome(bytes, role: role, chunk: Int.random(in: 1...5, using: &random))
                #expect(whole.0 == pieces.0)
                #expect(whole.1 == pieces.1)
            }
        }
    }

    @Test("Handshakes end the same way in any pieces", arguments: 1...40 as ClosedRange<UInt64>)
    func handshakes(seed: UInt64) {
        var random = SeededRandom(seed)
        for _ in 0..<50 {
            let bytes = Self.garbage(&random)
            let whole = Result { () throws(UpgradeRefusal) in try UpgradeRequestParserTests.parse(bytes) }
            let pieces = Result { () throws(UpgradeRefusal) in try UpgradeRequestParserTests.parse(bytes, chunk: 3) }
            #expect(whole == pieces)
            _ = try? UpgradeResponseParserTests.parse(bytes + [13, 10, 13, 10])
        }
    }

    @Test("Mutated conversations never trap", arguments: 1...40 as ClosedRange<UInt64>)
    func mutations(seed: UInt64) {
        var random = SeededRandom(seed)
        let good =
            frame(from: .client, text: "hello €", isFinal: false) + frame(from: .client, .ping, [1])
            + frame(from: .client, .continuation, Array("x".utf8))
            + frame(from: .client, .binary, random.bytes(130)) + frame(from: .client, .close, closePayload(1000, "bye"))
        for _ in 0..<50 {
            var bytes = good
            for _ in 0..<3 { bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random) }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            let whole = Self.outcome(bytes, role: .server, chunk: 100_000)
            let pieces = Self.outcome(bytes, role: .server, chunk: 1)
            #expect(whole.0 == pieces.0 && whole.1 == pieces.1)
        }
    }
}
