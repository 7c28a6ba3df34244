import JSON

/// One method of the app-server with its parameters and the reading of its answer.
public struct AppServerCall<Answer: Sendable>: Sendable {
    public let method: String
    public let params: JSONValue
    /// How long the answer may take, with all attempts at a server that has too much to do.
    public let timeout: Duration
    let read: @Sendable (JSONValue) -> Answer?

    /// - Parameter read: `nil` for an answer that lacks what it must have.
    public init(
        _ method: String, _ params: [String: JSONValue] = [:], timeout: Duration = .seconds(8), read: @escaping @Sendable (JSONValue) -> Answer?
    ) {
        self.method = method
        self.params = .object(params)
        self.timeout = timeout
        self.read = read
    }
}

extension AppServerCall where Answer == Void {
    /// A call whose answer says nothing more.
    public init(_ method: String, _ params: [String: JSONValue] = [:], timeout: Duration = .seconds(8)) {
        self.init(method, params, timeout: timeout) { _ in () }
    }
}
