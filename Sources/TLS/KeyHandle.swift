import COpenSSL

/// Owns one OpenSSL private key.
struct KeyHandle: ~Copyable {
    let raw: OpaquePointer

    init(taking raw: OpaquePointer) { self.raw = raw }

    init(pem: String) throws(TLSError) {
        ErrorQueue.clear()
        let input = try MemoryBIO.reading(pem)
        // Without a callback the library would ask for the passphrase of an encrypted key on the terminal.
        guard let key = PEM_read_bio_PrivateKey(input.raw, nil, { _, _, _, _ in -1 }, nil) else {
            ErrorQueue.clear()
            throw .invalidPrivateKey
        }
        raw = key
    }

    deinit { EVP_PKEY_free(raw) }

    func pem() throws(TLSError) -> String {
        let output = try MemoryBIO()
        guard PEM_write_bio_PrivateKey(output.raw, raw, nil, nil, 0, nil, nil) == 1 else {
            throw ErrorQueue.takeOther("private key not encoded")
        }
        return output.text()
    }
}
