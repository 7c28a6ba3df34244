import Glibc

/// A folder of its own, removed with its owner; mode 0700.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/codexkit-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CancellationError() }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR, let stream = opendir(path) else {
            unlink(path)
            return
        }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } })
        }
        closedir(stream)
        for name in names where name != "." && name != ".." { remove(path + "/" + name) }
        rmdir(path)
    }
}
