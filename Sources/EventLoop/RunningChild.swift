import CLinux
import Glibc

/// A child process that the loop feeds, listens to and reaps.
///
/// `@unchecked Sendable`: made anywhere, used on its loop's thread only, which `start` and `cancel` check.
final class RunningChild: @unchecked Sendable {
    typealias Completion = (Result<ChildResult, ChildProcessError>) -> Void
    enum Overtime { case kill, leave }

    private struct Capture {
        var descriptor: Int32 = -1
        var watch: Watch?
        var bytes: [UInt8] = []
    }

    private let launch: ChildLaunch
    private let loop: EventLoop
    private let limit: Int
    private var input: [UInt8]
    private var inputOffset = 0
    private var inputDescriptor: Int32 = -1
    private var inputWatch: Watch?
    private var captures = [Capture(), Capture()]
    private var wasCut = false
    private var processID: pid_t = 0   // 0: not started, or reaped
    private var processDescriptor: Int32 = -1
    private var processWatch: Watch?
    private var timer: Timer?
    private var completion: Completion?
    private var isCancelled = false
    private var wasKilled = false

    init(_ launch: ChildLaunch, input: [UInt8], limit: Int, on loop: EventLoop) {
        self.launch = launch
        self.loop = loop
        self.input = input
        self.limit = max(0, limit)
    }

    deinit {
        for descriptor in [inputDescriptor, processDescriptor] + captures.map(\.descriptor) where descriptor >= 0 {
            close(descriptor)
        }
    }

    func start(timeout: Duration, whenOver: Overtime, completion: @escaping Completion) {
        loop.preconditionOnLoop()
        self.completion = completion
        if isCancelled { return complete(.failure(.cancelled(launch.executable))) }
        do throws(ChildProcessError) {
            let started = try launch.spawn()
            processID = started.processID
            inputDescriptor = started.input
            captures[0].descriptor = started.output
            captures[1].descriptor = started.errorOutput
            do throws(SystemError) { try watchAll() } catch { throw .system(error, launch.executable) }
        } catch {
            if processID > 0 {
                killGroup()
                _ = reap(block: true)
            }
            return complete(.failure(error))
        }
        timer = loop.schedule(after: timeout) { self.timeIsOver(whenOver) }
        loop.whenStopping(self) { self.loopStops() }
    }

    /// A child that was killed is still reaped; one that was left alone stays. Nothing that was killed lives on as a zombie.
    private func loopStops() {
        cancel()
        _ = reap(block: wasKilled)
    }

    func cancel() {
        loop.preconditionOnLoop()
        isCancelled = true
        guard completion != nil else { return }
        killGroup()
        complete(.failure(.cancelled(launch.executable)))
    }

    private func watchAll() throws(SystemError) {
        processDescriptor = deck_pidfd_open(processID)
        if processDescriptor < 0 { throw .last("pidfd_open") }
        processWatch = try loop.watch(processDescriptor, .readable) { _ in self.ended() }
        for index in captures.indices where captures[index].descriptor >= 0 {
            captures[index].watch = try loop.watch(captures[index].descriptor, .readable) { _ in self.capture(index) }
        }
        if inputDescriptor >= 0 {
            inputWatch = try loop.watch(inputDescriptor, .writable) { _ in self.feed() }
        }
    }

    private func feed() {
        let count = input.withUnsafeBytes { bytes in
            Glibc.write(inputDescriptor, bytes.baseAddress?.advanced(by: inputOffset), bytes.count - inputOffset)
        }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        inputOffset += max(0, count)
        // EPIPE: the child wants no more.
        if count < 0 || inputOffset == input.count { closeInput() }
    }

    private func capture(_ index: Int) {
        if !readOnce(index) { closeCapture(index) }
    }

    /// Returns whether more may come; `false` at the end of the stream.
    private func readOnce(_ index: Int, onEmpty: Bool = true) -> Bool {
        let buffer = loop.scratch
        let count = Glibc.read(captures[index].descriptor, buffer.baseAddress, buffer.count)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? onEmpty : false }
        let kept = min(count, limit - captures[index].bytes.count)
        captures[index].bytes += buffer[..<kept]
        if kept < count { wasCut = true }
        return count > 0
    }

    /// The child has ended. Its own children may hold its outputs open: what is there now is taken, no end awaited.
    private func ended() {
        let status: Int32
        switch reap(block: false) {
        case .running: return
        case .lost(let code):
            // Somebody else in this process waits for all children, or SIGCHLD is ignored.
            return complete(.failure(.system(SystemError(call: "waitpid", code: code), launch.executable)))
        case .status(let value): status = value
        }
        // A pipe holds 64 KiB by default and 1 MiB at most for an ordinary user.
        for index in captures.indices where captures[index].descriptor >= 0 {
            var reads = 1
            while readOnce(index, onEmpty: false) && reads < 64 { reads += 1 }
        }
        complete(.success(result(status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f))))
    }

    private func timeIsOver(_ whenOver: Overtime) {
        if whenOver == .kill { killGroup() }
        complete(.success(result(.timedOut)))
    }

    private func result(_ status: ChildResult.Status) -> ChildResult {
        ChildResult(status: status, output: captures[0].bytes, errorOutput: captures[1].bytes, wasCut: wasCut)
    }

    private func killGroup() {
        guard processID > 0 else { return }
        wasKilled = true
        _ = kill(-processID, SIGKILL)
    }

    /// Tells the waiting task. The child's descriptor stays watched until it has been reaped.
    private func complete(_ result: Result<ChildResult, ChildProcessError>) {
        closeStreams()
        timer?.cancel()
        timer = nil
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    private enum Reaped { case running, status(Int32), lost(errno: Int32) }

    /// Takes the child's status, waiting for it if `block`, and lets go of the child once it has ended.
    private func reap(block: Bool) -> Reaped {
        guard processID > 0 else { return .running }
        var status: Int32 = 0
        let answer = waitpid(processID, &status, block ? 0 : WNOHANG)
        let code = errno
        if answer == 0 { return .running }
        processID = 0
        processWatch?.cancel()
        processWatch = nil
        if processDescriptor >= 0 { close(processDescriptor) }
        processDescriptor = -1
        loop.forgetStopping(self)
        return answer > 0 ? .status(status) : .lost(errno: code)
    }

    private func closeStreams() {
        closeInput()
        for index in captures.indices { closeCapture(index) }
    }

    private func closeInput() {
        inputWatch?.cancel()
        inputWatch = nil
        if inputDescriptor >= 0 { close(inputDescriptor) }
        inputDescriptor = -1
        input = []
    }

    private func closeCapture(_ index: Int) {
        captures[index].watch?.cancel()
        captures[index].watch = nil
        if captures[index].descriptor >= 0 { close(captures[index].descriptor) }
        captures[index].descriptor = -1
    }
}
