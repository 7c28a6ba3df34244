import CommandLineKit
import Glibc
import JSON

/// `decknode status`.
enum StatusCommand {
    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) throws {
        let status = try wait(seconds: invocation.integer("wait") ?? 0, environment)
        if invocation.flag("json") { return Output.json(status) }
        for line in lines(status) { Output.print(line) }
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

    static func lines(_ status: JSONValue) -> [String] {
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
        if let rollouts = status["sources"]?["rollouts"] { lines += self.rollouts(rollouts, home: status["codexHome"]?.string ?? "?") }
        return lines
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
        lines.append("".padding(to: 12) + "watched from their files: their state is shown, and they are answered in the terminal they run in")
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
