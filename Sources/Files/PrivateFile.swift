import Glibc

/// Files that only their owner may read.
public enum PrivateFile {
    public enum Condition: Equatable, Sendable {
        case missing, fine
        /// Others could read or write it with this mode until now; what it held may be known to them.
        case repaired(formerMode: UInt32)
    }

    /// Makes sure that a file is ours and closed to others, repairing its mode when that is all that is wrong.
    ///
    /// - Parameter owner: The user that must own it: this process's.
    /// - Throws: ``FileError`` `.foreignOwner`, `.symbolicLink`, `.notRegular`, `.unreadable` or `.unwritable`.
    public static func check(_ path: String, owner: UInt32 = geteuid()) throws(FileError) -> Condition {
        let file: Descriptor
        do throws(FileError) {
            // O_NONBLOCK because the path may be a pipe by now.
            file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            if case .missing = error { return .missing }
            throw error
        }
        let status = try file.status(of: path)
        guard status.st_uid == owner else { throw .foreignOwner(path, owner: status.st_uid) }
        guard status.isRegular else { throw .notRegular(path) }
        guard status.permissions & 0o077 != 0 else { return .fine }
        guard fchmod(file.number, 0o600) == 0 else { throw .writing(path, errno) }
        return .repaired(formerMode: status.permissions)
    }
}
