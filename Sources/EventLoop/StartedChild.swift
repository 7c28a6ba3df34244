import CLinux
import Glibc

/// A child process from its start until its status has been taken.
///
/// Confined to its loop. While it is watched, the loop keeps it.
final class StartedChild {
    enum End {
        /// As `waitpid` gives it.
        case status(ChildResult.Status)
        /// Somebody else in this process waits for all children, or SIGCHLD is ignored.
        case lost(errno: Int32)
    }

    private let loop: EventLoop
    private var processID: pid_t  // 0: reaped
    private var descriptor: Int32 = -1
    private var watch: Watch?
    private(set) var wasKilled = false

    init(_ processID: pid_t, on loop: EventLoop) {
        self.processID = processID
        self.loop = loop
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Calls `onEnd` once it has ended. When the loop stops first, `whenStopping` is called and a child that was killed is reaped.
    func watch(whenStopping: @escaping () -> Void, onEnd: @escaping (End) -> Void) throws(SystemError) {
        descriptor = deck_pidfd_open(processID)
        if descriptor < 0 { throw .last("pidfd_open") }
        watch = try loop.watch(descriptor, .readable) { _ in
            if let end = self.reap(block: false) { onEnd(end) }
        }
        loop.whenStopping(self) {
            whenStopping()
            // One that was left alone stays, and has somebody else to take its status. Nothing lives on as a zombie.
            if self.reap(block: self.wasKilled) == nil { self.handOver() }
        }
    }

    /// Kills it and what it started, as far as that stayed in its process group.
    func kill() {
        guard processID > 0 else { return }
        wasKilled = true
        _ = Glibc.kill(-processID, SIGKILL)
    }

    /// Leaves the child to a thread that does nothing but wait for it.
    private func handOver() {
        guard processID > 0 else { return }
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { argument in
            var status: Int32 = 0
            while waitpid(pid_t(Int(bitPattern: argument)), &status, 0) < 0, errno == EINTR {}
            return nil
        }, UnsafeMutableRawPointer(bitPattern: Int(processID)))
        // Without a thread it stays a zombie until this process ends, which is soon when its loops stop.
        if code == 0 { pthread_detach(thread) }
        processID = 0
    }

    /// Takes the status, waiting for it if `block`, and lets go of the child once it has ended. `nil` while it runs, and after the first time.
    func reap(block: Bool) -> End? {
        guard processID > 0 else { return nil }
        var status: Int32 = 0
        let answer = waitpid(processID, &status, block ? 0 : WNOHANG)
        let code = errno
        if answer == 0 { return nil }
        processID = 0
        watch?.cancel()
        watch = nil
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        loop.forgetStopping(self)
        guard answer > 0 else { return .lost(errno: code) }
        return .status(status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f))
    }
}
