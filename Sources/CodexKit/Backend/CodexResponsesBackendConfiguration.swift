import FoundationEssentials

/// What to ask of the model, and how.
public struct CodexResponsesBackendConfiguration: Hashable, Sendable {
    /// The model that answers when a request names none.
    public var model: String
    public var reasoningEffort: ReasoningEffort
    /// Instructions that stand before everybody else's; `nil` for none.
    public var instructions: String?
    /// Where `/responses` is.
    public var baseURL: URL
    /// Whether the model may search the web.
    public var enableWebSearch: Bool
    /// Whether the model may make pictures.
    public var enableImageGeneration: Bool
    public var requestRetryPolicy: RequestRetryPolicy
    /// The longest silence within an answer, in seconds: 1 to 3600.
    public var streamIdleTimeout: TimeInterval
    /// What the program calls itself to the server.
    public var originator: String
    /// More fields for each request. They cannot replace the ones that carry the session.
    public var extraHeaders: [String: String]

    public init(
        model: String = "gpt-5.4", reasoningEffort: ReasoningEffort = .medium, instructions: String? = nil,
        baseURL: URL = Self.defaultBaseURL, enableWebSearch: Bool = false, enableImageGeneration: Bool = false,
        requestRetryPolicy: RequestRetryPolicy = .default, streamIdleTimeout: TimeInterval = 300, originator: String = "codexkit",
        extraHeaders: [String: String] = [:]
    ) {
        self.model = model
        self.reasoningEffort = reasoningEffort
        self.instructions = instructions
        self.baseURL = baseURL
        self.enableWebSearch = enableWebSearch
        self.enableImageGeneration = enableImageGeneration
        self.requestRetryPolicy = requestRetryPolicy
        self.streamIdleTimeout = streamIdleTimeout.isFinite ? min(max(streamIdleTimeout, 1), 3600) : 300
        self.originator = originator
        self.extraHeaders = extraHeaders
    }

    /// `https://chatgpt.com/backend-api/codex`.
    public static var defaultBaseURL: URL {
        var parts = URLComponents()
        parts.scheme = "https"
        parts.host = "chatgpt.com"
        parts.path = "/backend-api/codex"
        return parts.url ?? URL(filePath: "/")
    }
}
