import Glibc

/// Bounded reading and exclusive creation.
public enum File {
    /// Reads a whole regular file.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to accept.
    ///   - followingLink: Whether the path itself may be a symbolic link.
    /// - Throws: ``FileError`` `.missing`, `.notRegular`, `.tooLarge`, `.symbolicLink` or `.unreadable`.
    public static func read(_ path: String, limit: Int, followingLink: Bool = true) throws(FileError) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe that somebody put there would wait for ever.
        let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW))
        let status = try file.status(of: path)
        guard status.isRegular else { throw .notRegular(path) }
        guard status.st_size <= limit else { throw .tooLarge(path, limit: limit) }
        // The size is a hint only: the file may grow while it is read, and files of /proc say 0.
        let size = Int(status.st_size)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        var chunk = [UInt8](repeating: 0, count: min(max(size + 1, 512), 65536))
        while true {
            let count = Glibc.read(file.number, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw .reading(path, errno)
            }
            guard count <= limit - bytes.count else { throw .tooLarge(path, limit: limit) }
            bytes.append(contentsOf: chunk.prefix(count))
        }
    }

    /// Creates a file that must not exist yet, with its content on disk when this returns.
    ///
    /// - Parameter mode: The permissions, whatever the umask.
    /// - Throws: ``FileError`` `.alreadyExists` (also for a dangling symbolic link), `.noSpace`, `.readOnly` or `.unwritable`; a
    ///   half-written file is removed.
    public static func createExclusively(_ path: String, _ bytes: [UInt8] = [], mode: UInt32 = 0o600) throws(FileError) {
        try create(path, bytes, mode: mode, calls: SystemCalls(), reportedAs: path)
    }

    static func create(
        _ path: String, _ bytes: [UInt8], mode: UInt32, calls: SystemCalls, reportedAs name: String
    ) throws(FileError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        let file = try Descriptor(opening: path, flags, mode: mode & 0o700) { .writing(name, $1) }
        var code = fchmod(file.number, mode) == 0 ? 0 : errno
        if code == 0 { code = calls.writeAll(bytes, to: file.number) }
        if code == 0, calls.synchronize(file.number) != 0 { code = errno }
        guard code == 0 else {
            unlink(path)
            throw .writing(name, code)
        }
    }
}

extension File {
    /// Deletes a file, or the symbolic link that stands at the path; whether there was one.
    ///
    /// - Throws: ``FileError`` `.readOnly`, `.notRegular` (a folder) or `.unwritable`.
    @discardableResult
    public static func remove(_ path: String) throws(FileError) -> Bool {
        if unlink(path) == 0 { return true }
        if errno == ENOENT { return false }
        throw .writing(path, errno)
    }
}
