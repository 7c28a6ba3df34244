import CommandLineKit
import Discovery
import EventLoop
import Files
import Glibc
import JSON
import Pairing
import RelayProtocol

/// `decknode doctor`: looks at everything the node depends on and says what to do about what is wrong.
enum Doctor {
    enum Verdict: String { case good, note, problem }

    struct Finding {
        var topic: String
        var verdict: Verdict
        var text: String
    }

    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) async throws {
        let status = nodeStatus(environment)
        var findings = [settings(environment), codexHome(environment)] + (await codex(environment, status: status)) + [node(environment)]
        findings += network(environment)
        findings += [avahi(environment), state(environment), clock(environment), tailscale(environment)]
        findings += await desktop(environment)
        if invocation.flag("json") {
            Output.json(.array(findings.map { .object(["topic": .string($0.topic), "verdict": .string($0.verdict.rawValue), "text": .string($0.text)]) }))
        } else {
            let paint = Paint(isColored: ColorPolicy.automatic.allowsColor(environment: environment.variables, isTerminal: Terminal.isTerminal(STDOUT_FILENO)))
            for finding in findings { Output.print("\(mark(finding.verdict, paint)) \(finding.topic): \(Printable.line(finding.text))") }
        }
        let problems = findings.count { $0.verdict == .problem }
        if problems > 0 { throw CommandFailure("\(problems) of \(findings.count) checks found a problem.") }
    }

    private static func mark(_ verdict: Verdict, _ paint: Paint) -> String {
        switch verdict {
        case .good: paint.green("ok     ")
        case .note: paint.yellow("note   ")
        case .problem: paint.red("problem")
        }
    }

    private static func codexHome(_ environment: NodeEnvironment) -> Finding {
        let path = environment.codexHome
        guard access(path, F_OK) == 0 else {
            return Finding(topic: "Sessions", verdict: .note, text: "\(path) does not exist yet. The node waits for it; set CODEX_HOME if Codex uses another folder.")
        }
        guard access(path + "/sessions", R_OK | X_OK) == 0 else {
            let missing = errno == ENOENT
            return Finding(
                topic: "Sessions", verdict: missing ? .note : .problem,
                text: missing ? "\(path) holds no sessions yet." : "\(path)/sessions cannot be read by this user; check who owns it.")
        }
        return Finding(topic: "Sessions", verdict: .good, text: "\(path)/sessions can be read.")
    }

    private static func node(_ environment: NodeEnvironment) -> Finding {
        do {
            guard let reply = try ControlClient(path: environment.controlSocketPath).askIfRunning(ControlRequest("status")) else {
                return Finding(topic: "Node", verdict: .note, text: "not running; start it with `decknode serve`.")
            }
            guard case .success(let status) = reply else { return Finding(topic: "Node", verdict: .problem, text: "it runs but does not answer properly; restart it.") }
            for way in ["nearby", "remote"] {
                if status[way]?["state"]?.string == "failing" {
                    return Finding(topic: "Node", verdict: .problem, text: "running, but \(way) cannot be reached: \(status[way]?["reason"]?.string ?? "?")")
                }
            }
            return Finding(topic: "Node", verdict: .good, text: "running; tasks: \(status["tasks"]?.int ?? 0), clients: \(status["clients"]?.int ?? 0).")
        } catch {
            return Finding(topic: "Node", verdict: .problem, text: "\(error)")
        }
    }

    private static func network(_ environment: NodeEnvironment) -> [Finding] {
        do {
            let stored = try environment.stateDirectory.nearby().value
            switch try PairCommand.address(stored?.listen ?? .automatic) {
            case .success(let address):
                let port = stored?.port ?? NearbyConfiguration.defaultPort
                return [
                    Finding(topic: "Address", verdict: .good, text: "\(address.address) on \(address.interfaceName)."),
                    Finding(
                        topic: "Firewall", verdict: .note,
                        text: firewall(port: port, from: address.network)),
                ]
            case .failure(let problem):
                return [Finding(topic: "Address", verdict: .problem, text: "\(problem)")]
            }
        } catch {
            return [Finding(topic: "Address", verdict: .problem, text: "\(error)")]
        }
    }

    static func firewall(port: UInt16, from network: String) -> String {
        "if screens cannot connect, allow TCP port \(port) and, for discovery, UDP port 5353 from your own network; with ufw: "
            + "`ufw allow proto tcp from \(network) to any port \(port)` and `ufw allow proto udp from \(network) to any port 5353`."
    }

    private static func avahi(_ environment: NodeEnvironment) -> Finding {
        // The daemon's own socket; the library reaches it over D-Bus, but a daemon without this socket is not up.
        guard access("/run/avahi-daemon/socket", F_OK) == 0 else {
            return Finding(
                topic: "Discovery", verdict: .note,
                text: "avahi-daemon is not running, so this computer is not announced. Pairing by QR code works; `apt install avahi-daemon` adds discovery.")
        }
        return Finding(topic: "Discovery", verdict: .good, text: "avahi-daemon is running.")
    }

    private static func state(_ environment: NodeEnvironment) -> Finding {
        let path = environment.directories.stateHome
        do {
            try PrivateDirectory.ensure(path)
            for name in NodeStateDirectory.watchedFiles { _ = try PrivateFile.check(path + "/" + name) }
            try tryWriting(in: path)
            return Finding(topic: "State", verdict: .good, text: "\(path) is private and writable.")
        } catch FileError.noSpace {
            return Finding(topic: "State", verdict: .problem, text: "\(path) cannot be written, as the disk is full or your quota is; free some space.")
        } catch {
            return Finding(topic: "State", verdict: .problem, text: "\(error)")
        }
    }

    /// Whether something can be kept there: permissions do not tell of a full disk.
    static func tryWriting(in folder: String) throws(FileError) {
        let path = folder + "/.doctor-\(getpid())"
        try File.createExclusively(path, [UInt8](repeating: 0x2e, count: 4_096))
        try File.remove(path)
    }

    static func settings(_ environment: NodeEnvironment) -> Finding {
        let topic = "Settings", file = SettingsFile(path: environment.settingsPath)
        do throws(NodeSettingsError) {
            if let remark = file.remark(on: try file.load()) { return Finding(topic: topic, verdict: .note, text: remark) }
            return Finding(topic: topic, verdict: .good, text: access(file.path, F_OK) == 0 ? "\(file.path) can be used." : "the usual ones.")
        } catch {
            return Finding(topic: topic, verdict: .problem, text: "\(error)")
        }
    }

    private static func clock(_ environment: NodeEnvironment) -> Finding {
        // The oldest the clock can honestly be is the day this version was made.
        environment.now().value > 1_790_000_000_000
            ? Finding(topic: "Clock", verdict: .good, text: "set.")
            : Finding(topic: "Clock", verdict: .problem, text: "the clock is years behind; turn on time synchronisation.")
    }

    private static func tailscale(_ environment: NodeEnvironment) -> Finding {
        let folders = (environment.variables["PATH"] ?? "").split(separator: ":")
        let found = folders.contains { access("\($0)/tailscale", X_OK) == 0 }
        return Finding(
            topic: "Tailscale", verdict: found ? .good : .note,
            text: found ? "installed; `decknode relay enable` prints the line that serves this computer in your tailnet." : "not installed; only needed to reach this computer from elsewhere.")
    }
}
