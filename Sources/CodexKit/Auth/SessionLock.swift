import Files

/// Orders the processes that change one stored session, by a lock file.
struct SessionLock: Sendable {
    /// `nil` when no other process shares the store.
    let path: String?
    let clock: AuthClock
    /// How long another process may hold it: a renewal is one request, which ends in half a minute.
    var patience = Duration.seconds(60)

    private static let pause = Duration.milliseconds(20)

    /// Takes the lock; it is held for as long as the result lives.
    ///
    /// - Throws: ``AgentRuntimeError`` `sessionStoreFailed`, `cancelled`.
    func acquire() async throws(AgentRuntimeError) -> AdvisoryLock? {
        guard let path else { return nil }
        if let slash = path.lastIndex(of: "/") { try makeFolder(String(path[..<slash])) }
        var waited = Duration.zero
        while true {
            do throws(LockError) {
                return try AdvisoryLock(path)
            } catch {
                guard case .heldBy = error, waited < patience else {
                    throw AgentRuntimeError(code: .sessionStoreFailed, message: "The session is in use: \(error.description)")
                }
            }
            do { try await clock.sleep(Self.pause) } catch { throw .cancelledRequest }
            waited += Self.pause
        }
    }

    private func makeFolder(_ path: String) throws(AgentRuntimeError) {
        do throws(FileError) {
            try PrivateDirectory.ensure(path)
        } catch {
            throw AgentRuntimeError(code: .sessionStoreFailed, message: error.description)
        }
    }
}
