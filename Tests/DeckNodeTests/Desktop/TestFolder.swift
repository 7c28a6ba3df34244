import Foundation

/// A folder of the test's own, gone with it.
final class TestFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/deck-node-" + UUID().uuidString
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    @discardableResult
    func put(_ name: String, _ text: String, mode: mode_t = 0o600) -> String { put(name, Array(text.utf8), mode: mode) }

    @discardableResult
    func put(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) -> String {
        makeParent(of: name)
        if mode & 0o100 != 0 {
            writeElsewhere(self(name), String(decoding: bytes, as: UTF8.self))
        } else {
            _ = FileManager.default.createFile(atPath: self(name), contents: Data(bytes))
        }
        chmod(self(name), mode)
        return self(name)
    }

    /// Writes a program in another process. While this one has it open for writing, a child that another test starts at that moment has it open
    /// too, and running it would fail: "Text file busy".
    private func writeElsewhere(_ path: String, _ text: String) {
        let command: [String] = ["/bin/sh", "-c", "printf %s \"$1\" >\"$2\"", "sh", text, path]
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawn(&process, "/bin/sh", nil, nil, &words, nil) == 0 else { return }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    @discardableResult
    func makeFolder(_ name: String) -> String {
        try! FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return self(name)
    }

    func link(_ name: String, to target: String) {
        makeParent(of: name)
        symlink(target, self(name))
    }

    func names(_ name: String = "") -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: self(name))) ?? []).sorted() }

    func text(_ name: String) -> String? { FileManager.default.contents(atPath: self(name)).map { String(decoding: $0, as: UTF8.self) } }

    func mode(_ name: String) -> mode_t { status(name).map { $0.st_mode & 0o7777 } ?? 0 }

    func isLink(_ name: String) -> Bool { status(name).map { $0.st_mode & S_IFMT == S_IFLNK } ?? false }

    private func status(_ name: String) -> stat? {
        var status = stat()
        return lstat(self(name), &status) == 0 ? status : nil
    }

    private func makeParent(of name: String) {
        let parent = (self(name) as NSString).deletingLastPathComponent
        try! FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
