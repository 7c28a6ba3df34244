/// What stands in a Close frame: nothing, or a code and a reason.
struct ClosePayload: Equatable, Sendable {
    /// `nil` when the frame is empty.
    let code: CloseCode?
    let reason: String

    /// Bytes left for the reason beside the code in a control frame of 125.
    static let maxReasonBytes = 123

    /// Reads and checks a received payload.
    init(_ payload: [UInt8]) throws(PeerViolation) {
        guard !payload.isEmpty else {
            (code, reason) = (nil, "")
            return
        }
        guard payload.count >= 2 else { throw .closePayloadTooShort }
        let number = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard let code = CloseCode(rawValue: number) else { throw .invalidCloseCode(number) }
        guard UTF8Validator.isValid(payload[2...]) else { throw .closeReasonNotUTF8 }
        self.code = code
        reason = String(decoding: payload[2...], as: UTF8.self)
    }

    /// The payload to send; a reason over 123 bytes is cut at the last whole Unicode scalar that fits.
    static func encode(_ code: CloseCode?, reason: String) -> [UInt8] {
        guard let code else { return [] }
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for scalar in reason.unicodeScalars {
            let bytes = UTF8.encode(scalar).map(Array.init) ?? []
            guard payload.count + bytes.count <= 2 + maxReasonBytes else { break }
            payload += bytes
        }
        return payload
    }
}
