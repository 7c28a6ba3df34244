import EventLoop
import RelayProtocol

@testable import DeckNode

/// A computer of the test's own: a home folder, and programs that write down how they were called.
final class FakeDesktop: Sendable {
    static let task = TaskIdentity("0199c0de-0000-7000-8000-000000000001")!
    let folder = TestFolder()

    var home: String { folder("home") }
    var codexHome: String { home + "/.codex" }

    init() {
        folder.makeFolder("home/.codex")
        folder.makeFolder("bin")
    }

    /// Puts a program on `PATH` that notes its words, one a line, and goes on with `script`.
    @discardableResult
    func tool(_ name: String, _ script: String = "", in place: String = "bin") -> String {
        folder.put(
            "\(place)/\(name)", "#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$@\" >\"\(folder("called-" + name)).new\"\n\(script)\n"
                + "/bin/mv \"\(folder("called-" + name)).new\" \"\(folder("called-" + name))\"\n", mode: 0o700)
    }

    /// The words a program was called with; `nil` when it was not.
    func call(_ name: String) -> [String]? { lines(name).map { Array($0.dropFirst()) } }

    /// Where a program was started.
    func place(_ name: String) -> String? { lines(name)?.first }

    private func lines(_ name: String) -> [String]? {
        folder.text("called-" + name).map { $0.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
    }

    func variables(_ more: [String: String] = ["DISPLAY": ":7"]) -> [String: String] {
        ["HOME": home, "PATH": folder("bin"), "XDG_RUNTIME_DIR": folder("run")].merging(more) { $1 }
    }

    /// Runs `body` with the actions of this computer.
    func act<Result: Sendable>(
        _ variables: [String: String]? = nil, settings: NodeSettings = NodeSettings(), codexHome: String? = nil,
        _ body: (DesktopActions) async throws -> Result
    ) async throws -> Result {
        let loop = try EventLoop(name: "desktop-test")
        defer { loop.shutdown() }
        var actions = DesktopActions(
            variables: variables ?? self.variables(), home: home, codexHome: codexHome ?? self.codexHome, settings: settings, loop: loop)
        // Fakes end by themselves; a loaded machine must not make them count as started before.
        actions.grace = .seconds(30)
        return try await body(actions)
    }
}
