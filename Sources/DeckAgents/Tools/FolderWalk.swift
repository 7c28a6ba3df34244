import CodexKit
import Glibc

/// Opens what a relative path names below a folder, and never anything else, whoever renames or replaces what lies on the way meanwhile.
///
/// Each part is opened below the one before without following links; links are read and walked by the same rules, so that they work as long as
/// they stay inside. `..` returns to the folder the walk came through, not to where that folder may have been moved.
struct FolderWalk: ~Copyable {
    private static let maximumLinks = 32, maximumParts = 256
    private var opened: [Int32]
    private let hidden: Set<FileIdentity>
    /// The file systems that hold no files but the state of processes, devices and the system.
    private let systemDevices: Set<UInt64>

    /// - Parameter root: Without links, as it was shown to the owner: one that leads elsewhere now is refused.
    init(root: String, hidden: HiddenPlaces) throws(ToolFailure) {
        guard let real = RealPath.of(root) else { throw ToolFailure("The working folder is gone.") }
        // A folder within one that is hidden is hidden, whoever chose to work in it.
        guard !hidden.existing.contains(where: { Sandbox.contains($0.path, real) }) else { throw Self.secret }
        guard real == root else { throw Self.moved }
        opened = [try Self.opening(root)]
        self.hidden = hidden.identities.union(hidden.known)
        systemDevices = Self.devices(["/proc", "/sys", "/sys/fs/cgroup", "/dev"]).subtracting(Self.devices(["/"]))
    }

    private static func opening(_ root: String) throws(ToolFailure) -> Int32 {
        let descriptor = Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw ToolFailure("The working folder cannot be opened.") }
        // A folder on the way may have become a link just before.
        guard RealPath.of("/proc/self/fd/\(descriptor)") == root else {
            close(descriptor)
            throw moved
        }
        return descriptor
    }

    private static func devices(_ paths: [String]) -> Set<UInt64> {
        Set(
            paths.compactMap { path in
                var status = stat()
                return stat(path, &status) == 0 ? UInt64(status.st_dev) : nil
            })
    }

    deinit { for descriptor in opened { close(descriptor) } }

    /// Opens the file or folder at `path` for reading.
    ///
    /// - Returns: A descriptor that the caller closes.
    mutating func open(_ path: String) throws(ToolFailure) -> Int32 {
        guard !path.hasPrefix("/") else { throw ToolFailure("Paths are relative to the working folder.") }
        guard !path.utf8.contains(0), path.utf8.count < 4_096 else { throw ToolFailure("That is no path.") }
        var parts: [Substring] = Self.reversedParts(path)
        var links = 0
        while let part = parts.popLast() {
            guard opened.count <= Self.maximumParts, parts.count <= Self.maximumParts else { throw ToolFailure("The path has too many parts.") }
            if part == ".." {
                guard opened.count > 1, let last = opened.popLast() else { throw Self.outside }
                close(last)
                continue
            }
            if let target = link(String(part)) {
                links += 1
                guard links <= Self.maximumLinks else { throw ToolFailure("The path leads through too many links.") }
                guard !target.hasPrefix("/") else { throw Self.outside }
                parts += Self.reversedParts(target)
                continue
            }
            opened.append(try step(String(part), isLast: parts.isEmpty))
        }
        let result = fcntl(current, F_DUPFD_CLOEXEC, 0)
        guard result >= 0 else { throw ToolFailure("Too many files are open.") }
        return result
    }

    private var current: Int32 { opened.last ?? -1 }

    private static func reversedParts(_ path: String) -> [Substring] { path.split(separator: "/").filter { $0 != "." }.reversed() }

    private func link(_ name: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = buffer.withUnsafeMutableBytes { bytes -> Int in
            guard let start = bytes.baseAddress else { return -1 }
            return readlinkat(current, name, start.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        return count > 0 && count < buffer.count ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    private func step(_ name: String, isLast: Bool) throws(ToolFailure) -> Int32 {
        // Opening a pipe must not wait for its other end; a device must not become our terminal.
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        var before = stat()
        guard fstatat(current, name, &before, AT_SYMLINK_NOFOLLOW) == 0 else { throw Self.failure(errno) }
        // Looked at before it is opened, for opening a device may do something.
        guard [S_IFREG, S_IFDIR].contains(before.st_mode & S_IFMT) else { throw Self.special }
        guard isLast || before.st_mode & S_IFMT == S_IFDIR else { throw ToolFailure("A part of the path is no folder.") }
        let descriptor = openat(current, name, flags)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        do throws(ToolFailure) {
            try check(descriptor)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private func check(_ descriptor: Int32) throws(ToolFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(errno) }
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { throw Self.special }
        guard !hidden.contains(FileIdentity(status)) else { throw Self.secret }
        guard !systemDevices.contains(UInt64(status.st_dev)) else { throw Self.special }
    }

    private static let moved = ToolFailure("The working folder leads elsewhere now.")
    private static let outside = ToolFailure("The path leads out of the working folder.")
    private static let secret = ToolFailure("That place holds secrets of the owner and is not shown.")
    private static let special = ToolFailure("That is neither a file nor a folder, but something of the system.")

    private static func failure(_ code: Int32) -> ToolFailure {
        switch code {
        case ENOENT: ToolFailure("There is no such file or folder.")
        case ENOTDIR: ToolFailure("A part of the path is no folder.")
        case EACCES, EPERM: ToolFailure("The owner may not read that.")
        // Somebody put a link there just now.
        case ELOOP: ToolFailure("The path changed while it was walked.")
        default: ToolFailure("That cannot be opened (errno \(code)).")
        }
    }
}
