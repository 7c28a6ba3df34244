import CodexKit

/// Why an agent does not do what was asked: a stable code for programs and a sentence for people.
public struct AgentHostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One of ``AgentRuntimeError/Code``, or `invalid_request`, `thread_unclear`, `still_working`, `answered_elsewhere`, `nothing_pending`,
    /// `no_folder`, `not_open`, `unsupported`.
    public let code: String
    public let description: String

    public init(code: String, _ sentence: String) {
        self.code = code
        description = sentence
    }

    init(_ error: AgentRuntimeError) {
        code = error.code.rawValue
        description = error.message
    }

    /// Whether another process holds the threads: a `decknode ask` that runs alone, or the node.
    public var isInUse: Bool { code == AgentRuntimeError.Code.stateStoreInUse.rawValue }
    /// Whether somebody has to sign in first.
    public var needsSignIn: Bool { code == AgentRuntimeError.Code.missingSession.rawValue }

    static func invalid(_ sentence: String) -> Self { Self(code: "invalid_request", sentence) }
    static func wrapping(_ error: any Error) -> Self {
        switch error {
        case let error as AgentHostError: error
        case let error as AgentRuntimeError: Self(error)
        default: Self(code: AgentRuntimeError.Code.serverFailed.rawValue, "The agents failed for a reason that nobody named.")
        }
    }
}
