import CodexKit

/// Asks about tool calls in a terminal: what would run, with which arguments, and `y` or `n`.
public actor TerminalApprovalPresenter: ApprovalPresenting {
    private let write: @Sendable (String) -> Void
    private let readLine: @Sendable () async throws -> String?
    private var isAsking = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - write: Prints text as it is.
    ///   - readLine: The next line; `nil` at the end of the input, which means no.
    public init(write: @escaping @Sendable (String) -> Void, readLine: @escaping @Sendable () async throws -> String?) {
        self.write = write
        self.readLine = readLine
    }

    /// One question after another: answers could not be told apart.
    public func requestApproval(_ request: ApprovalRequest) async throws -> ApprovalDecision {
        while isAsking { await withCheckedContinuation { waiting.append($0) } }
        isAsking = true
        defer {
            isAsking = false
            let next = waiting
            waiting = []
            for continuation in next { continuation.resume() }
        }
        try Task.checkCancellation()
        write(Self.question(request))
        while let line = try await readLine() {
            switch line.trimmedLower {
            case "y", "yes": return .approved
            case "n", "no", "": return .denied
            default: write("Please answer y or n: ")
            }
        }
        return .denied
    }

    static func question(_ request: ApprovalRequest) -> String {
        let arguments = String(decoding: request.toolInvocation.arguments.encoded(), as: UTF8.self)
        return """

            \(TerminalText.line(request.title, limit: 200))
            \(TerminalText.line(request.message, limit: 1_000))
              \(TerminalText.line(request.toolInvocation.toolName, limit: 80)) \(TerminalText.line(arguments, limit: 2_000))
            Allow? [y/N] 
            """
    }
}

extension String {
    fileprivate var trimmedLower: String { lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
