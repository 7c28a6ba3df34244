/// Why a server refuses an upgrade request; always the client's doing, answered with ``response`` and then the end of the connection.
public enum UpgradeRefusal: Error, Equatable, Sendable {
    case malformedHead(HTTPHeadViolation)
    /// A version other than HTTP/1.1.
    case unsupportedHTTPVersion
    /// A method other than GET.
    case methodNotAllowed
    /// A field (name in lower case) that must stand exactly once and is missing, repeated, or not plain.
    case invalidField(String)
    /// The request announces a body.
    case bodyNotAllowed
    /// The request comes from a web page whose origin is not allowed; the origin as sent.
    case originNotAllowed(String)
    /// A plain HTTP request.
    case notAnUpgrade
    /// A WebSocket version other than 13, or none.
    case unsupportedWebSocketVersion
    /// The head was not complete in time; for the driver, the parser has no clock.
    case timedOut

    /// 400, 403, 405, 408, 426 or 431.
    public var status: Int { statusLine.code }

    /// The whole HTTP response to send.
    public var response: [UInt8] {
        let (code, phrase) = statusLine
        let body = "\(description)\n"
        var lines = ["HTTP/1.1 \(code) \(phrase)", "Content-Type: text/plain; charset=utf-8", "Content-Length: \(body.utf8.count)"]
        lines += additionalLines
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private var statusLine: (code: Int, phrase: String) {
        switch self {
        case .malformedHead(.tooLong), .malformedHead(.tooManyFields): (431, "Request Header Fields Too Large")
        case .malformedHead, .unsupportedHTTPVersion, .invalidField, .bodyNotAllowed: (400, "Bad Request")
        case .methodNotAllowed: (405, "Method Not Allowed")
        case .originNotAllowed: (403, "Forbidden")
        case .notAnUpgrade, .unsupportedWebSocketVersion: (426, "Upgrade Required")
        case .timedOut: (408, "Request Timeout")
        }
    }

    private var additionalLines: [String] {
        switch self {
        case .methodNotAllowed: ["Allow: GET", "Connection: close"]
        // An Upgrade field must be named as an option of the connection (RFC 9110, section 7.8).
        case .notAnUpgrade, .unsupportedWebSocketVersion:
            ["Sec-WebSocket-Version: 13", "Upgrade: websocket", "Connection: close, Upgrade"]
        case .malformedHead, .unsupportedHTTPVersion, .invalidField, .bodyNotAllowed, .originNotAllowed, .timedOut: ["Connection: close"]
        }
    }
}

extension UpgradeRefusal: CustomStringConvertible {
    /// One sentence, also the body of the response; it repeats nothing that the client sent.
    public var description: String {
        switch self {
        case .malformedHead(let violation): "The request was refused because \(violation)."
        case .unsupportedHTTPVersion: "Only HTTP/1.1 is served here."
        case .methodNotAllowed: "Only GET is allowed here."
        case .invalidField(let name): "The header \(name) must stand exactly once with a valid value."
        case .bodyNotAllowed: "A WebSocket request must not have a body."
        case .originNotAllowed: "Web pages may connect only if the owner of this computer allowed their origin."
        case .notAnUpgrade: "Only WebSocket connections are served here."
        case .unsupportedWebSocketVersion: "Only version 13 of the WebSocket protocol is served here."
        case .timedOut: "The request took too long."
        }
    }
}
