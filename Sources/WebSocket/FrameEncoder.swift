/// Writes frames. The shortest length form is always used, and no extension bit is ever set.
public enum FrameEncoder {
    /// A whole text message from a server. It carries no mask, so the result can be made once and sent to any number of clients.
    ///
    /// - Parameter text: UTF-8; not checked here.
    public static func serverFrame(text: some Collection<UInt8>) -> [UInt8] {
        serverFrame(.text, payload: text)
    }

    /// The same for an array, without generic code for callers in other modules.
    public static func serverFrame(text: [UInt8]) -> [UInt8] { serverFrame(.text, payload: text) }

    /// A whole binary message from a server.
    public static func serverFrame(binary: some Collection<UInt8>) -> [UInt8] {
        serverFrame(.binary, payload: binary)
    }

    /// Any frame from a server.
    ///
    /// - Parameters:
    ///   - payload: At most 125 bytes for a control frame; not checked here.
    ///   - isFinal: `false` for all but the last frame of a fragmented message.
    public static func serverFrame(_ opcode: Opcode, payload: some Collection<UInt8>, isFinal: Bool = true) -> [UInt8] {
        var output: [UInt8] = []
        append(opcode, payload: payload, isFinal: isFinal, mask: nil, to: &output)
        return output
    }

    /// Any frame from a client, masked with a key of its own; parameters as for the server's.
    public static func clientFrame(
        _ opcode: Opcode, payload: some Collection<UInt8>, isFinal: Bool = true, using random: inout some RandomNumberGenerator
    ) -> [UInt8] {
        var output: [UInt8] = []
        append(opcode, payload: payload, isFinal: isFinal, mask: MaskingKey(using: &random), to: &output)
        return output
    }

    /// Appends a frame to bytes that wait to be sent.
    static func append(_ opcode: Opcode, payload: some Collection<UInt8>, isFinal: Bool = true, mask: MaskingKey?, to output: inout [UInt8]) {
        payload.withContiguousBytes { bytes in
            // Only for the first frame: reserving exactly for each of many would copy all of them every time.
            if output.isEmpty { output.reserveCapacity(14 + bytes.count) }
            output.append((isFinal ? 0x80 : 0) | opcode.rawValue)
            appendLength(bytes.count, maskBit: mask == nil ? 0 : 0x80, to: &output)
            if let mask {
                for byte in 0..<4 { output.append(UInt8(truncatingIfNeeded: mask.value >> (8 * byte))) }
            }
            let start = output.count
            output.append(contentsOf: bytes)
            guard let mask else { return }
            output.withUnsafeMutableBytes { all in
                mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[start...]), offset: 0)
            }
        }
    }

    private static func appendLength(_ length: Int, maskBit: UInt8, to output: inout [UInt8]) {
        let (short, extraBytes): (UInt8, Int) = length <= 125 ? (UInt8(length), 0) : length <= 65_535 ? (126, 2) : (127, 8)
        output.append(maskBit | short)
        for byte in (0..<extraBytes).reversed() {
            output.append(UInt8(truncatingIfNeeded: length >> (8 * byte)))
        }
    }
}
