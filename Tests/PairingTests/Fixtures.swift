import RelayProtocol
import TLS

@testable import Pairing

/// Values that every test here may use. The token stands nowhere else, so finding it in a text proves a leak.
enum Fixture {
    static let token = "canary-abcdefghijklmnopqrstuvwxyz-0123456789"
    static let fingerprint = String(repeating: "0123456789abcdef", count: 4)
    static let hostID = "12345678-9abc-4def-8123-456789abcdef"

    /// The parameters of a good link, by name.
    static let parameters = [
        ("version", "1"), ("mode", "nearby"), ("hostId", hostID), ("name", "Studio%20PC"), ("platform", "darwin"),
        ("endpoint", "wss://192.168.1.20:47653"), ("token", token), ("fingerprint", fingerprint), ("os", "linux"),
    ]

    /// A link with some parameters replaced or, with `nil`, left out.
    static func link(_ changes: [String: String?] = [:]) -> String {
        let fields = parameters.compactMap { name, value in
            (changes[name] ?? .some(value)).map { "\(name)=\($0)" }
        }
        return "codexdeck://pair?" + fields.joined(separator: "&")
    }

    static func pairingLink(name: String = "Studio PC") throws -> PairingLink {
        try PairingLink(link(["name": CodexDeckURL.encoded(name)]))
    }

    /// Bytes that count up, another range each time.
    static let counting: RandomBytes = { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } }
}
