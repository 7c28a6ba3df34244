/// Waits for a task that others wait for too: being cancelled ends the wait, not the task.
enum CancellableWait {
    static func value<Value: Sendable>(of task: Task<Value, any Error>) async throws -> Value {
        let (stream, continuation) = AsyncThrowingStream<Value, any Error>.makeStream()
        Task {
            switch await task.result {
            case .success(let value):
                continuation.yield(value)
                continuation.finish()
            case .failure(let error): continuation.finish(throwing: error)
            }
        }
        for try await value in stream { return value }
        throw AgentRuntimeError.cancelledRequest
    }
}
