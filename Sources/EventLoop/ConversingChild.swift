import Glibc

/// A child process that is talked with for as long as it lives: one socket is both its standard input and its standard output.
///
/// Set the handlers and start ``socket`` in the call that made the child. The loop keeps the child until it has ended and its status was taken.
/// When the loop stops, the child is killed without a further word.
///
/// `@unchecked Sendable`: used on its loop's thread only, which every member checks.
public final class ConversingChild: @unchecked Sendable {
    /// Our end of the conversation.
    public let socket: StreamSocket
    /// Called once, from the loop, when the process has ended; `nil` when its status was lost. What it wrote last may still be on its way.
    public var onExit: ((ChildResult.Status?) -> Void)?

    private let loop: EventLoop
    private let process: StartedChild
    private var timer: Timer?
    private var hasExited = false

    /// Starts a program. On the loop.
    ///
    /// - Parameters:
    ///   - executable: A path with a slash, or a name that is looked up in `PATH`.
    ///   - arguments: Without the program's own name.
    ///   - environment: `NAME=value` texts; `nil` inherits ours.
    ///   - directory: Where it starts; `nil` is our own working directory.
    public init(
        _ executable: String, _ arguments: [String] = [], environment: [String]? = nil, directory: String? = nil, on loop: EventLoop
    ) throws(ChildProcessError) {
        loop.preconditionOnLoop()
        self.loop = loop
        let launch = ChildLaunch(
            executable: executable, arguments: arguments, environment: environment, directory: directory, standardInput: .null, output: .null)
        let (processID, descriptor) = try launch.spawnConversing()
        socket = StreamSocket(adopting: descriptor, on: loop)
        process = StartedChild(processID, on: loop)
        do throws(SystemError) {
            try process.watch(whenStopping: { self.loopStops() }, onEnd: { self.ended($0) })
        } catch {
            process.kill()
            _ = process.reap(block: true)
            throw .system(error, executable)
        }
    }

    /// Ends the conversation: the child sees the end of its input. If it has not ended after `grace`, it is killed with its process group.
    ///
    /// - Parameter grace: Zero kills at once.
    public func end(within grace: Duration) {
        loop.preconditionOnLoop()
        socket.close()
        guard !hasExited else { return }
        timer?.cancel()
        if grace <= .zero { return process.kill() }
        timer = loop.schedule(after: grace) { self.process.kill() }
    }

    private func loopStops() {
        process.kill()
        timer?.cancel()
        timer = nil
        onExit = nil
    }

    private func ended(_ end: StartedChild.End) {
        hasExited = true
        timer?.cancel()
        timer = nil
        let handler = onExit
        onExit = nil
        if case .status(let status) = end { handler?(status) } else { handler?(nil) }
    }
}
