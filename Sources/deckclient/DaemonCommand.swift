import CommandLineKit
import DeckClient
import EventLoop
import Log
import Synchronization

/// `deckclient daemon`: the engine without a screen.
enum DaemonCommand {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let session = try ClientSession(.daemon, environment: environment)
        let (signals, continuation) = AsyncStream<Signal>.makeStream()
        let source = try await session.onEachSignal([.interrupt, .terminate, .hangUp]) { continuation.yield($0) }
        let starting = Task { try await session.start() }
        let failure = Mutex<(any Error)?>(nil)
        let watching = Task {
            do { try await starting.value } catch {
                failure.withLock { $0 = error }
                continuation.finish()
                return
            }
            if await session.isEngine { environment.logger.notice("The background engine runs.") }
        }
        for await signal in signals {
            guard signal == .hangUp else { break }
            await session.apply(.settings)
            await session.apply(.profiles(renewed: nil))
            environment.logger.notice("Settings and nodes were read again.")
        }
        await session.end(source)
        await session.stop()
        await watching.value
        session.shutdownLoops()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
