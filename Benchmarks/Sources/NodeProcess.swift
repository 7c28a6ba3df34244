import CBenchmarkFloor
import Glibc

/// `decknode serve` as built, in a folder of its own.
final class NodeProcess {
    let pid: pid_t
    private let decknode: String
    private let folder: String
    private let environment: [String]

    /// Returns when it answers.
    init(_ decknode: String, codexHome: String?) throws {
        let folder = try TemporaryFolder.make()
        let environment = ["HOME=\(folder)", "XDG_RUNTIME_DIR=\(folder)", "CODEX_HOME=\(codexHome ?? folder + "/none")"]
        (self.decknode, self.folder, self.environment) = (decknode, folder, environment)
        pid = CStrings.with(environment) { environment in CStrings.with([decknode, "serve"]) { floor_start($0, environment) } }
        guard pid > 0 else { throw BenchmarkError("\(decknode) could not be started") }
        _ = try run([decknode, "status", "--wait", "10"])
    }

    /// Runs a program to its end as this node's user would; nanoseconds.
    func run(_ arguments: [String]) throws -> Double {
        let time = CStrings.with(environment) { environment in CStrings.with(arguments) { floor_run($0, environment) } }
        guard time >= 0 else { throw BenchmarkError("\(arguments.joined(separator: " ")) failed") }
        return Double(time)
    }

    /// What a command of the node takes from start to exit; nanoseconds.
    func command(_ name: String) throws -> Double { try run([decknode, name]) }

    func stop() {
        _ = floor_stop(pid)
        floor_remove_tree(folder)
    }
}
