import RelayProtocol
import TLS

/// What a client must know to pair with a node nearby, as the QR code and the text link carry it.
public struct PairingLink: Equatable, Sendable {
    /// The node's identity.
    public var host: HostID
    /// The computer's name: 1 … 128 characters.
    public var name: String
    /// The word older clients know; see ``RelayProtocol/Host/Platform``.
    public var platform: Host.Platform
    /// Additive: the true system, `linux` for our nodes.
    public var os: String?
    /// A private address.
    public var address: IPv4Address
    /// 1024 … 65535.
    public var port: UInt16
    /// What the client proves itself with.
    public var token: PairingToken
    /// The SHA-256 of the node's certificate; no other may answer at the address.
    public var fingerprint: CertificateFingerprint

    public init(
        host: HostID, name: String, platform: Host.Platform, os: String? = "linux", address: IPv4Address, port: UInt16,
        token: PairingToken, fingerprint: CertificateFingerprint
    ) {
        self.host = host
        self.name = name
        self.platform = platform
        self.os = os
        self.address = address
        self.port = port
        self.token = token
        self.fingerprint = fingerprint
    }

    /// Reads a link as a person pasted it or a QR code held it.
    ///
    /// Parameters it does not know are skipped, for newer nodes may add some.
    ///
    /// - Throws: ``PairingLinkError``, which never holds any part of the token.
    public init(_ text: String) throws(PairingLinkError) {
        let url: CodexDeckURL
        do { url = try CodexDeckURL(text) } catch { throw PairingLinkError(error) }
        try self.init(url)
    }

    init(_ url: CodexDeckURL) throws(PairingLinkError) {
        guard url.host == "pair", url.path.isEmpty || url.path == "/" else { throw .notAPairingLink }
        if let name = url.repeatedName { throw .repeated(Parameter(rawValue: name)) }
        func value(_ parameter: Parameter) throws(PairingLinkError) -> String {
            guard let value = url.value(parameter.rawValue) else { throw .missing(parameter) }
            return value
        }
        guard try value(.version) == "1" else { throw .unsupportedVersion }
        guard try value(.mode) == "nearby" else { throw .unsupportedMode }
        guard let host = HostID(try value(.hostID)) else { throw .invalid(.hostID) }
        guard let name = HostName.validated(try value(.name)) else { throw .invalid(.name) }
        guard let platform = Host.Platform(rawValue: try value(.platform)) else { throw .invalid(.platform) }
        let (address, port) = try Self.endpoint(try value(.endpoint))
        guard let token = PairingToken(try value(.token)) else { throw .invalid(.token) }
        guard let fingerprint = CertificateFingerprint(hex: try value(.fingerprint)) else { throw .invalid(.fingerprint) }
        let os = url.value(Parameter.os.rawValue)
        guard os.map(Self.isSystemName) ?? true else { throw .invalid(.os) }
        self.init(
            host: host, name: name, platform: platform, os: os, address: address, port: port, token: token, fingerprint: fingerprint)
    }

    /// The link as text. It holds the token: show it only to the owner.
    public var text: String {
        var fields: [(Parameter, String)] = [
            (.version, "1"), (.mode, "nearby"), (.hostID, host.uuid), (.name, name), (.platform, platform.rawValue),
            (.endpoint, "wss://\(address):\(port)"), (.token, token.secret.reveal()), (.fingerprint, fingerprint.hex),
        ]
        if let os { fields.append((.os, os)) }
        let query = fields.map { parameter, value in
            parameter.rawValue + "=" + CodexDeckURL.encoded(value, keeping: parameter == .endpoint ? ":/" : "")
        }
        return "codexdeck://pair?" + query.joined(separator: "&")
    }

    /// The parameters of a link, by their names in it.
    public enum Parameter: String, Sendable, CaseIterable {
        case version, mode, name, platform, endpoint, token, fingerprint, os
        case hostID = "hostId"
    }

    /// `wss://a.b.c.d:port`, with at most a slash behind it.
    private static func endpoint(_ text: String) throws(PairingLinkError) -> (IPv4Address, UInt16) {
        let scheme = "wss://"
        guard text.utf8.count <= 64, text.lowercased().hasPrefix(scheme) else { throw .insecureEndpoint }
        var rest = text.dropFirst(scheme.count)
        if rest.last == "/" { rest.removeLast() }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPv4Address(String(parts[0])) else { throw .invalid(.endpoint) }
        guard address.isPrivate else { throw .publicEndpoint }
        let digits = parts[1].utf8
        guard (4...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != 0x30,
            let port = UInt16(parts[1]), RelayLimits.ports.contains(port)
        else { throw .invalid(.endpoint) }
        return (address, port)
    }

    private static func isSystemName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
}

extension PairingLink: CustomStringConvertible {
    /// Everything but the token.
    public var description: String { "\(name) at \(address):\(port)" }
}
