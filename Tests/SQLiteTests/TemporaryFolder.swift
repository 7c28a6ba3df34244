import Glibc

/// A folder of this test's own, removed with what is in it.
final class TemporaryFolder {
    let path: String

    init() {
        var template = Array("/tmp/sqlite-tests-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("no temporary folder") }
        path = String(cString: made)
    }

    deinit {
        for name in names { unlink(self(name)) }
        rmdir(path)
    }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    var names: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func mode(_ name: String) -> mode_t {
        var status = stat()
        return stat(self(name), &status) == 0 ? status.st_mode & 0o7777 : 0
    }
}
