/// Why a TLS connection, certificate or key could not be used.
///
/// No case ever carries key material or application data; `description` is one sentence for a person.
public enum TLSError: Error, Equatable, Sendable {
    /// The server proved a certificate other than the pinned one; it received no application data.
    case certificatePinMismatch(presented: CertificateFingerprint)
    /// The server's certificate does not lead to a trusted authority, or is not valid now.
    case untrusted(reason: String)
    /// The certificate is trusted but issued for another name than `expected`.
    case hostnameMismatch(expected: String)
    /// The two sides have no TLS version in common; this one speaks 1.2 and 1.3.
    case protocolVersion
    /// The first bytes were not TLS: the other side sent plain text or another protocol.
    case plaintextOnTLSPort
    /// The other side gave up with this TLS alert (RFC 8446 §6).
    case alert(code: UInt8, name: String)
    /// The connection ended in the middle of the handshake, or without the closing record that rules out a cut.
    case truncated
    /// The connection was over: closed here, or ended by the other side before it sent a byte.
    case closed
    /// Application data was to be written before the handshake was complete.
    case notEstablished
    /// The text holds no certificate this library can read.
    case invalidCertificate(reason: String)
    /// The text holds no unencrypted private key this library can read.
    case invalidPrivateKey
    /// The private key does not belong to the certificate.
    case keyDoesNotMatchCertificate
    /// A parameter of a certificate or context is out of range.
    case invalidParameter(reason: String)
    /// The random number generator of the system gave nothing.
    case randomUnavailable
    /// Another failure, in the words of the TLS library.
    case other(reason: String)
}

extension TLSError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .certificatePinMismatch(let presented):
            "The computer at this address shows another certificate (\(presented)) than the paired one; pair again if it was replaced on purpose."
        case .untrusted(let reason):
            "The server's certificate is not trusted (\(reason)); check the address and the clock."
        case .hostnameMismatch(let expected):
            "The server's certificate was not issued for \(expected); check the address."
        case .protocolVersion:
            "The other side does not support TLS 1.2 or 1.3; update it."
        case .plaintextOnTLSPort:
            "The other side does not speak TLS on this port; check the port and whether the address begins with wss://."
        case .alert(let code, let name):
            "The other side ended the TLS connection (\(name), alert \(code)); look at its log for the cause."
        case .truncated:
            "The connection was cut before the other side closed it; try again."
        case .closed:
            "The TLS connection is closed; connect again."
        case .notEstablished:
            "The TLS handshake is not complete yet; wait for it before sending."
        case .invalidCertificate(let reason):
            "The certificate cannot be read (\(reason)); create a new one."
        case .invalidPrivateKey:
            "The private key cannot be read or is encrypted; create a new one."
        case .keyDoesNotMatchCertificate:
            "The private key does not belong to the certificate; create both again."
        case .invalidParameter(let reason):
            "A TLS parameter is not usable: \(reason)."
        case .randomUnavailable:
            "The system has no random numbers to give; try again later."
        case .other(let reason):
            "TLS failed (\(reason)); try again."
        }
    }
}
