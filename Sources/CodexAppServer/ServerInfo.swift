import JSON

/// What the server says of itself when a connection begins.
public struct ServerInfo: Hashable, Sendable {
    /// As `decknode/0.163.0 (Debian 12.0.0; x86_64) xterm (decknode; 0.2)`: the first client this daemon ever had, and the daemon's version.
    public var userAgent: String
    public var codexHome: String?

    init(_ value: JSONValue) {
        userAgent = value["userAgent"]?.string ?? ""
        codexHome = value["codexHome"]?.string
    }

    /// The daemon's version, as `0.163.0` or `0.170.0-alpha.2`; `nil` when the user agent does not tell.
    public var version: String? {
        // The client in front of the slash chose its own name, so the first slash that a number follows counts.
        for (index, byte) in zip(userAgent.utf8.indices, userAgent.utf8) where byte == UInt8(ascii: "/") {
            let version = userAgent.utf8[userAgent.utf8.index(after: index)...].prefix(Self.longestVersion).prefix(while: Self.belongs)
            let parts = version.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let isNumbered = parts.prefix(2).allSatisfy { !$0.isEmpty && $0.allSatisfy(Self.isDigit) }
            if parts.count >= 3, isNumbered, parts[2].first.map(Self.isDigit) == true {
                return String(decoding: version, as: UTF8.self)
            }
        }
        return nil
    }

    private static let longestVersion = 32

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func belongs(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}

/// Who connects, as the server is told.
public struct ClientInfo: Hashable, Sendable {
    public var name: String
    public var title: String
    public var version: String

    public init(name: String, title: String, version: String) {
        self.name = name
        self.title = title
        self.version = version
    }
}
