import CCurl

extension HTTPError {
    /// The meaning of how a transfer ended.
    ///
    /// - Parameters:
    ///   - detail: What curl wrote about it; used only where it cannot hold anything of the request.
    static func from(_ code: CURLcode, host: String, detail: String) -> HTTPError {
        switch code {
        case CURLE_URL_MALFORMAT: .invalidURL
        case CURLE_COULDNT_RESOLVE_HOST: .unknownHost(host)
        case CURLE_COULDNT_RESOLVE_PROXY: .proxy("its name is not known")
        case CURLE_COULDNT_CONNECT: .unreachable(host)
        case CURLE_OPERATION_TIMEDOUT: .connectTimedOut(host)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS:
            .insecure(host: host, reason: String(detail.prefix(200)))
        case CURLE_PROXY: .proxy("its answer was not understood")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_READ_ERROR: .connectionLost(host)
        // The URL was checked before: what is not supported is what was answered.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING: .notHTTP(host)
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: .system("The request could not be set up: out of memory.")
        default: .other(code: Int(code.rawValue), text: String(detail.prefix(200)))
        }
    }
}
