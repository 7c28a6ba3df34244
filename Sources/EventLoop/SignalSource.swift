import CLinux
import Glibc
import Synchronization

/// The signals a program of ours listens to.
public enum Signal: Int32, Sendable, CaseIterable {
    case hangUp = 1
    case interrupt = 2
    case terminate = 15
    case resumed = 18
    case terminalStop = 20
    case windowChange = 28
}

/// Delivers signals on a loop, which keeps it until ``cancel()``. One at a time in a process.
///
/// A handler writes to a pipe rather than signalfd: that would need the signals blocked in every thread, those of the
/// Swift runtime included, and the mask would be inherited by children.
///
/// `@unchecked Sendable`: used on its loop's thread only, which every member checks.
public final class SignalSource: @unchecked Sendable {
    private let loop: EventLoop
    private let reader: Int32
    private let writer: Int32
    private let handler: (Signal) -> Void
    private var watch: Watch?
    private var previous: [(number: Int32, action: sigaction)] = []
    private static let isInUse = Mutex(false)

    /// Catches `signals` from now on; what they did before is restored by ``cancel()``. On the loop.
    ///
    /// - Parameter handler: Called on the loop, once for a signal that came several times in a row at most.
    /// - Throws: ``SystemError``: EBUSY when the process has a source already, else a failed call.
    public init(_ signals: Set<Signal>, on loop: EventLoop, handler: @escaping (Signal) -> Void) throws(SystemError) {
        loop.preconditionOnLoop()
        let isFirst = Self.isInUse.withLock { inUse in
            defer { inUse = true }
            return !inUse
        }
        guard isFirst else { throw SystemError(call: "sigaction", code: EBUSY) }
        var ends: [Int32] = [-1, -1]
        guard deck_pipe(&ends, O_NONBLOCK) == 0 else {
            let error = SystemError.last("pipe2")
            Self.isInUse.withLock { $0 = false }
            throw error
        }
        self.loop = loop
        self.handler = handler
        (reader, writer) = (ends[0], ends[1])
        deck_signal_set_pipe(writer)
        for signal in signals {
            var old = sigaction()
            guard deck_signal_install(signal.rawValue, &old) == 0 else { throw .last("sigaction") }
            previous.append((signal.rawValue, old))
        }
        watch = try loop.watch(reader, .readable) { _ in self.deliver() }
    }

    /// Restores what the signals did before. A signal that came just now is dropped.
    public func cancel() {
        loop.preconditionOnLoop()
        watch?.cancel()
        watch = nil
        restore()
    }

    deinit {
        restore()
        close(reader)
        close(writer)
        Self.isInUse.withLock { $0 = false }
    }

    private func restore() {
        for entry in previous {
            var action = entry.action
            _ = sigaction(entry.number, &action, nil)
        }
        previous = []
        deck_signal_set_pipe(-1)
    }

    private func deliver() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(reader, &bytes, bytes.count)
        var last: Signal?
        for byte in bytes.prefix(max(0, count)) {
            guard watch != nil else { return }   // cancelled by the handler
            guard let signal = Signal(rawValue: Int32(byte)), signal != last else { continue }
            last = signal
            handler(signal)
        }
    }
}
