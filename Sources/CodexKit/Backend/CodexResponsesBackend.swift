import FoundationEssentials
import HTTP

/// Talks to the Responses interface of ChatGPT, or of a server that speaks like it.
public struct CodexResponsesBackend: AgentBackend {
    public let configuration: CodexResponsesBackendConfiguration
    private let http: HTTPClient
    private let environment: Environment

    /// What a backend needs from outside, replaced in tests.
    struct Environment: Sendable {
        var clock = AuthClock.system
        /// From 0 to 1.
        var random: @Sendable () -> Double = { Double.random(in: 0...1) }
    }

    public init(configuration: CodexResponsesBackendConfiguration = .init()) {
        self.init(configuration: configuration, http: HTTPTransport.shared, environment: Environment())
    }

    init(configuration: CodexResponsesBackendConfiguration, http: HTTPClient, environment: Environment) {
        self.configuration = configuration
        self.http = http
        self.environment = environment
    }

    public var defaultModel: String { configuration.model }
    public var baseInstructions: String? { configuration.instructions }

    public func respond(to request: AgentBackendRequest, as sessions: any AgentSessionProviding) -> AgentTurnStream {
        let turn = ResponseTurn(
            ResponsesRequest(request: request, configuration: configuration), sessions: sessions, http: http, environment: environment)
        return AgentTurnStream(unfolding: { try await turn.next() })
    }
}
