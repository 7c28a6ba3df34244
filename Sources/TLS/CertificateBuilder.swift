import COpenSSL

/// Fills in and signs a self-signed X.509 v3 certificate.
struct CertificateBuilder: ~Copyable {
    let x509: X509Handle

    init() throws(TLSError) {
        ErrorQueue.clear()
        x509 = try X509Handle.emptyVersion3()
    }

    /// Subject and issuer alike.
    func set(commonName: String) throws(TLSError) {
        let name = X509_get_subject_name(x509.raw)
        let bytes = Array(commonName.utf8)
        guard (12...64).contains(bytes.count), !bytes.contains(where: { $0 < 32 || $0 == 127 }) else {
            throw .invalidParameter(reason: "the host identifier in a certificate must have 1 to 53 printable bytes")
        }
        guard X509_NAME_add_entry_by_txt(name, "CN", deck_MBSTRING_UTF8(), bytes, CInt(bytes.count), -1, 0) == 1,
            X509_set_issuer_name(x509.raw, name) == 1
        else { throw ErrorQueue.takeOther("name refused") }
    }

    func set(notBefore: Int64, notAfter: Int64) throws(TLSError) {
        // Year 9999 is the last one the encoding can express.
        guard (0...253_402_300_799).contains(notBefore), (notBefore...253_402_300_799).contains(notAfter) else {
            throw .invalidParameter(reason: "the dates of the certificate are out of range")
        }
        guard ASN1_TIME_set(X509_getm_notBefore(x509.raw), Int(notBefore)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(x509.raw), Int(notAfter)) != nil
        else { throw ErrorQueue.takeOther("dates refused") }
    }

    /// 128 bits, read as a positive number; zero becomes one, since a serial must be positive.
    func setSerial(_ high: UInt64, _ low: UInt64) throws(TLSError) {
        let low = high == 0 && low == 0 ? 1 : low
        var bytes: [UInt8] = []
        for word in [high, low] { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
        guard let number = BN_bin2bn(bytes, CInt(bytes.count), nil) else { throw ErrorQueue.takeOther("serial refused") }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(x509.raw)) != nil else { throw ErrorQueue.takeOther("serial refused") }
    }

    /// What a server certificate that signs nothing else needs, and the address it is reached at.
    func setServerExtensions(address: String) throws(TLSError) {
        // The text goes into OpenSSL's configuration syntax, where a comma would start another name.
        guard ServerName.isAddress(address) else { throw .invalidParameter(reason: "the certificate needs an IPv4 or IPv6 address") }
        try add(NID_basic_constraints, "critical,CA:FALSE")
        try add(NID_key_usage, "critical,digitalSignature,keyAgreement")
        try add(NID_ext_key_usage, "serverAuth")
        try add(NID_subject_alt_name, "IP:\(address),DNS:localhost")
    }

    func add(_ identifier: CInt, _ value: String) throws(TLSError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, x509.raw, x509.raw, nil, nil, 0)
        guard let item = X509V3_EXT_nconf_nid(nil, &context, identifier, value) else { throw ErrorQueue.takeOther("extension refused") }
        defer { X509_EXTENSION_free(item) }
        guard X509_add_ext(x509.raw, item, -1) == 1 else { throw ErrorQueue.takeOther("extension refused") }
    }

    func sign(with key: borrowing KeyHandle) throws(TLSError) -> Certificate {
        guard X509_set_pubkey(x509.raw, key.raw) == 1, X509_sign(x509.raw, key.raw, EVP_sha256()) > 0 else {
            throw ErrorQueue.takeOther("certificate not signed")
        }
        return try Certificate(x509)
    }
}
