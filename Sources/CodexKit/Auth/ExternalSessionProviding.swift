/// A session that another program manages: it is asked for at each use, and neither stored nor renewed here.
public protocol ExternalSessionProviding: Sendable {
    /// The session as it is now.
    ///
    /// - Throws: ``AgentRuntimeError``, such as `missingSession`.
    func externalSession() async throws -> ChatGPTSession
}

/// A session that the program was given, and that stays as it is.
struct GivenSession: ExternalSessionProviding {
    let session: ChatGPTSession

    func externalSession() -> ChatGPTSession { session }
}
