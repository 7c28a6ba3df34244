import COpenSSL

/// Text going into or coming out of OpenSSL's PEM functions.
struct MemoryBIO: ~Copyable {
    let raw: OpaquePointer

    init() throws(TLSError) {
        guard let bio = BIO_new(BIO_s_secmem()) else { throw ErrorQueue.takeOther("no memory") }
        raw = bio
    }

    /// - Parameter text: At most 1 MiB: a certificate or key is far smaller.
    static func reading(_ text: String) throws(TLSError) -> MemoryBIO {
        let bytes = Array(text.utf8)
        guard bytes.count <= 1 << 20 else { throw .invalidParameter(reason: "a certificate or key is larger than 1 MiB") }
        let bio = try MemoryBIO()
        guard bytes.isEmpty || BIO_write(bio.raw, bytes, CInt(bytes.count)) == CInt(bytes.count) else {
            throw ErrorQueue.takeOther("no memory")
        }
        return bio
    }

    deinit { BIO_free(raw) }

    func text() -> String {
        var start: UnsafeMutablePointer<CChar>?
        let size = deck_BIO_get_mem_data(raw, &start)
        return String(decoding: UnsafeRawBufferPointer(start: start, count: max(0, size)), as: UTF8.self)
    }
}
