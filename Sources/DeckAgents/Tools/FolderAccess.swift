import CodexKit
import Glibc

/// What the tools may see of a working folder.
struct FolderAccess: Sendable {
    static let maximumEntries = 500
    /// The longest file that is looked into, and the most bytes of it that a model gets at once.
    static let maximumFileBytes = 8 << 20, maximumTextBytes = 64 << 10

    /// Absolute and without links.
    let root: String
    let hidden: HiddenPlaces

    /// The entries of a folder, a line each, sorted by name.
    func list(_ path: String) throws(ToolFailure) -> String {
        var walk = try FolderWalk(root: root, hidden: hidden)
        let descriptor = try walk.open(path)
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            throw ToolFailure("That is no folder.")
        }
        defer { closedir(stream) }
        var lines: [String] = []
        var count = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            count += 1
            // More are counted, but a folder of a million names is not kept.
            if lines.count < Self.maximumEntries * 4 { lines.append(Self.line(name, in: dirfd(stream))) }
        }
        lines.sort()
        guard count > 0 else { return "The folder is empty." }
        let rest = count - min(lines.count, Self.maximumEntries)
        return (lines.prefix(Self.maximumEntries) + (rest > 0 ? ["… and \(rest) more"] : [])).joined(separator: "\n")
    }

    private static func line(_ name: String, in folder: Int32) -> String {
        var status = stat()
        let shown = VisibleText.line(name)
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return shown }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return shown + "/"
        case S_IFREG: return "\(shown)  \(status.st_size) bytes"
        case S_IFLNK: return shown + "  (link)"
        default: return shown + "  (special)"
        }
    }

    /// A part of a text file.
    ///
    /// - Parameters:
    ///   - firstLine: From 1.
    ///   - lines: `nil` for as many as fit.
    func read(_ path: String, firstLine: Int = 1, lines: Int? = nil) throws(ToolFailure) -> String {
        guard firstLine >= 1, lines.map({ $0 >= 1 }) ?? true else { throw ToolFailure("Lines are counted from 1.") }
        let bytes = try bytes(of: path)
        guard !bytes.contains(0) else { throw ToolFailure("The file is no text.") }
        guard !bytes.isEmpty else { return "The file is empty." }
        var start = 0
        for _ in 1..<firstLine {
            guard let end = bytes[start...].firstIndex(of: 0x0a), end + 1 < bytes.count else {
                throw ToolFailure("The file has fewer lines than \(firstLine - 1).")
            }
            start = end + 1
        }
        var end = start
        var taken = 0
        while end < bytes.count, taken < lines ?? .max {
            let next = bytes[end...].firstIndex(of: 0x0a).map { $0 + 1 } ?? bytes.count
            if next - start > Self.maximumTextBytes { break }
            end = next
            taken += 1
        }
        if taken == 0 { end = min(bytes.count, start + Self.maximumTextBytes) }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        guard end < bytes.count else { return text }
        let way = taken > 0 ? "go on from line \(firstLine + taken)" : "the rest of this line can be read with a command only"
        return text + (text.last?.isNewline == true ? "" : "\n") + "[\(bytes.count - end) more bytes follow; \(way).]"
    }

    private func bytes(of path: String) throws(ToolFailure) -> [UInt8] {
        var walk = try FolderWalk(root: root, hidden: hidden)
        let descriptor = try walk.open(path)
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw ToolFailure("That is a folder; list it instead.") }
        guard status.st_size <= Self.maximumFileBytes else {
            throw ToolFailure("The file has \(status.st_size) bytes; files over 8 MiB are read with a command.")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ToolFailure("The file cannot be read.") }
            if count == 0 { return bytes }
            // It may grow while it is read.
            guard bytes.count + count <= Self.maximumFileBytes else { throw ToolFailure("The file grows while it is read.") }
            bytes += chunk[..<count]
        }
    }
}
