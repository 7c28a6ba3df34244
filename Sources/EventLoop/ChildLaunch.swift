import CLinux
import Glibc

/// What to start, and how: everything `posix_spawn` needs.
struct ChildLaunch: Sendable {
    enum Stream: Sendable { case null, pipe }

    /// A started child with our ends of its pipes, -1 for none. Whoever gets it closes them.
    struct Started {
        var processID: pid_t
        var input: Int32 = -1
        var output: Int32 = -1
        var errorOutput: Int32 = -1
    }

    var executable: String
    var arguments: [String]
    var environment: [String]?
    var directory: String?
    var standardInput: Stream
    var output: Stream

    /// Starts it with one end of a socket as both its standard input and its standard output, and gives the other end: non-blocking, not inherited.
    /// Its standard error is discarded.
    func spawnConversing() throws(ChildProcessError) -> (processID: pid_t, socket: Int32) {
        guard !executable.isEmpty else { throw .notFound(executable) }
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw .system(.last("socketpair"), executable)
        }
        let theirs = aboveStandard(pair[1])
        let null = aboveStandard(open("/dev/null", O_WRONLY | O_CLOEXEC))
        defer { for end in [theirs, null] where end >= 0 { close(end) } }
        do throws(ChildProcessError) {
            guard theirs >= 0, null >= 0 else { throw .system(.last("open"), executable) }
            _ = fcntl(pair[0], F_SETFL, fcntl(pair[0], F_GETFL) | O_NONBLOCK)
            return (try spawn(standard: [theirs, theirs, null]), pair[0])
        } catch {
            close(pair[0])
            throw error
        }
    }

    func spawn() throws(ChildProcessError) -> Started {
        guard !executable.isEmpty else { throw .notFound(executable) }
        var ours: [Int32] = [-1, -1, -1]
        var theirs: [Int32] = [-1, -1, -1]
        defer { for end in theirs where end >= 0 { close(end) } }
        for number in 0..<3 {
            do throws(SystemError) {
                (ours[number], theirs[number]) = try ends(number)
            } catch {
                for end in ours where end >= 0 { close(end) }
                throw .system(error, executable)
            }
        }
        do throws(ChildProcessError) {
            let processID = try spawn(standard: theirs)
            return Started(processID: processID, input: ours[0], output: ours[1], errorOutput: ours[2])
        } catch {
            for end in ours where end >= 0 { close(end) }
            throw error
        }
    }

    /// Our end and the child's of one of its standard descriptors.
    private func ends(_ number: Int) throws(SystemError) -> (ours: Int32, theirs: Int32) {
        let isInput = number == 0
        guard (isInput ? standardInput : output) == .pipe else {
            let null = aboveStandard(open("/dev/null", (isInput ? O_RDONLY : O_WRONLY) | O_CLOEXEC))
            if null < 0 { throw .last("open") }
            return (-1, null)
        }
        var pair: [Int32] = [-1, -1]
        if deck_pipe(&pair, 0) != 0 { throw .last("pipe2") }
        let (ours, theirs) = isInput ? (pair[1], pair[0]) : (pair[0], pair[1])
        // Only our end: a child does not expect to be told to try again.
        _ = fcntl(ours, F_SETFL, fcntl(ours, F_GETFL) | O_NONBLOCK)
        let moved = aboveStandard(theirs)
        if moved < 0 {
            let error = SystemError.last("fcntl")
            close(ours)
            throw error
        }
        return (ours, moved)
    }

    /// A daemon may run with descriptors 0 to 2 closed; a pipe's end there would be overwritten by the next one's.
    private func aboveStandard(_ descriptor: Int32) -> Int32 {
        guard (0..<3).contains(descriptor) else { return descriptor }
        defer { close(descriptor) }
        return fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    }

    private func spawn(standard: [Int32]) throws(ChildProcessError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in standard.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        if let directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        // The loop's thread blocks signals; a child must not inherit that, nor a SIGPIPE that somebody ignored.
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var processID: pid_t = 0
        let code = Self.withStrings([executable] + arguments) { argv in
            guard let environment else {
                return posix_spawnp(&processID, executable, &actions, &attributes, argv, environ)
            }
            return Self.withStrings(environment) { posix_spawnp(&processID, executable, &actions, &attributes, argv, $0) }
        }
        switch code {
        case 0: return processID
        case ENOENT, ENOTDIR: throw .notFound(executable)
        case EACCES, ENOEXEC: throw .notExecutable(executable)
        default: throw .system(SystemError(call: "posix_spawn", code: code), executable)
        }
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        copies.append(nil)
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("the array holds at least the closing nil") }
            return body(base)
        }
    }
}
