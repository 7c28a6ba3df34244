import JSON

/// What the local server does with one request, step by step.
public struct LocalAnswer: Sendable {
    public enum Step: Sendable {
        /// Sends bytes as they are.
        case raw([UInt8])
        /// Sends one chunk of a chunked body.
        case chunk([UInt8])
        /// Ends a chunked body.
        case end
        case pause(Duration)
        /// Sends nothing more, and keeps the connection open until the client closes it.
        case hang
        /// Closes the connection in the middle.
        case close
        /// Resets the connection in the middle.
        case reset
        /// Sends a chunk again and again, as fast as the client takes them.
        case endless([UInt8])
    }

    public var steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps }

    /// A whole answer with a length.
    public static func whole(_ status: Int, _ body: [UInt8], type: String, fields: [(String, String)] = []) -> Self {
        let all = [("Content-Type", type), ("Content-Length", String(body.count))] + fields
        return Self([.raw(head(status, all) + body)])
    }

    public static func json(_ status: Int = 200, _ value: JSONValue, fields: [(String, String)] = []) -> Self {
        whole(status, value.encoded(), type: "application/json", fields: fields)
    }

    public static func html(_ status: Int, _ page: String = "<!DOCTYPE html><html><title>Just a moment...</title></html>") -> Self {
        whole(status, Array(page.utf8), type: "text/html; charset=UTF-8")
    }

    /// A chunked answer of steps of its own.
    public static func stream(_ steps: [Step], status: Int = 200, type: String = "text/event-stream", fields: [(String, String)] = []) -> Self {
        Self([.raw(head(status, [("Content-Type", type), ("Transfer-Encoding", "chunked")] + fields))] + steps)
    }

    public static func head(_ status: Int, _ fields: [(String, String)]) -> [UInt8] {
        Array(("HTTP/1.1 \(status) Status\r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n").utf8)
    }
}
