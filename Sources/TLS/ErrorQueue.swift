import COpenSSL

/// OpenSSL's per-thread error queue: cleared before each call, read right after a failed one.
enum ErrorQueue {
    /// The entry that names the cause.
    struct Entry {
        /// The reason within the SSL library; nil when another part of OpenSSL failed.
        let sslReason: CInt?
        /// The library's constant text for the reason. The variable part of an entry is left out: it can quote input.
        let text: String
    }

    static func clear() {
        ERR_clear_error()
    }

    /// Empties the queue; the first entry of the SSL library wins, else the first of all.
    static func take() -> Entry? {
        var first: Entry?
        while true {
            let code = ERR_get_error()
            if code == 0 { return first }
            let isSSL = ERR_GET_LIB(code) == ERR_LIB_SSL
            let entry = Entry(
                sslReason: isSSL ? ERR_GET_REASON(code) : nil,
                text: ERR_reason_error_string(code).map { String(cString: $0) } ?? "unknown reason")
            if isSSL {
                ERR_clear_error()
                return entry
            }
            if first == nil { first = entry }
        }
    }

    /// The queue's content as an error without further meaning.
    static func takeOther(_ fallback: String) -> TLSError {
        .other(reason: take()?.text ?? fallback)
    }
}
