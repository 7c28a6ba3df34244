import Testing

@testable import WebSocket

/// SplitMix64: a sequence that a test can repeat.
struct SeededRandom: RandomNumberGenerator, Sendable {
    var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

/// SHA-1, so that the handshake is tested against the values in RFC 6455 without a library.
func sha1(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    padded += (0..<8).reversed().map { UInt8(truncatingIfNeeded: (message.count * 8) >> (8 * $0)) }
    var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for block in stride(from: 0, to: padded.count, by: 64) {
        var words = (0..<16).map { word in padded[(block + 4 * word)..<(block + 4 * word + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
        for index in 16..<80 { words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)) }
        var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
        for index in 0..<80 {
            let (mix, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            (a, b, c, d, e) = (rotate(a, 5) &+ mix &+ e &+ constant &+ words[index], a, rotate(b, 30), c, d)
        }
        hash = zip(hash, [a, b, c, d, e]).map(&+)
    }
    return hash.flatMap { word in (0..<4).reversed().map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
}

private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
}

/// A frame as `role` would send it, with the mask of the RFC's examples.
func frame(
    from role: WebSocketRole, _ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true
) -> [UInt8] {
    var output: [UInt8] = []
    let mask = role == .client ? MaskingKey(0x37, 0xFA, 0x21, 0x3D) : nil
    FrameEncoder.append(opcode, payload: payload, isFinal: isFinal, mask: mask, to: &output)
    return output
}

func frame(from role: WebSocketRole, text: String, isFinal: Bool = true) -> [UInt8] {
    frame(from: role, .text, Array(text.utf8), isFinal: isFinal)
}

func closePayload(_ code: UInt16, _ reason: String = "") -> [UInt8] {
    [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
}

extension Array {
    /// The elements in runs of `size`.
    func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

/// A moment to count from; the tests never read the clock again.
let start = ContinuousClock.now

extension WebSocketRole: CaseIterable {
    public static var allCases: [WebSocketRole] { [.server, .client] }

    var peer: WebSocketRole { self == .server ? .client : .server }
}

/// A connection that can be asked for everything it did with some bytes.
struct Harness {
    var connection: WebSocketConnection

    init(_ role: WebSocketRole, _ change: (inout WebSocketConnection.Configuration) -> Void = { _ in }) {
        var configuration = WebSocketConnection.Configuration()
        change(&configuration)
        connection = WebSocketConnection(role: role, configuration: configuration, random: SeededRandom(1), now: start)
    }

    mutating func receive(_ bytes: some Collection<UInt8>, at seconds: Int = 0) -> [WebSocketEvent] {
        connection.receive(bytes, now: start + .seconds(seconds))
        return events()
    }

    mutating func events() -> [WebSocketEvent] {
        var events: [WebSocketEvent] = []
        while let event = connection.nextEvent() { events.append(event) }
        return events
    }

    /// The frames among the bytes to send, as the peer reads them.
    mutating func sentFrames() throws -> [Frame] {
        var decoder = FrameDecoder(role: connection.role.peer, maxMessageBytes: 1 << 24)
        decoder.receive(connection.takeOutput())
        var frames: [Frame] = []
        while let frame = try decoder.nextFrame() { frames.append(frame) }
        return frames
    }
}
