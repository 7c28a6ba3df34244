import FoundationEssentials

/// Where the text or JSON of a persona or skill comes from.
public enum AgentDefinitionSource: Hashable, Sendable {
    /// A file of this computer.
    case file(URL)
    /// An `https` address; `http` only on this computer itself.
    case remote(URL)
}

/// Gets what an address holds.
public protocol AgentResourceFetching: Sendable {
    /// - Parameter limit: The most bytes to accept.
    /// - Throws: When it cannot be had, or is larger.
    func fetch(_ url: URL, limit: Int) async throws -> AgentResource
}

/// What an address held.
public struct AgentResource: Sendable {
    public let data: Data
    /// Such as `image/png`, without parameters; `nil` when the server did not say.
    public let mimeType: String?

    public init(data: Data, mimeType: String? = nil) {
        self.data = data
        self.mimeType = mimeType
    }
}
