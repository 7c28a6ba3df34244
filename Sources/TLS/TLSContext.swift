import COpenSSL

/// What all connections of one kind share: protocol versions, suites, and the certificate shown or expected.
///
/// TLS 1.2 and 1.3 with forward secrecy and authenticated encryption only; no renegotiation, compression, tickets or session cache.
public final class TLSContext: @unchecked Sendable {
    // Unchecked, because `raw` is configured in `init` only: later use just reads it and counts references, which OpenSSL does atomically.

    /// How a client decides that it talks to the right server.
    enum Peer: Sendable {
        case pinned(CertificateFingerprint)
        case named(ServerName)
    }

    let raw: OpaquePointer
    /// nil in a server.
    let peer: Peer?

    /// The authorities a client trusts.
    public enum TrustAnchors: Sendable {
        /// Those of the system; `SSL_CERT_FILE` and `SSL_CERT_DIR` apply.
        case system
        /// Exactly these certificates.
        case authorities([Certificate])
    }

    /// A server showing `identity`.
    ///
    /// - Throws: ``TLSError/other(reason:)`` when the library refuses the certificate, for instance because its key is too short.
    public static func server(_ identity: ServerIdentity) throws(TLSError) -> TLSContext {
        let context = try TLSContext(method: TLS_server_method(), peer: nil)
        let certificate = try X509Handle(der: identity.certificate.der)
        let key = try KeyHandle(pem: identity.privateKey.pem)
        guard SSL_CTX_use_certificate(context.raw, certificate.raw) == 1, SSL_CTX_use_PrivateKey(context.raw, key.raw) == 1 else {
            throw ErrorQueue.takeOther("certificate refused")
        }
        return context
    }

    /// A client that accepts exactly one certificate, whatever its name, dates and issuer.
    ///
    /// Equality with the pin *is* the identity: names say nothing about a computer whose address changes, and a date would only
    /// lock out a device whose clock is wrong. The comparison happens inside the handshake, so a server with another certificate
    /// never receives application data; the handshake itself makes the server prove that it holds the certificate's key.
    public static func client(pinnedTo pin: CertificateFingerprint) throws(TLSError) -> TLSContext {
        let context = try TLSContext(method: TLS_client_method(), peer: .pinned(pin))
        SSL_CTX_set_verify(context.raw, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(context.raw, { store, _ in TLSContext.checkPin(store) }, nil)
        return context
    }

    /// A client that wants a certificate valid now, issued for `hostname` by one of `anchors`.
    ///
    /// - Parameter hostname: A DNS name of at most 253 bytes or an IP address; brackets and a final dot are dropped.
    /// - Throws: ``TLSError/invalidParameter(reason:)`` for another name; ``TLSError/other(reason:)`` when anchors cannot be loaded.
    public static func client(trusting anchors: TrustAnchors = .system, hostname: String) throws(TLSError) -> TLSContext {
        let name = try ServerName(hostname)
        let context = try TLSContext(method: TLS_client_method(), peer: .named(name))
        SSL_CTX_set_verify(context.raw, SSL_VERIFY_PEER, nil)
        let parameters = SSL_CTX_get0_param(context.raw)
        // Only the names made for it count: not the common name, and no `d*.example`.
        X509_VERIFY_PARAM_set_hostflags(parameters, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        let named =
            name.isAddress
            ? X509_VERIFY_PARAM_set1_ip_asc(parameters, name.text)
            : X509_VERIFY_PARAM_set1_host(parameters, name.text, name.text.utf8.count)
        guard named == 1 else { throw ErrorQueue.takeOther("host name refused") }
        try context.load(anchors)
        return context
    }

    private init(method: OpaquePointer?, peer: Peer?) throws(TLSError) {
        ErrorQueue.clear()
        guard let raw = SSL_CTX_new(method) else { throw ErrorQueue.takeOther("no TLS context") }
        self.raw = raw
        self.peer = peer
        try restrict()
    }

    deinit { SSL_CTX_free(raw) }

    private func restrict() throws(TLSError) {
        // AES-128 first: as good as AES-256 here and cheaper; a client without AES in hardware that asks for ChaCha20 first gets it.
        let modern = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384"
        let classic = "ECDHE+AESGCM+AES128:ECDHE+CHACHA20:ECDHE+AESGCM+AES256"
        guard deck_SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION) == 1,
            deck_SSL_CTX_set_max_proto_version(raw, TLS1_3_VERSION) == 1,
            SSL_CTX_set_ciphersuites(raw, modern) == 1,
            SSL_CTX_set_cipher_list(raw, classic) == 1,
            SSL_CTX_set_num_tickets(raw, 0) == 1
        else { throw ErrorQueue.takeOther("TLS settings refused") }
        SSL_CTX_set_options(
            raw,
            deck_SSL_OP_NO_TICKET() | deck_SSL_OP_NO_RENEGOTIATION() | deck_SSL_OP_NO_COMPRESSION()
                | deck_SSL_OP_CIPHER_SERVER_PREFERENCE() | deck_SSL_OP_PRIORITIZE_CHACHA())
        deck_SSL_CTX_disable_session_cache(raw)
        deck_SSL_CTX_release_buffers(raw)
    }

    private func load(_ anchors: TrustAnchors) throws(TLSError) {
        ErrorQueue.clear()
        switch anchors {
        case .system:
            guard SSL_CTX_set_default_verify_paths(raw) == 1 else { throw ErrorQueue.takeOther("no system trust store") }
        case .authorities(let certificates):
            for certificate in certificates {
                let handle = try X509Handle(der: certificate.der)
                guard X509_STORE_add_cert(SSL_CTX_get_cert_store(raw), handle.raw) == 1 else {
                    throw ErrorQueue.takeOther("authority refused")
                }
            }
        }
    }

    private static func checkPin(_ store: OpaquePointer?) -> CInt {
        guard let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let data = SSL_get_ex_data(OpaquePointer(ssl), TLSEngine.pumpIndex),
            let certificate = X509_STORE_CTX_get0_cert(store),
            let presented = CertificateFingerprint(x509: certificate)
        else { return 0 }
        let pump = Unmanaged<CiphertextPump>.fromOpaque(data).takeUnretainedValue()
        if presented == pump.pin {
            X509_STORE_CTX_set_error(store, X509_V_OK)
            return 1
        }
        pump.refusedFingerprint = presented
        X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
        return 0
    }
}
