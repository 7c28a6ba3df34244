import EventLoop
import Synchronization

/// The loop that commands of tools run on, started with the first of them.
final class CommandLoop: Sendable {
    private let started = Mutex<EventLoop?>(nil)

    func loop() throws(SystemError) -> EventLoop {
        let result: Result<EventLoop, SystemError> = started.withLock { loop in
            if let loop { return .success(loop) }
            do throws(SystemError) {
                let new = try EventLoop(name: "tools")
                loop = new
                return .success(new)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Kills what runs and ends the thread; commands after this start another.
    func shutdown() {
        let loop = started.withLock { loop in
            defer { loop = nil }
            return loop
        }
        loop?.shutdown()
    }
}
