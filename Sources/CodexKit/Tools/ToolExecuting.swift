import FoundationEssentials

/// What a tool knows beside its arguments.
public struct ToolExecutionContext: Sendable {
    public let thread: AgentThread
    public let turnID: String
    public let session: ChatGPTSession?
    /// The values that the request brought; empty in a turn that goes on after a restart.
    public let requestContext: RequestContext

    public init(thread: AgentThread, turnID: String, session: ChatGPTSession? = nil, requestContext: RequestContext = RequestContext()) {
        self.thread = thread
        self.turnID = turnID
        self.session = session
        self.requestContext = requestContext
    }
}

/// Runs the calls of one tool.
public protocol ToolExecuting: Sendable {
    /// Runs in the turn's task, which is cancelled with the turn.
    ///
    /// - Throws: Anything; the model is told that the call failed, with the text of an ``AgentRuntimeError`` or ``ToolFailure`` only.
    func execute(invocation: ToolInvocation, context: ToolExecutionContext) async throws -> ToolResultEnvelope
}

/// A failure whose text the model may read.
public struct ToolFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// A tool made of a closure.
public struct AnyToolExecutor: ToolExecuting {
    private let body: @Sendable (ToolInvocation, ToolExecutionContext) async throws -> ToolResultEnvelope

    public init(_ body: @escaping @Sendable (ToolInvocation, ToolExecutionContext) async throws -> ToolResultEnvelope) { self.body = body }

    public func execute(invocation: ToolInvocation, context: ToolExecutionContext) async throws -> ToolResultEnvelope {
        try await body(invocation, context)
    }
}

/// A tool whose arguments are decoded before it runs; arguments of another form are answered with what is wrong with them.
public struct TypedToolExecutor<Arguments: Decodable & Sendable>: ToolExecuting {
    private let body: @Sendable (Arguments, ToolExecutionContext) async throws -> [ToolResultContent]

    public init(
        _ arguments: Arguments.Type = Arguments.self,
        _ body: @escaping @Sendable (Arguments, ToolExecutionContext) async throws -> [ToolResultContent]
    ) { self.body = body }

    public func execute(invocation: ToolInvocation, context: ToolExecutionContext) async throws -> ToolResultEnvelope {
        let arguments: Arguments
        do {
            arguments = try JSONCoding.decode(Arguments.self, from: invocation.arguments)
        } catch {
            return .failure(invocation: invocation, message: "The arguments do not fit: \(DecodingReason(error)).")
        }
        return .success(invocation: invocation, content: try await body(arguments, context))
    }
}
