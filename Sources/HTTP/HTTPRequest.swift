/// What to ask a server, and how much to put up with.
public struct HTTPRequest: Sendable {
    /// What to do when the server names another place.
    public enum Redirects: Hashable, Sendable {
        /// The answer that names it is the answer.
        case returned
        /// GET and HEAD requests go there, at most that many times (1 to 20). A request with an `Authorization`, `Cookie` or other field
        /// named in ``HTTPRequest/credentialFields`` goes to no other origin, and no request leaves https for http.
        case followed(maximum: Int)
    }

    public var method: String
    /// An http or https URL of at most 8 KiB, without a user name or password in it.
    public var url: String
    public var fields: [HTTPField]
    /// Sent with its length; `nil` for none.
    public var body: [UInt8]?
    public var redirects = Redirects.returned
    /// Names of fields, beside `Authorization` and `Cookie`, that no other origin may see.
    public var credentialFields: [String] = []
    /// For finding the host, connecting and the TLS handshake together.
    public var connectTimeout = Duration.seconds(15)
    /// The longest silence of the server while it is waited for. Time in which the reader does not read does not count.
    public var idleTimeout = Duration.seconds(60)
    /// From the start to the end of the answer; `nil` for no limit.
    public var totalTimeout: Duration?
    /// The longest body to accept, in bytes.
    public var maximumBodyLength = 16 << 20

    public init(_ method: String = "GET", _ url: String, fields: [HTTPField] = [], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    var isRepeatableAnywhere: Bool { method == "GET" || method == "HEAD" }

    var carriesCredentials: Bool {
        let names = ["Authorization", "Cookie", "Proxy-Authorization"] + credentialFields
        return fields.contains { field in names.contains { field.isNamed($0) } }
    }

    /// - Throws: ``HTTPError/invalidRequest(_:)``.
    func validate() throws(HTTPError) {
        guard (1...32).contains(method.utf8.count), method.utf8.allSatisfy(HTTPField.isTokenByte) else {
            throw .invalidRequest("the method is no word")
        }
        guard let wrong = fields.first(where: { !$0.isValid }) else { return }
        throw .invalidRequest("the field \(wrong.name.prefix(40).filter { $0.isLetter || $0 == "-" }) cannot be sent")
    }
}
