import Glibc

/// Where commands write.
public enum Output {
    public static func print(_ text: String, terminator: String = "\n") { write(text + terminator, STDOUT_FILENO) }
    public static func error(_ text: String) { write(text + "\n", STDERR_FILENO) }

    private static func write(_ text: String, _ descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A reader that went away, such as `head`, has seen what it wanted.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// A failure of a command: one sentence for standard error.
public struct CommandFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
