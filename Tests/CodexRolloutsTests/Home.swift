import CZstd
import Glibc
import RelayProtocol

@testable import CodexRollouts

/// A throw-away $CODEX_HOME on the disk.
final class Home {
    /// Holds `home`, which need not exist.
    let base: String
    var path: String { base + "/home" }

    init(exists: Bool = true) {
        var template = Array("/tmp/deck-rollouts-XXXXXX".utf8CString)
        base = String(cString: mkdtemp(&template))
        chmod(base, 0o755)
        if exists { make("home") }
    }

    deinit { Self.remove(base) }

    private static func remove(_ path: String) {
        if unlink(path) == 0 || errno == ENOENT { return }
        chmod(path, 0o700)
        var names: [String] = []
        _ = try? FolderListing.forEach(path) { _, name, _ in names.append(String(cString: name)) }
        for name in names + [".coordination.lock"] { remove(path + "/" + name) }
        rmdir(path)
    }

    /// Makes a folder below the base, with those above it.
    func make(_ folder: String) {
        var path = base
        for part in folder.split(separator: "/") {
            path += "/" + part
            mkdir(path, 0o755)
        }
    }

    func fileName(_ number: Int) -> String { "rollout-2026-11-30T00-00-00-\(Lines.identity(number)).jsonl" }
    func file(_ number: Int, day: String = "2026/11/30") -> String { path + "/sessions/\(day)/" + fileName(number) }

    /// Writes a session of these lines, its description first.
    func write(_ number: Int, _ lines: [String], day: String = "2026/11/30", meta: String? = nil) {
        make("home/sessions/" + day)
        let first = meta.map { Lines.meta(Lines.identity(number), $0) } ?? Lines.meta(Lines.identity(number))
        put(file(number, day: day), ([first] + lines).map { $0 + "\n" }.joined())
    }

    func append(_ number: Int, _ lines: [String], day: String = "2026/11/30") {
        put(file(number, day: day), lines.map { $0 + "\n" }.joined(), flags: O_APPEND)
    }

    func put(_ path: String, _ text: String, flags: Int32 = O_TRUNC) { put(path, Array(text.utf8), flags: flags) }

    func put(_ path: String, _ bytes: [UInt8], flags: Int32 = O_TRUNC) {
        let file = open(path, O_WRONLY | O_CREAT | flags, 0o600)
        precondition(file >= 0 && Glibc.write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    func bytes(_ path: String) -> [UInt8] {
        var all: [UInt8] = []
        if let file = try? OpenFile(path) { try? file.readAll { all += $0 } }
        return all
    }

    /// Compresses a session's file beside itself.
    func compress(_ number: Int, day: String = "2026/11/30") {
        put(file(number, day: day) + ".zst", Self.compressed(bytes(file(number, day: day))))
    }

    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        let count = ZSTD_compress(&out, out.count, bytes, bytes.count, 3)
        return Array(out[..<count])
    }

    func index(
        options: RolloutIndex.Options = .init(), watcher: RolloutWatcher = .make(), lockTable: String = "/proc/locks"
    ) -> RolloutIndex {
        RolloutIndex(home: path, options: options, watcher: watcher, lockTable: lockTable)
    }
}

extension [RolloutChange] {
    /// The sessions in these changes by the number of their identity, newest change last.
    func session(_ number: Int) -> RolloutSession? {
        compactMap { if case .session(let session) = $0, session.identity == Lines.identity(number) { session } else { nil } }.last
    }
}
