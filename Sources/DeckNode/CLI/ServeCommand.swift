import CommandLineKit
import EventLoop
import ServiceManager

/// `decknode serve`.
enum ServeCommand {
    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) async throws {
        var environment = environment
        environment.manager = try ServiceManager.adopt(&environment.variables)
        let service = try NodeService(environment: environment, options: .init(demo: invocation.flag("demo")))
        do {
            try await service.start()
        } catch let error as BindError {
            if case .addressInUse(let address) = error, address.path != nil { throw CommandFailure("A node of yours is running already; see `decknode status`.") }
            throw error
        }
        let greeting = await service.greeting
        environment.logger.notice(greeting)
        await service.untilSignal()
        environment.logger.notice("Stopping.")
        await service.stop()
        service.shutdownLoops()
    }
}

extension NodeService {
    /// What `serve` says once it is ready.
    var greeting: String {
        guard let listeners else { return "The node is ready." }
        var ways: [String] = []
        if case .listening(let address) = listeners.nearby { ways.append("Nearby on \(address)") }
        if case .listening(let address) = listeners.remote { ways.append("remote on \(address)") }
        let listening = ways.isEmpty ? silence(listeners) : "Listening: \(ways.joined(separator: ", "))."
        return "\(listeners.host.name) is ready with \(deck.tasks.count) tasks. \(listening)"
    }

    /// Why no screen can reach the node; what failed has been logged with its reason.
    private func silence(_ listeners: NodeListeners) -> String {
        let isPaired = listeners.nearby != .disabled || listeners.remote != .disabled
        return isPaired ? "No screen can reach it yet, for the reason above; it tries again." : "No screen can reach it yet; run `decknode pair`."
    }

    /// Returns when the process is asked to stop.
    func untilSignal() async {
        await withCheckedContinuation { continuation in
            var waiting: CheckedContinuation<Void, Never>? = continuation
            do throws(SystemError) {
                signals = try SignalSource([.terminate, .interrupt, .hangUp], on: loop) { [weak self] signal in
                    if signal == .hangUp { return self?.assumeIsolated { $0.reload() } ?? () }
                    waiting?.resume()
                    waiting = nil
                }
            } catch {
                logger.warning("Signals end the node without a goodbye: \(error)")
            }
            // Not before signals are listened to: a manager may send one at once.
            tellManager()
        }
    }
}
