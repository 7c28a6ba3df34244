/// What the browser asks the loopback listener: the first line of its request.
enum CallbackRequest: Equatable {
    case code(String, state: String)
    case refused(reason: String, state: String)
    /// Another sign-in wants the port.
    case cancel
    /// A page that is not here, such as the icon.
    case other
    /// No request at all.
    case malformed

    /// How much of a request is read: the answers of the server are well below.
    static let longest = 16_384

    /// Reads the head of a request, which must be whole.
    init(head: some Collection<UInt8>) {
        let line = String(decoding: head.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
            self = .malformed
            return
        }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard words[0] == "GET", target[0] == "/auth/callback" else {
            self = words[0] == "GET" && target[0] == "/cancel" ? .cancel : .other
            return
        }
        guard target.count == 2, let query = FormCoding.decode(target[1]), let state = query["state"] else {
            self = .malformed
            return
        }
        if let error = query["error"] {
            self = .refused(reason: query["error_description"] ?? error, state: state)
        } else if let code = query["code"], !code.isEmpty {
            self = .code(code, state: state)
        } else {
            self = .malformed
        }
    }
}
