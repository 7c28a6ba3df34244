import CommandLineKit
import Glibc
import JSON

/// `decknode status`.
enum StatusCommand {
    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) throws {
        let status = try wait(seconds: invocation.integer("wait") ?? 0, environment)
        if invocation.flag("json") { return Output.json(status) }
        let width = Terminal.isTerminal(STDOUT_FILENO) ? Terminal.columns(environment: environment.variables) : nil
        for line in lines(status, width: width) { Output.print(line) }
    }

    private static func wait(seconds: Int, _ environment: NodeEnvironment) throws -> JSONValue {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            do {
                return try DeckCommands.ask(ControlRequest("status"), environment)
            } catch ControlClient.Failure.notRunning where ContinuousClock.now < deadline {
                usleep(50_000)
            }
        }
    }

    /// - Parameter width: Columns of the terminal; `nil` for no limit.
    static func lines(_ status: JSONValue, width: Int? = nil) -> [String] {
        var lines: [String] = []
        func add(_ name: String, _ text: String) { lines.append(name.padding(to: 12) + Printable.line(text)) }
        add("Computer", "\(status["host"]?["name"]?.string ?? "?"), seen by older apps as \(status["host"]?["presentAs"]?.string ?? "?")")
        add("Nearby", condition(status["nearby"], off: "off; turn it on with `decknode pair`"))
        add("Discovery", status["discovery"]?.string ?? "off")
        add("Remote", condition(status["remote"], off: "off; turn it on with `decknode relay enable`"))
        add("Clients", "\(status["clients"]?.int ?? 0)")
        add("Tasks", "\(status["tasks"]?.int ?? 0), keys in the mode \(status["mode"]?.string ?? "?")")
        add("Can do", (status["capabilities"]?.array ?? []).compactMap(\.string).joined(separator: ", "))
        if status["demo"]?.bool == true { add("Source", "the demo: all tasks are made up") }
        if let appServer = status["sources"]?["appServer"] { lines += self.appServer(appServer) }
        if let rollouts = status["sources"]?["rollouts"] { lines += self.rollouts(rollouts, home: status["codexHome"]?.string ?? "?") }
        if let agents = status["sources"]?["agents"] { lines.append(self.agents(agents)) }
        return lines + board(status["board"]?.array ?? [], width: width)
    }

    /// How the node stands with the shared daemon of the CLI.
    private static func appServer(_ value: JSONValue) -> [String] {
        let name = "Codex".padding(to: 12)
        guard value["state"]?.string == "connected" else {
            return [name + "not connected: " + Printable.line(value["reason"]?.string ?? "?"), "".padding(to: 12) + "tasks can be watched and opened until it is there"]
        }
        let version = value["version"]?.string.map { " " + Printable.line($0) } ?? ""
        let first = name + "connected to the daemon\(version); tasks open in it: \(value["loaded"]?.int ?? 0)"
        return [first] + (value["missing"]?.array ?? []).compactMap(\.string).map { "".padding(to: 12) + Printable.line($0) }
    }

    /// The node's own agents.
    private static func agents(_ value: JSONValue) -> String {
        let count = value["tasks"]?.int ?? 0
        let text = switch value["state"]?.string {
        case "open": "\(count == 1 ? "1 task" : "\(count) tasks") on the deck; `decknode threads` lists all threads"
        case "inUse": "a `decknode ask` that runs alone has the threads; they appear when it ends"
        case "failing": "the threads cannot be used: " + (value["reason"]?.string ?? "?")
        default: "none asked yet; `decknode ask` does"
        }
        return "Agents".padding(to: 12) + Printable.line(text)
    }

    /// Where the facts of each task come from.
    private static func board(_ tasks: [JSONValue], width: Int?) -> [String] {
        guard !tasks.isEmpty else { return [] }
        var table = Table([.init("STATUS"), .init("TASK", isFlexible: true), .init("SOURCE"), .init("CAN DO")])
        for task in tasks.prefix(boardRows) {
            let status = (task["status"]?.string ?? "") + (task["stalled"]?.bool == true ? " (stalled)" : "")
            let can = task["observedOnly"]?.string.map { "watch: " + $0 } ?? (task["source"]?.string == "demo" ? "demo" : "act")
            table.rows.append([status, task["title"]?.string ?? "", source(task), can])
        }
        let more = tasks.count > boardRows ? ["… and \(tasks.count - boardRows) more; `decknode agents` lists all."] : []
        return [""] + table.render(width: width) + more
    }

    private static let boardRows = 12

    /// The source of the status; another one in brackets for what it told besides.
    private static func source(_ task: JSONValue) -> String {
        let status = task["source"]?.string ?? "?"
        let others = Set(["title", "context"].compactMap { task["facts"]?[$0]?.string }).subtracting([status]).sorted()
        return others.isEmpty ? status : status + " (+ " + others.joined(separator: ", ") + ")"
    }

    private static func condition(_ value: JSONValue?, off: String) -> String {
        switch value?["state"]?.string {
        case "listening": "on at \(value?["address"]?.string ?? "?")"
        case "failing": "not reachable: \(value?["reason"]?.string ?? "?")"
        default: off
        }
    }

    private static func rollouts(_ value: JSONValue, home: String) -> [String] {
        guard value["homeExists"]?.bool == true else { return ["Sessions".padding(to: 12) + "none: \(home) does not exist yet; it is waited for"] }
        var lines = ["Sessions".padding(to: 12) + "\(value["liveFiles"]?.int ?? 0) in \(home), \(value["readSessions"]?.int ?? 0) of them read"]
        if let reason = value["pollingReason"]?.string { lines.append("".padding(to: 12) + Printable.line(reason)) }
        for (reason, count) in (value["unreadable"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("".padding(to: 12) + "\(count.int ?? 0) cannot be read: \(Printable.line(reason))")
        }
        if let stalled = value["stalled"]?.int, stalled > 0 { lines.append("".padding(to: 12) + "\(stalled) stalled: a turn was running, but its process is gone") }
        return lines
    }
}

extension String {
    /// The text with spaces behind it up to `width` characters.
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}
