import RelayProtocol

/// What a node says about itself to its neighbourhood: the TXT record of `_codexdeck._tcp`. Nobody vouches for it.
public struct ServiceRecord: Hashable, Sendable {
    /// The service type that nodes are announced under.
    public static let serviceType = "_codexdeck._tcp"

    public var host: HostID
    /// 1 … 128 characters.
    public var name: String
    /// The word older clients know.
    public var platform: Host.Platform
    /// Additive: `linux` for our nodes.
    public var os: String?
    /// A private address.
    public var address: IPv4Address
    /// 1024 … 65535.
    public var port: UInt16
    /// The SHA-256 of the node's certificate: 64 lower-case hexadecimal digits.
    public var fingerprint: String

    public init(
        host: HostID, name: String, platform: Host.Platform, os: String? = "linux", address: IPv4Address, port: UInt16, fingerprint: String
    ) {
        self.host = host
        self.name = name
        self.platform = platform
        self.os = os
        self.address = address
        self.port = port
        self.fingerprint = fingerprint
    }

    /// The name of the service: `Codex Deck <name>`, cut to the 63 bytes that DNS allows, between characters.
    public var serviceName: String {
        var result = "Codex Deck " + name
        while result.utf8.count > 63 { result.removeLast() }
        return result
    }

    /// The entries of the TXT record, each `key=value` of at most 255 bytes.
    ///
    /// A name that is too long for its entry is cut there; the identity is the host's id.
    public var entries: [[UInt8]] {
        var fields = [
            ("protocol", "1"), ("hostId", host.uuid), ("hostName", name), ("platform", platform.rawValue),
            ("address", address.description), ("port", String(port)), ("secure", "1"), ("fingerprint", fingerprint),
        ]
        if let os { fields.append(("os", os)) }
        return fields.map { key, value in
            var value = value
            while key.utf8.count + 1 + value.utf8.count > Self.maximumEntry { value.removeLast() }
            return Array("\(key)=\(value)".utf8)
        }
    }

    /// Reads the entries of a TXT record. Unknown keys are skipped; of a key that stands twice the first counts, as DNS-SD says.
    ///
    /// - Throws: ``ServiceRecordProblem``.
    public init(entries: [[UInt8]]) throws(ServiceRecordProblem) {
        guard entries.count <= Self.maximumEntries else { throw .tooLarge }
        var values: [String: String] = [:]
        for entry in entries {
            guard entry.count <= Self.maximumEntry else { throw .tooLarge }
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")), equals > 0 else { continue }
            // Keys are compared without regard to case.
            let key = String(decoding: entry[..<equals], as: UTF8.self).lowercased()
            guard Self.keys.contains(key), values[key] == nil else { continue }
            guard let value = String(validating: entry[(equals + 1)...], as: UTF8.self) else { throw .invalid(key) }
            values[key] = value
        }
        func value(_ key: String) throws(ServiceRecordProblem) -> String {
            guard let value = values[key] else { throw .missing(key) }
            return value
        }
        guard try value("protocol") == "1" else { throw .unsupportedProtocol }
        guard try value("secure") == "1" else { throw .insecure }
        guard let host = HostID(try value("hostid")) else { throw .invalid("hostId") }
        let name = try value("hostname")
        guard Self.isName(name) else { throw .invalid("hostName") }
        guard let platform = Host.Platform(rawValue: try value("platform")) else { throw .invalid("platform") }
        guard let address = IPv4Address(try value("address")), address.isPrivate else { throw .invalid("address") }
        guard let port = Self.port(try value("port")) else { throw .invalid("port") }
        guard let fingerprint = Self.fingerprint(try value("fingerprint")) else { throw .invalid("fingerprint") }
        let os = values["os"]
        guard os.map(Self.isSystemName) ?? true else { throw .invalid("os") }
        self.init(host: host, name: name, platform: platform, os: os, address: address, port: port, fingerprint: fingerprint)
    }

    static let maximumEntries = 64
    private static let maximumEntry = 255
    private static let keys: Set = ["protocol", "hostid", "hostname", "platform", "address", "port", "secure", "fingerprint", "os"]

    /// 1 … 128 characters, none of which could command a terminal or turn a line round.
    private static func isName(_ text: String) -> Bool {
        text.count <= 128 && !text.allSatisfy(\.isWhitespace)
            && !text.unicodeScalars.contains { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                default: (0x202a...0x202e).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
                }
            }
    }

    private static func isSystemName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    private static func port(_ text: String) -> UInt16? {
        guard (4...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text),
            RelayLimits.ports.contains(port)
        else { return nil }
        return port
    }

    /// Accepts upper case and colons, as some tools print them.
    private static func fingerprint(_ text: String) -> String? {
        let digits = text.lowercased().utf8.filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 64, digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
        return String(decoding: digits, as: UTF8.self)
    }
}

/// Why a TXT record is not that of a node.
public enum ServiceRecordProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// More than 64 entries, or one of more than 255 bytes.
    case tooLarge
    /// A key that must be there is not.
    case missing(String)
    /// The value of a key breaks its rule.
    case invalid(String)
    /// It speaks another protocol than 1.
    case unsupportedProtocol
    /// It offers no TLS.
    case insecure

    public var description: String {
        switch self {
        case .tooLarge: "An announcement is too large to be that of a node; it is ignored."
        case .missing(let key): "An announcement lacks its \(key); it is ignored."
        case .invalid(let key): "An announcement has no valid \(key); it is ignored."
        case .unsupportedProtocol: "A node announces a protocol that this version does not speak; update Codex Deck."
        case .insecure: "A node announces a connection without TLS; it is ignored."
        }
    }
}
