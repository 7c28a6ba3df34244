import HTTP
import JSON
import Log

/// A complete answer of a server, and what it says about a failure.
struct ServerAnswer: Sendable {
    let status: Int
    let fields: [HTTPField]
    let body: [UInt8]

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The body as JSON, if that is what it is.
    var json: JSONValue? { try? JSONParser(duplicateKeys: .lastWins).parse(body) }

    /// Whether this is a page for people where an interface should be: a check for robots, or the login page of a network.
    var isChallenge: Bool {
        if fields["cf-mitigated"] != nil { return true }
        if fields["Content-Type"]?.prefix(9).lowercased() == "text/html" { return true }
        let text = String(decoding: body.drop { $0 <= 0x20 }.prefix(14), as: UTF8.self).lowercased()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }

    /// What the server says is wrong: `error` (an object or a word with a description), or `detail`. Masked and cut.
    var failure: (code: String?, type: String?, message: String?) {
        guard let json else { return (nil, nil, nil) }
        let error = json["error"]
        let text = error?["message"]?.string ?? json["error_description"]?.string ?? json["detail"]?.string ?? json["message"]?.string
        return (error?["code"]?.string ?? error?.string ?? json["code"]?.string, error?["type"]?.string, text.map(Self.presentable))
    }

    /// How long the server asks to wait, as of `now` in seconds since 1970.
    func retryAfter(now: Double) -> Duration? {
        if let text = fields["retry-after-ms"], let milliseconds = Double(text), milliseconds.isFinite, (0...86_400_000).contains(milliseconds) {
            return .milliseconds(Int64(milliseconds))
        }
        return fields["Retry-After"].flatMap { RetryAfter.parse($0, now: now) }
    }

    /// Foreign text for people: without secrets, line breaks or control characters, and not too long.
    static func presentable(_ text: String) -> String {
        let clean = redact(String(text.prefix(1000))).unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }
        return String(String(clean).prefix(300))
    }
}
