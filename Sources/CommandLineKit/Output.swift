import Glibc

/// Where commands write.
public enum Output {
    public static func print(_ text: String, terminator: String = "\n") { write(text + terminator, STDOUT_FILENO) }
    public static func error(_ text: String) { write(text + "\n", STDERR_FILENO) }

    /// Whether the other end of standard output is still there: the pipe's reader, the terminal.
    public static var isRead: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) <= 0
    }

    private static func write(_ text: String, _ descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return fail(errno, descriptor) }
            rest = rest.dropFirst(count)
        }
    }

    private static func fail(_ code: Int32, _ descriptor: CInt) {
        // A reader that went away, such as `head`, has seen what it wanted. What cannot be complained of anywhere is left.
        guard code != EPIPE, code != EIO, descriptor == STDOUT_FILENO else { return }
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? "The command"
        error("\(program): The output cannot be written: \(String(cString: strerror(code))).")
        // Half an output must not pass for a whole one.
        exit(1)
    }
}

/// A failure of a command: one sentence for standard error.
public struct CommandFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
