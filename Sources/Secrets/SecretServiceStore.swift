import Log

/// Keeps secrets in the keyring of the desktop session, through the Secret Service interface on the session bus.
///
/// Nothing here ever asks the person at the screen: a locked keyring is reported, not unlocked. Every call returns within the time
/// given; the work itself is done on a thread of its own.
public struct SecretServiceStore: SecretStore {
    private let timeout: Duration
    private let worker: SecretServiceWorker

    /// - Parameters:
    ///   - timeout: The longest a call may take, from 0.1 s to a few seconds. After ``SecretStoreError/timedOut(_:)`` it is unknown
    ///     whether a secret was kept or removed.
    ///   - libraryName: The file name of libsecret for the dynamic linker.
    public init(timeout: Duration = .seconds(4), libraryName: String = "libsecret-1.so.0") {
        self.timeout = timeout
        worker = SecretServiceWorker(timeout: timeout, libraryName: libraryName)
    }

    public func store(_ secret: Secret, for key: SecretKey) async throws(SecretStoreError) {
        try SecretLimits.check(secret)
        try await bounded { (worker) throws(SecretStoreError) in try worker.store(secret, for: key) }
    }

    public func lookup(_ key: SecretKey) async throws(SecretStoreError) -> Secret? {
        try await bounded { (worker) throws(SecretStoreError) in try worker.lookup(key) }
    }

    @discardableResult
    public func remove(_ key: SecretKey) async throws(SecretStoreError) -> Bool {
        try await bounded { (worker) throws(SecretStoreError) in try worker.remove(key) }
    }

    /// Finds out whether secrets can be kept here now.
    ///
    /// - Throws: ``SecretStoreError`` `.libraryMissing`, `.noService`, `.noCollection`, `.locked`, `.timedOut` or `.refused`.
    public func probe() async throws(SecretStoreError) {
        try await bounded { (worker) throws(SecretStoreError) in try worker.probe() }
    }

    /// Waits for the worker or the end of the time, whichever comes first. The worker's own limit is not enough: GLib cannot be
    /// interrupted while it greets a bus that does not answer, which takes it 25 s.
    private func bounded<Value: Sendable>(
        _ body: @escaping @Sendable (isolated SecretServiceWorker) throws(SecretStoreError) -> Value
    ) async throws(SecretStoreError) -> Value {
        let outcome = Outcome<Result<Value, SecretStoreError>>(), worker = worker, timeout = timeout
        Task.detached {
            await worker.perform { (worker) in
                // What nobody waits for any more is not begun: a secret must not be kept after it was said that it could not be.
                guard !outcome.isSettled else { return }
                outcome.settle(Result { () throws(SecretStoreError) in try body(worker) })
            }
        }
        let timer = Task.detached {
            do { try await Task.sleep(for: timeout) } catch { return }  // The call has ended in time.
            outcome.settle(.failure(.timedOut(timeout)))
        }
        defer { timer.cancel() }
        return try await outcome.value().get()
    }
}
