/// One event of a stream.
public struct ServerSentEvent: Equatable, Sendable {
    /// What the `event` field said; `message` when there was none.
    public let type: String
    /// The `data` lines, joined by line feeds, as bytes: usually UTF-8, but nobody has checked.
    public let data: [UInt8]
    /// The last `id` of the stream so far; empty when there was none.
    public let lastEventID: String

    public init(type: String = "message", data: [UInt8], lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }

    /// The data as text; what is not UTF-8 becomes U+FFFD, as the standard says.
    public var text: String { String(decoding: data, as: UTF8.self) }
}

/// Why a stream cannot be read on.
public enum ServerSentEventError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A line or an event is longer than the parser accepts, in bytes.
    case tooLarge(limit: Int)

    public var description: String {
        switch self {
        case .tooLarge(let limit): "An event of the stream is larger than the \(limit) bytes that are accepted."
        }
    }
}
