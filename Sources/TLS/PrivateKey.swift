import COpenSSL

/// A private key as PEM text. Printing it, also inside another value, shows no key material.
public struct PrivateKey: Sendable {
    /// PKCS#8 or the key's own format, unencrypted. Secret.
    public let pem: String

    /// - Throws: ``TLSError/invalidPrivateKey`` when the text holds no readable key or an encrypted one.
    public init(pem: String) throws(TLSError) {
        _ = try KeyHandle(pem: pem)
        self.pem = pem
    }

    init(_ handle: borrowing KeyHandle) throws(TLSError) {
        pem = try handle.pem()
    }
}

extension PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "private key (hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
