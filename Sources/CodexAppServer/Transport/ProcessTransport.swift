import EventLoop

/// Messages as lines over the standard input and output of an app-server of our own.
///
/// Confined to its loop; not Sendable.
public final class ProcessTransport: MessageTransport {
    public var onOpen: (() -> Void)?
    public var onMessage: (([UInt8]) -> Void)?
    public var onEnd: ((TransportEnd) -> Void)?

    private enum Phase { case idle, running, ended }

    /// How long the server may take to end once its input has ended, and its output to end once the process has.
    private static let endingLimit = Duration.seconds(3)
    private static let pendingLimit = 2 * maximumMessageBytes
    private let executable: String
    private let arguments: [String]
    private let environment: [String]?
    private let directory: String?
    private let loop: EventLoop
    private var phase = Phase.idle
    private var child: ConversingChild?
    private var framing: LineFraming
    private var timer: Timer?
    /// How the process ended, in words.
    private var exit: String?

    /// - Parameters:
    ///   - executable: A path with a slash, or a name that is looked up in `PATH`.
    ///   - arguments: What makes it an app-server that speaks on its standard input and output.
    ///   - environment: `NAME=value` texts; `nil` inherits ours.
    ///   - directory: Where it starts; `nil` is our own working directory.
    public convenience init(
        _ executable: String, _ arguments: [String] = ["app-server", "--stdio"], environment: [String]? = nil, directory: String? = nil,
        on loop: EventLoop
    ) {
        self.init(executable, arguments, environment: environment, directory: directory, on: loop, lineLimit: maximumMessageBytes)
    }

    init(_ executable: String, _ arguments: [String], environment: [String]?, directory: String?, on loop: EventLoop, lineLimit: Int) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.loop = loop
        framing = LineFraming(limit: lineLimit)
    }

    public func start() {
        guard case .idle = phase else { return }
        phase = .running
        do throws(ChildProcessError) {
            let child = try ConversingChild(executable, arguments, environment: environment, directory: directory, on: loop)
            self.child = child
            child.onExit = { [weak self] in self?.exited($0) }
            child.socket.onBytes = { [weak self] in self?.receive($0) }
            child.socket.onClose = { [weak self] _ in self?.closed() }
            child.socket.start()
            loop.later { [weak self] in self?.opened() }
        } catch {
            finishLater(.lost("\(error)"))
        }
    }

    private func opened() {
        if case .running = phase { onOpen?() }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        for line in framing.receive(bytes) {
            guard case .running = phase else { return }
            onMessage?(line)
        }
    }

    public func send(_ message: [UInt8]) {
        guard case .running = phase, let child else { return }
        child.socket.write(message + [0x0a])
        if child.socket.pendingBytes > Self.pendingLimit { end(.lost("it does not read what it is sent")) }
    }

    /// Nothing to ask: the kernel tells when the process ends.
    public func probe() {}

    // MARK: The end

    public func close() { end(.closedHere) }

    private func end(_ reason: TransportEnd) {
        guard phase != .ended else { return }
        child?.end(within: Self.endingLimit)
        finishLater(reason)
    }

    /// The conversation is over; why, the status of the process tells.
    private func closed() {
        guard case .running = phase else { return }
        if let exit { return finish(.lost(exit)) }
        child?.end(within: Self.endingLimit)
    }

    private func exited(_ status: ChildResult.Status?) {
        let words =
            switch status {
            case .exited(let code): "it exited with status \(code)"
            case .signalled(let number): "signal \(number) ended it"
            case .timedOut, nil: "it ended"
            }
        exit = words
        guard case .running = phase else { return }
        guard child?.socket.isOpen == true else { return finish(.lost(words)) }
        // Its last words are still to be read; what it started may keep its output open, though.
        timer = loop.schedule(after: Self.endingLimit) { [weak self] in self?.finish(.lost(words)) }
    }

    private func finishLater(_ reason: TransportEnd) {
        let handler = release()
        loop.later { handler?(reason) }
    }

    private func finish(_ reason: TransportEnd) {
        child?.end(within: Self.endingLimit)
        release()?(reason)
    }

    /// Lets go of everything; the last handler, the first time.
    private func release() -> ((TransportEnd) -> Void)? {
        guard phase != .ended else { return nil }
        phase = .ended
        timer?.cancel()
        let handler = onEnd
        (timer, child, onOpen, onMessage, onEnd) = (nil, nil, nil, nil, nil)
        return handler
    }
}
