import CodexKit
import Observation

/// The tool calls that wait for a person, for a screen to show.
@MainActor
@Observable
public final class ApprovalInbox: ApprovalPresenting {
    /// The oldest first.
    public private(set) var requests: [ApprovalRequest] = []
    /// The one to ask about now.
    public var currentRequest: ApprovalRequest? { requests.first }

    @ObservationIgnored private var waiting: [String: CheckedContinuation<ApprovalDecision, any Error>] = [:]

    public init() {}

    /// Puts the request into the inbox and waits for ``resolve(_:_:)``.
    public func requestApproval(_ request: ApprovalRequest) async throws -> ApprovalDecision {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Cancelled before it was shown: nobody would take it out again.
                guard !Task.isCancelled, waiting[request.id] == nil else { return continuation.resume(throwing: CancellationError()) }
                waiting[request.id] = continuation
                requests.append(request)
            }
        } onCancel: {
            Task { @MainActor in self.finish(request.id, .failure(CancellationError())) }
        }
    }

    /// Answers a request; nothing happens when it is answered already.
    public func resolve(_ requestID: String, _ decision: ApprovalDecision) { finish(requestID, .success(decision)) }

    public func approve(_ request: ApprovalRequest) { resolve(request.id, .approved) }
    public func deny(_ request: ApprovalRequest) { resolve(request.id, .denied) }
    public func approveCurrent() { currentRequest.map(approve) }
    public func denyCurrent() { currentRequest.map(deny) }

    private func finish(_ id: String, _ result: Result<ApprovalDecision, any Error>) {
        requests.removeAll { $0.id == id }
        waiting.removeValue(forKey: id)?.resume(with: result)
    }
}
