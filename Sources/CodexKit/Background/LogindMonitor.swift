import EventLoop

/// The child that holds the inhibitor and tells of logind's signals.
///
/// `@unchecked Sendable`: what changes is touched on the loop's thread only.
final class LogindMonitor: @unchecked Sendable {
    enum Event: Sendable {
        /// The computer is about to sleep or to shut down.
        case ending
        /// The child could not be started, or ended by itself.
        case ended
    }

    private let loop: EventLoop
    private let handler: @Sendable (Event) -> Void
    private var child: ConversingChild?
    private var reader = LogindSignalReader()
    private var isStopped = false

    /// Starts the child.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments. It ends with its input.
    ///   - handler: Called on the loop.
    init(_ command: [String], on loop: EventLoop, _ handler: @escaping @Sendable (Event) -> Void) {
        self.loop = loop
        self.handler = handler
        loop.execute { self.start(command) }
    }

    /// Lets the child go; nothing is told any more. At once, as whoever waits for it is the computer that wants to sleep.
    func stop() {
        loop.execute {
            self.isStopped = true
            self.child?.end(within: .zero)
            self.child = nil
        }
    }

    private func start(_ command: [String]) {
        guard !isStopped else { return }
        do throws(ChildProcessError) {
            let child = try ConversingChild(command.first ?? "", Array(command.dropFirst()), on: loop)
            child.onExit = { [weak self] _ in self?.tell(.ended) }
            child.socket.onBytes = { [weak self] bytes in
                if self?.reader.receive(bytes) == true { self?.tell(.ending) }
            }
            child.socket.start()
            self.child = child
        } catch {
            tell(.ended)
        }
    }

    private func tell(_ event: Event) { if !isStopped { handler(event) } }
}
