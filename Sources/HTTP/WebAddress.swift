import CCurl

/// An http or https URL in the parts that decide where a request goes, as curl itself reads them.
struct WebAddress: Equatable {
    let text: String
    let isSecure: Bool
    let host: String
    let port: String

    static let longest = 8192

    /// - Parameter base: What a relative `text` is resolved against.
    /// - Throws: ``HTTPError/invalidURL``.
    init(_ text: String, relativeTo base: String? = nil, _ curl: CurlLibrary) throws(HTTPError) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let handle = curl.functions.url()
        else { throw .invalidURL }
        defer { curl.functions.url_cleanup(handle) }
        let flags = deck_curl_strict_url()
        if let base, curl.functions.url_set(handle, CURLUPART_URL, base, flags) != CURLUE_OK { throw .invalidURL }
        guard curl.functions.url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK else { throw .invalidURL }
        func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
            var found: UnsafeMutablePointer<CChar>?
            guard curl.functions.url_get(handle, part, &found, UInt32(flags)) == CURLUE_OK, let found else { return nil }
            defer { curl.functions.free_text(found) }
            return String(cString: found)
        }
        guard let scheme = part(CURLUPART_SCHEME), scheme == "http" || scheme == "https", let host = part(CURLUPART_HOST), !host.isEmpty,
            let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT), let whole = part(CURLUPART_URL)
        else { throw .invalidURL }
        self.text = whole
        isSecure = scheme == "https"
        self.host = host.lowercased()
        self.port = port
    }

    func hasSameOrigin(as other: WebAddress) -> Bool {
        isSecure == other.isSecure && host == other.host && port == other.port
    }
}
