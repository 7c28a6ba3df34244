/// Why a request has no answer, or only a part of one. None of the texts holds a field's value or more of a URL than its host.
public enum HTTPError: Error, Hashable, Sendable {
    /// No http or https URL, or one with a user name in it.
    case invalidURL
    case invalidRequest(String)
    /// libcurl is not installed.
    case libraryMissing
    /// The process is out of descriptors, threads or memory.
    case system(String)
    case unknownHost(String)
    case unreachable(String)
    case connectTimedOut(String)
    /// The certificate or the handshake was not acceptable; what the TLS library said.
    case insecure(host: String, reason: String)
    case proxy(String)
    /// The connection broke before the answer was complete.
    case connectionLost(String)
    /// Nothing came for that long.
    case idleTimedOut(Duration)
    case totalTimedOut(Duration)
    case bodyTooLarge(limit: Int)
    case headTooLarge
    /// What came is no HTTP.
    case notHTTP(String)
    /// The server sends the request elsewhere, where its credentials must not go.
    case redirectRefused(from: String, to: String)
    case tooManyRedirects(Int)
    /// The caller's task was cancelled, or the body closed.
    case cancelled
    /// Two tasks read one body at once.
    case alreadyReading
    case other(code: Int, text: String)

    /// Whether the same request may well succeed a little later.
    public var isTransient: Bool {
        switch self {
        case .unknownHost, .unreachable, .connectTimedOut, .connectionLost, .idleTimedOut, .totalTimedOut, .proxy, .notHTTP: true
        case .invalidURL, .invalidRequest, .libraryMissing, .system, .insecure, .bodyTooLarge, .headTooLarge, .redirectRefused,
            .tooManyRedirects, .cancelled, .alreadyReading, .other:
            false
        }
    }
}

extension HTTPError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidURL: "The address is no http or https URL without a user name; correct it."
        case .invalidRequest(let reason): "The request cannot be sent: \(reason)."
        case .libraryMissing: "libcurl is not installed; install libcurl4 to use the network."
        case .system(let text): text
        case .unknownHost(let host): "The name \(host) is not known; check the address and the network."
        case .unreachable(let host): "\(host) cannot be reached; check the network and whether the server runs."
        case .connectTimedOut(let host): "\(host) did not take the connection in time; check the network and try again."
        case .insecure(let host, let reason): "The connection to \(host) is not secure (\(reason)); nothing was sent."
        case .proxy(let reason): "The proxy failed (\(reason)); check the proxy variables of the environment."
        case .connectionLost(let host): "The connection to \(host) broke before the answer was complete; try again."
        case .idleTimedOut(let limit): "The server was silent for \(Self.seconds(limit)); try again."
        case .totalTimedOut(let limit): "The answer was not complete after \(Self.seconds(limit)); try again."
        case .bodyTooLarge(let limit): "The answer is larger than the \(limit) bytes that are accepted."
        case .headTooLarge: "The head of the answer is too large."
        case .notHTTP(let host): "What \(host) answered is no HTTP; check the address."
        case .redirectRefused(let from, let to): "\(from) sent a request with credentials on to \(to), where they must not go; check the address."
        case .tooManyRedirects(let limit): "The server redirected the request more than \(limit) times; check the address."
        case .cancelled: "The request was cancelled."
        case .alreadyReading: "The answer is being read by another task."
        case .other(let code, let text): "The request failed: \(text) (curl error \(code))."
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let (seconds, fraction) = duration.components
        return seconds > 0 ? "\(seconds) s" : "\(fraction / 1_000_000_000_000_000) ms"
    }
}
