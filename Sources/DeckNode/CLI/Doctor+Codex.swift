import EventLoop
import JSON

/// What `doctor` says of the Codex CLI and its shared daemon.
extension Doctor {
    /// What a running node says of itself; `nil` without one, which is another check's finding.
    static func nodeStatus(_ environment: NodeEnvironment) -> JSONValue? {
        guard case .success(let status)? = try? ControlClient(path: environment.controlSocketPath).askIfRunning(ControlRequest("status")) else { return nil }
        return status
    }

    /// - Parameter status: What the running node says of itself.
    static func codex(_ environment: NodeEnvironment, status: JSONValue?) async -> [Finding] {
        let locator = CodexLocator(setting: environment.settings.codexPath, home: environment.directories.home, variables: environment.variables)
        switch locator.locate() {
        case .success(let found):
            let (finding, version) = await installed(found, environment)
            return [finding, daemon(status, installed: version)]
        case .failure(.setting(let path)):
            let finding = Finding(topic: "Codex CLI", verdict: .problem, text: CodexLocator.Failure.setting(path).description)
            return [finding, daemon(status, installed: nil)]
        case .failure(let failure):
            let finding = Finding(topic: "Codex CLI", verdict: .note, text: "\(failure) Sessions are watched all the same, whatever starts them.")
            return [finding, daemon(status, installed: nil)]
        }
    }

    /// The binary, and its version as `0.163.0`.
    private static func installed(_ found: CodexLocator.Found, _ environment: NodeEnvironment) async -> (Finding, String?) {
        do {
            let loop = try EventLoop(name: "doctor")
            defer { loop.shutdown() }
            let variables = environment.variables.merging(["PATH": found.searchPath]) { $1 }.map { "\($0.key)=\($0.value)" }
            let result = try await ChildProcess.run(found.path, ["--version"], environment: variables, timeout: .seconds(5), outputLimit: 4_096, on: loop)
            guard result.succeeded else { return (Finding(topic: "Codex CLI", verdict: .problem, text: "\(found.path) --version fails."), nil) }
            let text = String(decoding: result.output, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? "no version"
            return (Finding(topic: "Codex CLI", verdict: .good, text: "\(text) at \(found.path)"), text.split(separator: " ").last.map(String.init))
        } catch {
            return (Finding(topic: "Codex CLI", verdict: .problem, text: "\(found.path) --version fails: \(error)"), nil)
        }
    }

    /// - Parameter node: What the running node says of itself, its connection to the daemon among that.
    static func daemon(_ node: JSONValue?, installed: String?) -> Finding {
        let topic = "Codex daemon"
        if node?["demo"]?.bool == true { return Finding(topic: topic, verdict: .note, text: "not used by the demo.") }
        guard let status = node?["sources"]?["appServer"] else { return Finding(topic: topic, verdict: .note, text: "known once a node runs.") }
        guard status["state"]?.string == "connected" else {
            return Finding(
                topic: topic, verdict: .note,
                text: "\(status["reason"]?.string ?? "Not connected.") Screens can watch, but not approve or start anything. An interactive `codex` starts "
                    + "it, or `codex app-server daemon start`, or the node does after `decknode config set codex.autostart true`.")
        }
        let missing = (status["missing"]?.array ?? []).compactMap(\.string)
        let version = status["version"]?.string
        if let version, let installed, version != installed {
            return Finding(
                topic: topic, verdict: .note,
                text: "version \(version) is running, \(installed) is installed. Both work; `codex app-server daemon stop` ends the old one once its "
                    + "tasks are done, and the next `codex` starts the new one. " + missing.joined(separator: " "))
        }
        let text = "connected" + (version.map { ", version \($0)." } ?? ".")
        return Finding(topic: topic, verdict: missing.isEmpty ? .good : .note, text: ([text] + missing).joined(separator: " "))
    }
}
