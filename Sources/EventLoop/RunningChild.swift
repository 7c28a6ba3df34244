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
    private var process: StartedChild?
    private var timer: Timer?
    private var completion: Completion?
    private var isCancelled = false

    init(_ launch: ChildLaunch, input: [UInt8], limit: Int, on loop: EventLoop) {
        self.launch = launch
        self.loop = loop
        self.input = input
        self.limit = max(0, limit)
    }

    deinit {
        for descriptor in [inputDescriptor] + captures.map(\.descriptor) where descriptor >= 0 {
            close(descriptor)
        }
    }

    func start(timeout: Duration, whenOver: Overtime, completion: @escaping Completion) {
        loop.preconditionOnLoop()
        self.completion = completion
        if isCancelled { return complete(.failure(.cancelled(launch.executable))) }
        do throws(ChildProcessError) {
            let started = try launch.spawn()
            process = StartedChild(started.processID, on: loop)
            inputDescriptor = started.input
            captures[0].descriptor = started.output
            captures[1].descriptor = started.errorOutput
            do throws(SystemError) { try watchAll() } catch { throw .system(error, launch.executable) }
        } catch {
            process?.kill()
            _ = process?.reap(block: true)
            return complete(.failure(error))
        }
        timer = loop.schedule(after: timeout) { self.timeIsOver(whenOver) }
    }

    func cancel() {
        loop.preconditionOnLoop()
        isCancelled = true
        guard completion != nil else { return }
        process?.kill()
        complete(.failure(.cancelled(launch.executable)))
    }

    private func watchAll() throws(SystemError) {
        try process?.watch(whenStopping: { self.cancel() }, onEnd: { self.ended($0) })
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
    private func ended(_ end: StartedChild.End) {
        let status: ChildResult.Status
        switch end {
        case .lost(let code): return complete(.failure(.system(SystemError(call: "waitpid", code: code), launch.executable)))
        case .status(let value): status = value
        }
        // A pipe holds 64 KiB by default and 1 MiB at most for an ordinary user.
        for index in captures.indices where captures[index].descriptor >= 0 {
            var reads = 1
            while readOnce(index, onEmpty: false) && reads < 64 { reads += 1 }
        }
        complete(.success(result(status)))
    }

    private func timeIsOver(_ whenOver: Overtime) {
        if whenOver == .kill { process?.kill() }
        complete(.success(result(.timedOut)))
    }

    private func result(_ status: ChildResult.Status) -> ChildResult {
        ChildResult(status: status, output: captures[0].bytes, errorOutput: captures[1].bytes, wasCut: wasCut)
    }

    /// Tells the waiting task. The process stays watched until it has been reaped.
    private func complete(_ result: Result<ChildResult, ChildProcessError>) {
        closeStreams()
        timer?.cancel()
        timer = nil
        let completion = completion
        self.completion = nil
        completion?(result)
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
