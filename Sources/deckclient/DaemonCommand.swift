import CommandLineKit
import DeckClient
import EventLoop
import Log
import ServiceManager
import Synchronization

/// `deckclient daemon`: the engine without a screen.
enum DaemonCommand {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        var environment = environment
        let manager = try ServiceManager.adopt(&environment.variables)
        manager.onTrouble = { [logger = environment.logger] in logger.warning("The service manager cannot be told how the engine does: \($0)") }
        environment.manager = manager
        let session = try ClientSession(.daemon, environment: environment)
        let (signals, continuation) = AsyncStream<Signal>.makeStream()
        let source = try await session.onEachSignal([.interrupt, .terminate, .hangUp]) { continuation.yield($0) }
        let starting = Task { try await session.start() }
        let failure = Mutex<(any Error)?>(nil)
        await session.tellIfWaiting(manager)
        let watching = Task { [environment] in
            do { try await starting.value } catch {
                failure.withLock { $0 = error }
                continuation.finish()
                return
            }
            guard await session.isEngine else { return }
            environment.logger.notice("The background engine runs.")
            await session.tell(manager)
        }
        for await signal in signals {
            guard signal == .hangUp else { break }
            await session.apply(.settings)
            await session.apply(.profiles(renewed: nil))
            await session.tellReload(manager)
            environment.logger.notice("Settings and nodes were read again.")
        }
        await session.tellEnd(manager)
        await session.end(source)
        await session.stop()
        await watching.value
        session.shutdownLoops()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
