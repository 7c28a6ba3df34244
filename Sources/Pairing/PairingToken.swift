import Log
import RelayProtocol

/// The secret with which a client proves that its owner paired it. Printing it never shows it.
public struct PairingToken: Equatable, Sendable, CustomStringConvertible {
    /// 32 … 512 bytes of UTF-8.
    public let secret: Secret

    /// - Returns: `nil` when `text` is not 32 … 512 bytes long.
    public init?(_ text: String) {
        guard (RelayLimits.minimumTokenBytes...RelayLimits.maximumTokenBytes).contains(text.utf8.count) else { return nil }
        secret = Secret(text)
    }

    /// A new token of 256 random bits: 43 characters of base64url without padding.
    public init(using random: RandomBytes) throws {
        let bytes = try random(32)
        guard bytes.count == 32 else { throw NodeStateError.noRandomness }
        secret = Secret(Self.base64URL(bytes))
    }

    public var description: String { secret.description }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var result: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 & 0xffff | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                result.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { result.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
        return String(decoding: result, as: UTF8.self)
    }
}

/// Gives as many random bytes as asked for, fit for keys.
public typealias RandomBytes = @Sendable (_ count: Int) throws -> [UInt8]
