import Files
import FoundationEssentials

/// Holds the session: restores, renews, replaces and ends it, once for all who need it, in this process and in others that share the
/// store.
///
/// Whoever changes what is stored holds the store's lock and looks at it first: a session that another process has renewed is taken
/// over instead of renewed again, and one that was signed out elsewhere is not brought back.
public actor ChatGPTSessionManager: AgentSessionProviding {
    private let provider: any ChatGPTAuthProviding
    private let store: any SessionSecureStoring
    private let lock: SessionLock
    private let clock: AuthClock
    private let margin: TimeInterval

    private var session: ChatGPTSession?
    private var external: (any ExternalSessionProviding)?
    private var renewal: Renewal?
    /// The refresh token that the server does not take any more, with what it said: asking again would only get the same answer.
    private var refused: (token: String?, error: AgentRuntimeError)?
    /// Grows with every sign-in, sign-out and use of another session: a renewal that began before changes nothing after.
    private var generation = 0

    private struct Renewal {
        let task: Task<ChatGPTSession, any Error>
        let generation: Int
    }

    /// - Parameter refreshMargin: A session that ends within this time is renewed before it is used; 0 s to 1 h.
    public init(
        authProvider: any ChatGPTAuthProviding, secureStore: any SessionSecureStoring, refreshMargin: Duration = .seconds(300)
    ) {
        self.init(authProvider: authProvider, secureStore: secureStore, refreshMargin: refreshMargin, clock: .system)
    }

    init(authProvider: any ChatGPTAuthProviding, secureStore: any SessionSecureStoring, refreshMargin: Duration, clock: AuthClock) {
        provider = authProvider
        store = secureStore
        lock = SessionLock(path: secureStore.lockPath, clock: clock)
        self.clock = clock
        margin = min(max(refreshMargin / .seconds(1), 0), 3600)
    }

    // MARK: The life of a session

    /// The session in use; `nil` when nobody is signed in, or when the external one cannot be read.
    public func currentSession() async -> ChatGPTSession? {
        // What is wrong with an external session is told to the request that needs it.
        if let external { return try? await external.externalSession() }
        return session
    }

    /// Loads what an earlier run has stored. Does nothing while an external session is in use.
    @discardableResult
    public func restore() async throws -> ChatGPTSession? {
        guard external == nil else { return await currentSession() }
        let began = generation
        let stored = try await store.loadSession()
        if began == generation { session = stored }
        return session
    }

    /// Asks a person to sign in, and stores the session.
    public func signIn() async throws -> ChatGPTSession {
        let fresh = try await provider.signInInteractively()
        let held = try await lock.acquire()
        try await store.saveSession(fresh)
        withExtendedLifetime(held) { replace(fresh) }
        return fresh
    }

    /// Ends the session here and in the store. An external session is only let go: it belongs to another program.
    public func signOut() async throws {
        let wasExternal = external != nil
        replace(nil)
        guard !wasExternal else { return }
        let began = generation
        let held = try await lock.acquire()
        // Somebody may have signed in while this waited.
        if began == generation { try await store.deleteSession() }
        withExtendedLifetime(held) {}
    }

    /// Uses a session that the program manages; it is neither stored nor renewed.
    public func useSession(_ session: ChatGPTSession) { useSession(GivenSession(session: session)) }

    /// Uses a session that another program manages, such as ``CodexCLISession``.
    public func useSession(_ source: any ExternalSessionProviding) {
        replace(nil)
        external = source
    }

    private func replace(_ new: ChatGPTSession?) {
        generation += 1
        session = new
        external = nil
        refused = nil
        renewal = nil
    }

    // MARK: At each request

    public func validSession() async throws -> ChatGPTSession {
        if let external { return try await external.externalSession() }
        guard let session else { throw Self.missing }
        guard session.needsRefresh(at: clock.now(), margin: margin) else { return session }
        do {
            return try await renewed(from: session, because: .nearExpiry)
        } catch {
            // A server that cannot be reached for a moment ends nothing while the session still holds.
            let isPassing = (error as? AgentRuntimeError).map { [.network, .timedOut, .serverFailed, .rateLimited].contains($0.code) } ?? false
            guard isPassing, self.session == session, !session.needsRefresh(at: clock.now(), margin: 0) else { throw error }
            return session
        }
    }

    public func session(replacing rejected: ChatGPTSession) async throws -> ChatGPTSession {
        if let external {
            let current = try await external.externalSession()
            guard current.accessToken != rejected.accessToken else {
                throw AgentRuntimeError(
                    code: .unauthorized, message: "The server does not accept the session; sign in again with the program that manages it.",
                    status: 401)
            }
            return current
        }
        guard let session else { throw Self.missing }
        guard session.accessToken == rejected.accessToken else { return session }
        return try await renewed(from: session, because: .unauthorized)
    }

    /// One renewal for all who ask meanwhile.
    private func renewed(from old: ChatGPTSession, because reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession {
        if let refused, refused.token == old.refreshToken { throw refused.error }
        let task: Task<ChatGPTSession, any Error>
        if let renewal, renewal.generation == generation {
            task = renewal.task
        } else {
            let began = generation
            task = Task { try await self.renew(old, because: reason, generation: began) }
            renewal = Renewal(task: task, generation: began)
        }
        return try await CancellableWait.value(of: task)
    }

    private func renew(_ old: ChatGPTSession, because reason: ChatGPTAuthRefreshReason, generation began: Int) async throws -> ChatGPTSession {
        defer { if renewal?.generation == began { renewal = nil } }
        let held = try await lock.acquire()
        defer { withExtendedLifetime(held) {} }
        guard let stored = try await store.loadSession() else {
            if began == generation { replace(nil) }
            throw Self.missing
        }
        if stored.accessToken != old.accessToken, !stored.needsRefresh(at: clock.now(), margin: margin) {
            if began == generation { session = stored }
            return stored
        }
        let fresh: ChatGPTSession
        do {
            fresh = try await provider.refresh(session: stored, reason: reason)
        } catch {
            if began == generation { remember(error, for: stored) }
            throw error
        }
        // Stored in any case, as the former tokens are spent. Who signed out or in meanwhile waits for the lock and has the last word.
        try await store.saveSession(fresh)
        guard began == generation else { throw Self.missing }
        session = fresh
        return fresh
    }

    private func remember(_ error: any Error, for session: ChatGPTSession) {
        guard let error = error as? AgentRuntimeError, error.code == .refreshFailed, let status = error.status, (400...403).contains(status)
        else { return }
        refused = (session.refreshToken, error)
    }

    private static let missing = AgentRuntimeError(code: .missingSession, message: "Nobody is signed in; sign in first.")
}
