import FoundationEssentials

/// A tool call that waits for a person's word.
public struct ApprovalRequest: Codable, Hashable, Identifiable, Sendable {
    public let id: String
    public let threadID: String
    public let turnID: String
    public let toolInvocation: ToolInvocation
    /// A line, such as `Run run_command?`.
    public let title: String
    /// What would happen, for the person.
    public let message: String
    public let createdAt: Date

    public init(
        id: String = UUID().uuidString, threadID: String, turnID: String, toolInvocation: ToolInvocation, title: String, message: String,
        createdAt: Date = Date()
    ) {
        self.id = id
        self.threadID = threadID
        self.turnID = turnID
        self.toolInvocation = toolInvocation
        self.title = title
        self.message = message
        self.createdAt = createdAt
    }
}

public enum ApprovalDecision: String, Codable, Hashable, Sendable {
    case approved, denied
}

/// What became of a request for approval.
public struct ApprovalResolution: Codable, Hashable, Sendable {
    public let requestID: String
    public let threadID: String
    public let turnID: String
    public let toolName: String
    public let decision: ApprovalDecision
    public let decidedAt: Date

    public init(requestID: String, threadID: String, turnID: String, toolName: String, decision: ApprovalDecision, decidedAt: Date = Date()) {
        self.requestID = requestID
        self.threadID = threadID
        self.turnID = turnID
        self.toolName = toolName
        self.decision = decision
        self.decidedAt = decidedAt
    }
}

/// Asks a person about tool calls.
public protocol ApprovalPresenting: Sendable {
    /// Shows the request and waits for the answer. The task is cancelled when the answer came from elsewhere, or the turn ended:
    /// take the question away then and throw.
    ///
    /// - Throws: Whatever: the call counts as denied unless somebody else answers, see ``AgentRuntime/resolveApproval(_:_:)``.
    func requestApproval(_ request: ApprovalRequest) async throws -> ApprovalDecision
}

/// Answers every request the same way: for programs without a person, and for tests.
public struct FixedApprovalPresenter: ApprovalPresenting {
    private let decision: ApprovalDecision

    public init(_ decision: ApprovalDecision) { self.decision = decision }

    public func requestApproval(_ request: ApprovalRequest) async throws -> ApprovalDecision { decision }
}

/// Shows nothing and waits: for programs where all answers come through ``AgentRuntime/resolveApproval(_:_:)``.
public struct WaitingApprovalPresenter: ApprovalPresenting {
    public init() {}

    public func requestApproval(_ request: ApprovalRequest) async throws -> ApprovalDecision {
        let (never, continuation) = AsyncStream<Never>.makeStream()
        defer { continuation.finish() }
        // Ends with the cancellation of this task only.
        for await _ in never {}
        throw CancellationError()
    }
}
