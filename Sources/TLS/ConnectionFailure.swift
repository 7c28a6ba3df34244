import COpenSSL

/// Turns OpenSSL's reasons into errors a caller can tell apart.
struct ConnectionFailure {
    let ssl: OpaquePointer
    let peer: TLSContext.Peer?
    let refused: CertificateFingerprint?
    let isHandshaking: Bool

    /// - Parameters:
    ///   - code: What `SSL_get_error` says.
    ///   - entry: What the error queue says.
    func error(code: CInt, _ entry: ErrorQueue.Entry?) -> TLSError {
        // The peer's closing record in the middle of the handshake.
        if code == SSL_ERROR_ZERO_RETURN { return .closed }
        guard let entry else { return .other(reason: "no reason given") }
        guard let reason = entry.sslReason else { return .other(reason: entry.text) }
        switch reason {
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            return verification()
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_WRONG_VERSION_NUMBER:
            return isHandshaking ? .plaintextOnTLSPort : .other(reason: entry.text)
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH, SSL_R_WRONG_SSL_VERSION,
            SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
            return .protocolVersion
        case SSL_R_UNEXPECTED_EOF_WHILE_READING:
            return .truncated
        default:
            return alert(reason) ?? .other(reason: entry.text)
        }
    }

    private func verification() -> TLSError {
        if let refused { return .certificatePinMismatch(presented: refused) }
        let result = SSL_get_verify_result(ssl)
        if case .named(let name) = peer, result == X509_V_ERR_HOSTNAME_MISMATCH || result == X509_V_ERR_IP_ADDRESS_MISMATCH {
            return .hostnameMismatch(expected: name.text)
        }
        return .untrusted(reason: X509_verify_cert_error_string(result).map { String(cString: $0) } ?? "unknown reason")
    }

    /// An alert of the peer is a reason of 1000 and more.
    private func alert(_ reason: CInt) -> TLSError? {
        guard let code = UInt8(exactly: reason - SSL_AD_REASON_OFFSET) else { return nil }
        return .alert(code: code, name: SSL_alert_desc_string_long(CInt(code)).map { String(cString: $0) } ?? "unknown")
    }
}
