import HTTP

extension AgentRuntimeError {
    /// A failure of the connection in this library's words.
    static func from(_ error: HTTPError) -> AgentRuntimeError {
        let code: Code =
            switch error {
            case .cancelled: .cancelled
            case .idleTimedOut, .totalTimedOut, .connectTimedOut: .timedOut
            case .invalidURL, .invalidRequest, .redirectRefused, .tooManyRedirects: .invalidConfiguration
            case .bodyTooLarge, .headTooLarge, .notHTTP: .invalidResponse
            case .libraryMissing, .system, .unknownHost, .unreachable, .insecure, .proxy, .connectionLost, .alreadyReading, .other: .network
            }
        return AgentRuntimeError(code: code, message: error.description)
    }

    static let cancelledRequest = AgentRuntimeError(code: .cancelled, message: "The request was cancelled.")
}
