import Foundation

/// A terminal to test with, and the side where the person would sit.
final class PseudoTerminal: Sendable {
    let person: CInt
    let terminal: CInt
    let path: String

    struct Failure: Error {}

    /// TIOCSPTLCK and TIOCGPTN, which are macros that Swift does not import.
    private static let setLock: UInt = 0x4004_5431, getNumber: UInt = 0x8004_5430

    init() throws {
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var locked: CInt = 0, number: CInt = 0
        guard ioctl(person, Self.setLock, &locked) == 0, ioctl(person, Self.getNumber, &number) == 0 else { throw Failure() }
        path = "/dev/pts/\(number)"
        terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { throw Failure() }
    }

    deinit {
        close(person)
        close(terminal)
    }

    func resize(columns: UInt16) {
        var size = winsize()
        size.ws_col = columns
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    func type(_ text: String) { _ = text.withCString { write(person, $0, strlen($0)) } }

    /// What appears on the screen, up to and including `end`; it is waited for.
    func see(until end: String) -> String {
        var seen: [UInt8] = [], byte: UInt8 = 0
        let end = Array(end.utf8)  // Bytes, as a carriage return and a newline are one Character.
        while seen.suffix(end.count) != end[...], read(person, &byte, 1) == 1 { seen.append(byte) }
        return String(decoding: seen, as: UTF8.self)
    }

    var echoes: Bool {
        var settings = termios()
        return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }
}

/// Runs blocking code beside the test, on a thread of its own.
func inBackground<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> () async -> Result {
    let (stream, continuation) = AsyncStream<Result>.makeStream()
    Thread.detachNewThread {
        continuation.yield(body())
        continuation.finish()
    }
    return {
        for await result in stream { return result }
        preconditionFailure("the stream yields one result")
    }
}
