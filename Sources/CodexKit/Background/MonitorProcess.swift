import CLinux
import EventLoop
// `environ` is a variable in C; nothing here changes it.
@preconcurrency import Glibc

/// A child that runs until it is told to end, its output read for signals of logind.
///
/// `@unchecked Sendable`: after `init` everything but the process id is touched on the loop's thread only.
final class MonitorProcess: @unchecked Sendable {
    enum Event: Sendable {
        case ending
        /// The child ended by itself.
        case ended
    }

    private let loop: EventLoop
    private let processID: pid_t
    private let input: CInt
    private let output: CInt
    private var reader = LogindSignalReader()
    private var watch: Watch?
    private let handler: @Sendable (Event) -> Void

    /// - Parameter handler: Called on the loop.
    /// - Throws: ``SystemError`` when the program cannot be started.
    init(_ command: [String], on loop: EventLoop, _ handler: @escaping @Sendable (Event) -> Void) throws(SystemError) {
        self.loop = loop
        self.handler = handler
        let toChild = try Self.makePipe()
        let fromChild: (read: CInt, write: CInt)
        do throws(SystemError) { fromChild = try Self.makePipe() } catch {
            Self.close(toChild)
            throw error
        }
        input = toChild.write
        output = fromChild.read
        let (code, processID) = Self.spawn(command, input: toChild.read, output: fromChild.write)
        self.processID = processID
        Glibc.close(toChild.read)
        Glibc.close(fromChild.write)
        guard code == 0 else {
            Glibc.close(input)
            Glibc.close(output)
            throw SystemError(call: "posix_spawn", code: code)
        }
        loop.execute { self.startReading() }
    }

    /// Lets the child go and reaps it. Later calls do nothing.
    func stop() { loop.execute { self.end() } }

    private func startReading() {
        do throws(SystemError) {
            watch = try loop.watch(output, .readable) { [weak self] _ in self?.read() }
        } catch {
            handler(.ended)
        }
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(output, &chunk, chunk.count)
        if count > 0 {
            if reader.receive(chunk.prefix(count)) { handler(.ending) }
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            watch?.cancel()
            watch = nil
            handler(.ended)
        }
    }

    private var isOver = false

    private func end() {
        guard !isOver else { return }
        isOver = true
        watch?.cancel()
        watch = nil
        Glibc.close(input)
        Glibc.close(output)
        // Its whole group, at once: whoever waits for the end of the inhibitor is the computer that wants to sleep.
        kill(-processID, SIGKILL)
        var status: CInt = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    }

    // MARK: Starting

    private static func makePipe() throws(SystemError) -> (read: CInt, write: CInt) {
        var ends: [CInt] = [-1, -1]
        guard deck_pipe(&ends, 0) == 0 else { throw SystemError(call: "pipe2", code: errno) }
        return (ends[0], ends[1])
    }

    private static func close(_ pipe: (read: CInt, write: CInt)) {
        Glibc.close(pipe.read)
        Glibc.close(pipe.write)
    }

    private static func spawn(_ command: [String], input: CInt, output: CInt) -> (code: CInt, processID: pid_t) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t(), all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var processID: pid_t = 0
        let code = command.first.map { posix_spawnp(&processID, $0, &actions, &attributes, &arguments, environ) } ?? EINVAL
        return (code, processID)
    }
}
