extension EventLoop {
    /// Runs `body` on the loop and waits for what comes of it. For work that may block, on a loop where nothing else suffers from that.
    ///
    /// - Throws: What `body` throws.
    public func value<Value: Sendable, Failure: Error>(
        of body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            execute {
                do throws(Failure) { continuation.resume(returning: .success(try body())) } catch { continuation.resume(returning: .failure(error)) }
            }
        }
        return try result.get()
    }
}
