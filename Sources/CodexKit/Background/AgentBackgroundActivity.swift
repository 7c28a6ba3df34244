/// Something that should not be cut off, while it lasts.
public protocol AgentBackgroundActivity: Sendable {
    /// It is over. Calls after the first do nothing.
    func end() async
}

/// Tells the system of work that should not be cut off, and the work of the end of the system's patience.
public protocol AgentBackgroundActivityProviding: Sendable {
    /// Begins an activity; never fails: without the system's help the work just goes on.
    ///
    /// - Parameters:
    ///   - name: For people, such as `Answering in a thread`.
    ///   - expirationHandler: Called once at most, from any thread, when the work must end now. The activity must still be ended.
    func beginActivity(named name: String, expirationHandler: @escaping @Sendable () -> Void) async -> any AgentBackgroundActivity
}

/// Asks the system for nothing.
public struct NoOpAgentBackgroundActivityProvider: AgentBackgroundActivityProviding {
    private struct Activity: AgentBackgroundActivity {
        func end() async {}
    }

    public init() {}

    public func beginActivity(named name: String, expirationHandler: @escaping @Sendable () -> Void) async -> any AgentBackgroundActivity {
        Activity()
    }
}
