import Glibc

/// The name or address a client expects in a server's certificate.
struct ServerName: Sendable, Equatable {
    let text: String
    let isAddress: Bool

    /// - Throws: ``TLSError/invalidParameter(reason:)`` for anything but a DNS name or an IP address.
    init(_ hostname: String) throws(TLSError) {
        var name = Substring(hostname)
        if name.hasPrefix("["), name.hasSuffix("]"), name.utf8.count > 2 { name = name.dropFirst().dropLast() }
        if Self.isAddress(String(name)) {
            (text, isAddress) = (String(name), true)
            return
        }
        if name.hasSuffix(".") { name = name.dropLast() }
        // OpenSSL takes an empty name as "do not check", and stops reading at a zero byte: neither may get through.
        guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte), name.utf8.first != UInt8(ascii: ".") else {
            throw .invalidParameter(reason: "the host name of a server must be a DNS name or an IP address")
        }
        (text, isAddress) = (String(name), false)
    }

    static func isAddress(_ text: String) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        var storage = in6_addr()
        return inet_pton(AF_INET, text, &storage) == 1 || inet_pton(AF_INET6, text, &storage) == 1
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
