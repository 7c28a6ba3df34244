import JSON

/// The id of a request. Each side counts its own; zero is as good an id as any.
public enum RequestID: Hashable, Sendable, CustomStringConvertible {
    case integer(Int64)
    case string(String)

    init?(_ value: JSONValue?) {
        if let integer = value?.int {
            self = .integer(integer)
        } else if let string = value?.string {
            self = .string(string)
        } else {
            return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .integer(let value): .number(Double(value))
        case .string(let value): .string(value)
        }
    }

    public var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .string(let value): value
        }
    }
}

/// One message of the app-server protocol: JSON-RPC 2.0 without its `jsonrpc` member.
public enum RPCMessage: Equatable, Sendable {
    case request(id: RequestID, method: String, params: JSONValue)
    case notification(method: String, params: JSONValue)
    case response(id: RequestID, result: JSONValue)
    /// `id` is `nil` when the other side could not tell what it answers.
    case failure(id: RequestID?, RPCError)

    /// The message as it is sent.
    public func encoded() -> [UInt8] {
        let members: [String: JSONValue] =
            switch self {
            case .request(let id, let method, let params): ["id": id.json, "method": .string(method), "params": params]
            case .notification(let method, let params): ["method": .string(method), "params": params]
            case .response(let id, let result): ["id": id.json, "result": result]
            case .failure(let id, let error): ["id": id?.json ?? .null, "error": error.json]
            }
        return JSONValue.object(members).encoded()
    }
}

/// An error the other side answered with.
public struct RPCError: Error, Hashable, Sendable {
    public var code: Int64
    /// Words of the server; not for a person who pressed a key.
    public var message: String
    /// `data.reason`, by which some errors of the same code are told apart.
    public var reason: String?

    public init(code: Int64, message: String, reason: String? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
    }

    init?(_ value: JSONValue?) {
        // An error of any shape is one: whoever waits for the answer must not wait on.
        guard let value, !value.isNull else { return nil }
        code = value["code"]?.int ?? 0
        message = value["message"]?.string ?? ""
        reason = value["data"]?["reason"]?.string
    }

    var json: JSONValue { .object(["code": .number(Double(code)), "message": .string(message)]) }

    /// The server has too much to do; the same request may be sent again a little later.
    public var isOverload: Bool { code == -32001 }
    /// The server's version does not know the method. It answers with the code of an invalid request, so the words decide.
    public var isUnknownMethod: Bool { code == -32601 || message.contains("unknown variant") && message.contains("expected one of") }
    /// The server is being stopped and takes no new work.
    public var isShuttingDown: Bool { reason == "serverShuttingDown" }
}
