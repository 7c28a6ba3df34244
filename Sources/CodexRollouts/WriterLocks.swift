import Glibc
import RelayProtocol

/// Which sessions a process holds open for writing: the sign is the `flock` on their lock file, never the file, which outlives a killed writer.
///
/// A held session is loaded somewhere, not necessarily working.
struct WriterLocks {
    /// One lock of the kernel's table.
    struct Line: Equatable {
        /// Of the locked file's device; may differ from what `stat` says on file systems with several volumes.
        var major: UInt64
        var minor: UInt64
        var inode: UInt64
    }

    /// Text of the kernel's table, `/proc/locks`.
    var table = "/proc/locks"
    /// `$CODEX_HOME/thread-writer-locks`.
    var folder: String

    /// The sessions with a held lock.
    ///
    /// - Returns: Empty when the folder does not exist (older CLIs have none) or the table cannot be read.
    func held() -> Set<TaskIdentity> {
        var files: [(identity: TaskIdentity, status: FileStatus)] = []
        _ = try? FolderListing.forEach(folder) { folder, name, _ in
            let text = String(cString: name)
            guard text.hasSuffix(".lock"), let identity = TaskIdentity(text.dropLast(5)) else { return }
            if let status = try? FileStatus(of: name, in: folder) { files.append((identity, status)) }
        }
        guard !files.isEmpty else { return [] }
        var text: [UInt8] = []
        if let file = try? OpenFile(table) { try? file.readAll(limit: 8 << 20) { text.append(contentsOf: $0) } }
        return Self.held(files.map { ($0.identity, $0.status.device, $0.status.inode) }, lines: Self.parse(text))
    }

    /// Joins lock files with the kernel's table by inode.
    static func held(_ files: [(identity: TaskIdentity, device: UInt64, inode: UInt64)], lines: [Line]) -> Set<TaskIdentity> {
        let byInode = Dictionary(grouping: lines, by: \.inode)
        return Set(
            files.lazy.filter { file in
                byInode[file.inode]?.contains { line in
                    // Devices of major 0 are made up per mount; there the inode has to do.
                    let major = file.device >> 8 & 0xfff
                    let minor = file.device & 0xff | file.device >> 12 & 0xfff00
                    return line.major == 0 || (line.major == major && line.minor == minor)
                } ?? false
            }.map(\.identity))
    }

    /// The FLOCK lines of the table: `7: FLOCK  ADVISORY  WRITE 7949 fe:00:16220536 0 EOF`. Processes that wait (`->`) hold nothing.
    static func parse(_ text: [UInt8]) -> [Line] {
        text.split(separator: 0x0a).compactMap { line in
            let words = line.split(separator: 0x20)
            guard words.count >= 6, words[1].elementsEqual("FLOCK".utf8) else { return nil }
            let parts = words[5].split(separator: UInt8(ascii: ":")).map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 3, let major = UInt64(parts[0], radix: 16), let minor = UInt64(parts[1], radix: 16), let inode = UInt64(parts[2])
            else { return nil }
            return Line(major: major, minor: minor, inode: inode)
        }
    }
}
