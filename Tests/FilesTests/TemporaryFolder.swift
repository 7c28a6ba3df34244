import Foundation

/// A folder of the test's own, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/deck-files-" + UUID().uuidString
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    var names: [String] { try! FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    func put(_ name: String, _ text: String, mode: mode_t = 0o600) -> String {
        _ = FileManager.default.createFile(atPath: self(name), contents: Data(text.utf8))
        chmod(self(name), mode)
        return self(name)
    }

    func text(_ name: String) -> String? { FileManager.default.contents(atPath: self(name)).map { String(decoding: $0, as: UTF8.self) } }

    func mode(_ name: String) -> mode_t {
        var status = stat()
        return lstat(self(name), &status) == 0 ? status.st_mode & 0o7777 : 0
    }
}
