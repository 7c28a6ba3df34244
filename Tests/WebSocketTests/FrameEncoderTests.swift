import Testing

@testable import WebSocket

struct FrameEncoderTests {
    @Test func writesTheExamplesOfTheRFC() {
        #expect(FrameEncoder.serverFrame(text: Array("Hello".utf8)) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(frame(from: .client, text: "Hello") == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        #expect(FrameEncoder.serverFrame(.ping, payload: Array("Hello".utf8)) == [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(FrameEncoder.serverFrame(.text, payload: Array("Hel".utf8), isFinal: false) == [0x01, 0x03, 0x48, 0x65, 0x6C])
    }

    @Test(
        "Lengths take their shortest form",
        arguments: [
            (0, [0x82, 0]), (125, [0x82, 125]), (126, [0x82, 126, 0, 126]), (127, [0x82, 126, 0, 127]), (65_535, [0x82, 126, 0xFF, 0xFF]),
            (65_536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])])
    func writesShortestLength(length: Int, header: [UInt8]) {
        let encoded = FrameEncoder.serverFrame(binary: [UInt8](repeating: 7, count: length))
        #expect(Array(encoded.prefix(header.count)) == header)
        #expect(encoded.count == header.count + length)
    }

    @Test func masksEachClientFrameWithANewKey() throws {
        var random = SeededRandom(9)
        let first = FrameEncoder.clientFrame(.text, payload: Array("same".utf8), using: &random)
        let second = FrameEncoder.clientFrame(.text, payload: Array("same".utf8), using: &random)
        #expect(first != second)
        var decoder = FrameDecoder(role: .server)
        decoder.receive(first + second)
        #expect(try decoder.nextFrame() == decoder.nextFrame())
    }

    @Test("Random frames come back as they were", arguments: 1...20 as ClosedRange<UInt64>)
    func roundTrips(seed: UInt64) throws {
        var random = SeededRandom(seed)
        for role in WebSocketRole.allCases {
            var decoder = FrameDecoder(role: role)
            var isFragmented = false
            for _ in 0..<30 {
                let isControl = Bool.random(using: &random)
                let length = isControl ? Int.random(in: 0...125, using: &random) : Int.random(in: 0...1500, using: &random)
                let opcode: Opcode = isControl ? (Bool.random(using: &random) ? .ping : .pong) : (isFragmented ? .continuation : .binary)
                let isFinal = isControl || Bool.random(using: &random)
                if !isControl { isFragmented = !isFinal }
                let sent = Frame(isFinal: isFinal, opcode: opcode, payload: random.bytes(length))
                let bytes =
                    role == .server
                    ? FrameEncoder.clientFrame(opcode, payload: sent.payload, isFinal: isFinal, using: &random)
                    : FrameEncoder.serverFrame(opcode, payload: sent.payload, isFinal: isFinal)
                let cut = Int.random(in: 0...bytes.count, using: &random)
                decoder.receive(bytes[..<cut])
                var received = try decoder.nextFrame()
                decoder.receive(bytes[cut...])
                if received == nil { received = try decoder.nextFrame() }
                #expect(received == sent)
            }
        }
    }
}
