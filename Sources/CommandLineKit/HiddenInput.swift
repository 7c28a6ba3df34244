import Glibc
import Synchronization

/// Where the signal handler writes; -1 while nobody asks. A handler can reach nothing but globals.
private let signalPipe = Atomic<CInt>(-1)

/// Reads a line with the echo off. A signal that would end or stop the process first gives the echo back, then has its usual effect.
struct HiddenInput {
    let terminal: CInt
    let question: String

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    private enum Result {
        case line(String)
        case signal(CInt)
    }

    func ask() throws(PromptError) -> String {
        while true {
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0 else { throw .failed(errno: errno) }
            defer { for end in ends { close(end) } }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            guard signalPipe.compareExchange(expected: -1, desired: ends[1], ordering: .sequentiallyConsistent).exchanged else {
                throw .busy
            }
            let result = try readGuarded(signals: ends[0])
            switch result {
            case .line(let line): return line
            case .signal(let number):
                Self.deliver(number)
                // Here after a stop and `fg`, or because the program handles the signal itself.
                if number != SIGTSTP { throw .interrupted(signal: number) }
            }
        }
    }

    /// One attempt; leaves terminal and signal handlers as they were, whatever happens.
    private func readGuarded(signals: CInt) throws(PromptError) -> Result {
        defer { signalPipe.store(-1, ordering: .sequentiallyConsistent) }
        let former = Self.ending.map { ($0, Self.install(for: $0)) }
        defer { for case (let number, var action?) in former { sigaction(number, &action, nil) } }
        var original = termios()
        guard tcgetattr(terminal, &original) == 0 else { throw .failed(errno: errno) }
        var silent = original
        silent.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else { throw .failed(errno: errno) }
        defer {
            Self.restore(original, on: terminal)
            Prompt.show("\n", on: terminal)
        }
        Prompt.show(question + " ", on: terminal)
        return try read(signals: signals)
    }

    private func read(signals: CInt) throws(PromptError) -> Result {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1024)
        while true {
            var waiting = [pollfd(fd: signals, events: Int16(POLLIN), revents: 0), pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)]
            guard poll(&waiting, 2, -1) > 0 || errno == EINTR else { throw .failed(errno: errno) }
            var number: UInt8 = 0
            if Glibc.read(signals, &number, 1) == 1 { return .signal(CInt(number)) }
            guard waiting[1].revents != 0 else { continue }
            let count = Glibc.read(terminal, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .failed(errno: errno)
            }
            if count == 0 {
                guard !bytes.isEmpty else { throw .endOfInput }
                return .line(try Prompt.text(bytes, limit: Prompt.limit))
            }
            bytes.append(contentsOf: chunk.prefix(count))
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                return .line(try Prompt.text(Array(bytes[..<end]), limit: Prompt.limit))
            }
            guard bytes.count <= Prompt.limit else { throw .unreadable(limit: Prompt.limit) }
        }
    }

    /// Catches a signal and returns its former action, or `nil` when it is ignored (as under `nohup`) and stays so.
    private static func install(for number: CInt) -> sigaction? {
        var former = sigaction()
        guard sigaction(number, nil, &former) == 0 else { return nil }
        if unsafeBitCast(former.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return nil }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let saved = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(signalPipe.load(ordering: .sequentiallyConsistent), &byte, 1)
            errno = saved
        }
        sigemptyset(&action.sa_mask)
        return sigaction(number, &action, nil) == 0 ? former : nil
    }

    /// Gives the signal its effect before this returns. The threads that run Swift's tasks block signals, so it is let in first.
    private static func deliver(_ number: CInt) {
        var wanted = sigset_t(), former = sigset_t()
        sigemptyset(&wanted)
        sigaddset(&wanted, number)
        pthread_sigmask(SIG_UNBLOCK, &wanted, &former)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    /// From a background job, tcsetattr would stop the process before it restored anything.
    private static func restore(_ settings: termios, on terminal: CInt) {
        var blocked = sigset_t(), former = sigset_t(), settings = settings
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &blocked, &former)
        while tcsetattr(terminal, TCSADRAIN, &settings) != 0, errno == EINTR {}
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }
}
