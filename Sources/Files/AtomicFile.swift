import Glibc
import Synchronization

/// Replaces a file as a whole: after a crash or a full disk there is the former content or the new one, never a part.
public enum AtomicFile {
    private static let counter = Atomic<UInt>(0)

    /// Writes `bytes` beside `path`, syncs them and renames them into place; when this returns they survive a power cut.
    ///
    /// A symbolic link at `path` is replaced, not followed.
    /// - Parameters:
    ///   - mode: The permissions of the new file, whatever the umask.
    /// - Throws: ``FileError`` `.noSpace`, `.readOnly`, `.missing` (no such folder), `.notRegular` (a folder is there) or
    ///   `.unwritable`. The former content is kept and the half-written file removed.
    public static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600) throws(FileError) {
        try write(bytes, to: path, mode: mode, calls: SystemCalls())
    }

    /// Writes text as UTF-8.
    public static func write(_ text: String, to path: String, mode: UInt32 = 0o600) throws(FileError) {
        try write(Array(text.utf8), to: path, mode: mode)
    }

    static func write(_ bytes: [UInt8], to path: String, mode: UInt32, calls: SystemCalls) throws(FileError) {
        let temporary = try createTemporary(bytes, for: path, mode: mode, calls: calls)
        guard calls.rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw .writing(path, code)
        }
        try synchronizeFolder(of: path, calls: calls)
    }

    /// Removes what killed writers of `path` left beside it. Call it at start, while holding the lock of the state.
    ///
    /// - Returns: How many files were removed.
    @discardableResult
    public static func removeLeftovers(of path: String) -> Int {
        let (folder, name) = split(path)
        guard let stream = opendir(folder) else { return 0 }
        defer { closedir(stream) }
        var removed = 0
        while let entry = readdir(stream) {
            let found = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let writer = writer(ofTemporary: found, for: name), isGone(writer) else { continue }
            if unlink(folder + "/" + found) == 0 { removed += 1 }
        }
        return removed
    }

    private static func createTemporary(
        _ bytes: [UInt8], for path: String, mode: UInt32, calls: SystemCalls
    ) throws(FileError) -> String {
        let (folder, name) = split(path)
        while true {
            let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
            let temporary = "\(folder)/.\(name).\(getpid())-\(number).tmp"
            do throws(FileError) {
                try File.create(temporary, bytes, mode: mode, calls: calls, reportedAs: path)
                return temporary
            } catch {
                // A former process of this number may have left a file of that name; the next name is free.
                if case .alreadyExists = error { continue }
                throw error == .unwritable(path, errno: ENOENT) ? .missing(folder) : error
            }
        }
    }

    /// The process in a name that ``createTemporary`` made for a file called `name`.
    static func writer(ofTemporary found: String, for name: String) -> pid_t? {
        guard found.hasPrefix("." + name + "."), found.hasSuffix(".tmp") else { return nil }
        let parts = found.dropFirst(name.utf8.count + 2).dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, UInt(parts[1]) != nil, let pid = pid_t(parts[0]), pid > 0 else { return nil }
        return pid
    }

    private static func isGone(_ process: pid_t) -> Bool { kill(process, 0) != 0 && errno == ESRCH }

    /// The rename itself must reach the disk, or a power cut brings the former file back.
    private static func synchronizeFolder(of path: String, calls: SystemCalls) throws(FileError) {
        let folder = try Descriptor(opening: split(path).folder, O_RDONLY | O_DIRECTORY) { .writing(path, $1) }
        // Some file systems cannot sync a folder, and say so with EINVAL.
        if calls.synchronize(folder.number) != 0, errno != EINVAL { throw .writing(path, errno) }
    }

    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }
}
