import Glibc

/// Keeps a file that cannot be understood, under another name, so that a new one can take its place and nothing is lost.
public enum DamagedFile {
    /// Renames the file to `<path>.damaged-<time>`, the time in UTC such as `20260131T235959Z`; numbered when that name is taken.
    ///
    /// - Parameter now: The time since 1970-01-01T00:00Z.
    /// - Returns: The new path.
    /// - Throws: ``FileError`` `.missing`, `.readOnly` or `.unwritable`.
    @discardableResult
    public static func setAside(_ path: String, now: Duration) throws(FileError) -> String {
        let base = path + ".damaged-" + stamp(now)
        var target = base
        var number = 1
        var status = stat()
        while lstat(target, &status) == 0 {
            number += 1
            target = "\(base)-\(number)"
        }
        guard rename(path, target) == 0 else { throw errno == ENOENT ? .missing(path) : .writing(path, errno) }
        return target
    }

    private static func stamp(_ now: Duration) -> String {
        var seconds = time_t(now.components.seconds)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(seconds)" }
        let date = digits(Int(parts.tm_year) + 1900, 4) + digits(Int(parts.tm_mon) + 1, 2) + digits(Int(parts.tm_mday), 2)
        return date + "T" + digits(Int(parts.tm_hour), 2) + digits(Int(parts.tm_min), 2) + digits(Int(parts.tm_sec), 2) + "Z"
    }

    private static func digits(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
