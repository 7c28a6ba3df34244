import CLinux
import Glibc

/// How a child ended and what it wrote.
public struct ChildResult: Hashable, Sendable {
    public enum Status: Hashable, Sendable {
        /// The exit status, 0 to 255.
        case exited(Int32)
        /// Ended by a signal, its number.
        case signalled(Int32)
        /// It took too long and was killed.
        case timedOut
    }

    public var status: Status
    /// Standard output up to the limit.
    public var output: [UInt8]
    /// Standard error up to the limit.
    public var errorOutput: [UInt8]
    /// Whether it wrote more than the limit to either; the rest was read and dropped.
    public var wasCut: Bool

    /// Whether it exited with status 0.
    public var succeeded: Bool { status == .exited(0) }
}

/// Why a child did not run to its end.
public enum ChildProcessError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No such program, by path or in `PATH`.
    case notFound(String)
    /// It exists and may not be run.
    case notExecutable(String)
    /// The task that waited was cancelled; the child was killed.
    case cancelled(String)
    case system(SystemError, String)

    public var description: String {
        switch self {
        case .notFound(let name): "The program \(name) was not found; install it or add its folder to PATH."
        case .notExecutable(let name): "The program \(name) may not be run by this user; check its permissions."
        case .cancelled(let name): "Waiting for \(name) was given up."
        case .system(let error, let name):
            "Running \(name) failed: \(SystemError.text(error.code)) (\(error.call), errno \(error.code))."
        }
    }
}

/// Runs other programs without blocking the loop and without a shell.
///
/// Children have their own process group, no inherited descriptors but the three standard ones, default signals, and
/// `/dev/null` as standard input unless there is input for them.
public enum ChildProcess {
    /// Runs a program to its end and returns what it wrote.
    ///
    /// - Parameters:
    ///   - executable: A path with a slash, or a name that is looked up in `PATH`.
    ///   - arguments: Without the program's own name.
    ///   - input: Written to its standard input, which is closed then. A child that does not read it all is fine.
    ///   - environment: `NAME=value` texts; `nil` inherits ours.
    ///   - directory: Where it starts; `nil` is our own working directory.
    ///   - timeout: After this it is killed, with its process group, and the status is `timedOut`.
    ///   - outputLimit: Bytes kept of each of its two outputs, 0 or more.
    /// - Throws: ``ChildProcessError``. A status other than 0 is a result, not an error.
    public static func run(
        _ executable: String, _ arguments: [String] = [], input: [UInt8] = [], environment: [String]? = nil,
        directory: String? = nil, timeout: Duration, outputLimit: Int = 65_536, on loop: EventLoop
    ) async throws(ChildProcessError) -> ChildResult {
        let launch = ChildLaunch(
            executable: executable, arguments: arguments, environment: environment, directory: directory,
            standardInput: input.isEmpty ? .null : .pipe, output: .pipe)
        let child = RunningChild(launch, input: input, limit: outputLimit, on: loop)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute {
                    child.start(timeout: timeout, whenOver: .kill) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            loop.execute { child.cancel() }
        }
        return try result.get()
    }

    /// Starts a program that may stay, such as `xdg-open`, with its outputs discarded.
    ///
    /// - Parameter grace: How long to wait for it to end, to learn of a failure.
    /// - Returns: How it ended, or `nil` when it still runs after `grace`: it is left alone, and reaped when it ends.
    /// - Throws: ``ChildProcessError``.
    public static func launch(
        _ executable: String, _ arguments: [String] = [], environment: [String]? = nil, directory: String? = nil,
        grace: Duration, on loop: EventLoop
    ) async throws(ChildProcessError) -> ChildResult.Status? {
        let launch = ChildLaunch(
            executable: executable, arguments: arguments, environment: environment, directory: directory,
            standardInput: .null, output: .null)
        let child = RunningChild(launch, input: [], limit: 0, on: loop)
        let result = await withCheckedContinuation { continuation in
            loop.execute {
                child.start(timeout: grace, whenOver: .leave) { continuation.resume(returning: $0) }
            }
        }
        let status = try result.get().status
        return status == .timedOut ? nil : status
    }
}
