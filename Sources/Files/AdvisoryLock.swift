import CLinux
import Glibc

/// Holds a lock file until it is released or the process ends, however it ends; makes a second daemon or writer notice the first.
///
/// The file stays behind, empty of meaning: removing it would let two processes lock two files of one name.
///
/// It is held for as long as the object lives: keep it in something that lasts, or use ``hold(_:waiting:while:)``.
public final class AdvisoryLock: Sendable {
    private let file: Descriptor

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - path: The lock file; created 0600 when missing.
    ///   - waiting: Whether to wait for another holder, without a bound; for short critical sections of commands only.
    /// - Throws: ``LockError`` `.heldBy` when somebody has it, `.failed` when the file cannot be used.
    public init(_ path: String, waiting: Bool = false) throws(LockError) {
        do throws(FileError) {
            file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600, failure: FileError.writing)
        } catch {
            throw .failed(error)
        }
        while flock(file.number, LOCK_EX | (waiting ? 0 : LOCK_NB)) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { throw .heldBy(pid: Self.process(in: file.number), path: path) }
            throw .failed(.writing(path, errno))
        }
        // The number only helps to explain; the lock is valid without it.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(file.number, 0) == 0 { _ = pwrite(file.number, text, text.count, 0) }
    }

    /// Holds the lock during `body`.
    ///
    /// - Throws: ``LockError`` when it is not to be had, and what `body` throws.
    public static func hold<Result>(_ path: String, waiting: Bool = true, while body: () throws -> Result) throws -> Result {
        let lock = try AdvisoryLock(path, waiting: waiting)
        return try withExtendedLifetime(lock, body)
    }

    private static func process(in descriptor: CInt) -> pid_t? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let digits = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }
        return pid_t(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    }
}

/// Why a lock was not taken.
public enum LockError: Error, Equatable, CustomStringConvertible {
    /// Another process, or another part of this one, has it; the number is what the holder wrote, if it did yet.
    case heldBy(pid: Int32?, path: String)
    case failed(FileError)

    public var description: String {
        switch self {
        case .heldBy(let pid?, let path): "\(path) is locked by process \(pid); stop it first."
        case .heldBy(nil, let path): "\(path) is locked by another process; stop it first."
        case .failed(let error): error.description
        }
    }
}
