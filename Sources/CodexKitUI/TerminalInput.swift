import CodexKit
import EventLoop
import Glibc

/// Lines that a person types. Reading waits on a thread of its own, and ends when its task is cancelled.
public actor TerminalInput {
    private let loop: EventLoop
    private let descriptor: CInt
    private var buffer: [UInt8] = []
    private var isAtEnd = false
    /// Longer lines are cut in pieces.
    private static let longestLine = 65_536

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameter descriptor: Standard input, unless told otherwise; not closed.
    /// - Throws: ``AgentRuntimeError`` when the process is out of threads or descriptors.
    public init(descriptor: CInt = STDIN_FILENO) throws {
        self.descriptor = descriptor
        do throws(SystemError) {
            loop = try EventLoop(name: "terminal-input")
        } catch {
            throw AgentRuntimeError(code: .invalidConfiguration, message: "The terminal cannot be read: \(error.description)")
        }
    }

    deinit { loop.shutdown() }

    /// The next line without its end; `nil` at the end of the input.
    ///
    /// - Throws: `CancellationError`; what was typed until then stays for the next line.
    public func line() async throws -> String? {
        while true {
            if let line = takeLine() { return line }
            if isAtEnd { return nil }
            try Task.checkCancellation()
            read()
            await Task.yield()
        }
    }

    private func takeLine() -> String? {
        if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
            defer { buffer.removeSubrange(...end) }
            let line = buffer[..<end]
            return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        guard buffer.count >= Self.longestLine || (isAtEnd && !buffer.isEmpty) else { return nil }
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Waits for input for a fifth of a second at most, so that a cancellation is noticed.
    private func read() {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, 200) > 0 else { return }
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count > 0 {
            buffer += chunk.prefix(count)
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            isAtEnd = true
        }
    }
}
