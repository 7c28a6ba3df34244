import EventLoop
import RelayProtocol

extension ClientSession {
    /// Shows a task in the dashboards that are open; nothing is opened for it.
    ///
    /// - Returns: Whether there is one.
    /// - Throws: ``EngineError`` when an engine runs and cannot be used, ``SystemError`` without descriptors.
    public static func showIfOpen(_ task: TaskIdentity, environment: ClientEnvironment) async throws -> Bool {
        let loop = try EventLoop(name: "show")
        defer { loop.shutdown() }
        guard let remote = try await RemoteEngine.connect(to: ClientStore(environment).socketPath, shows: false, on: loop) else { return false }
        let isShown = await remote.showIfOpen(task)
        loop.execute { remote.close() }
        return isShown
    }
}
