import CommandLineKit
import Glibc
import JSON
import RelayProtocol

/// The commands that ask the running node: `agents`, `open`, `press`, `slots`, `layout`.
enum DeckCommands {
    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) throws {
        let result = try ask(request(invocation), environment)
        if invocation.flag("json") { return Output.json(result) }
        switch invocation.command {
        case "agents": printTasks(result.array ?? [], environment)
        case "open": Output.print("Opened \(result["title"]?.string.map(Printable.line) ?? "the task").")
        case "press": Output.print(result["note"]?.string.map(Printable.line) ?? "Done.")
        case "slots", "slots set": printSlots(result)
        default: printLayout(result)
        }
    }

    static func ask(_ request: ControlRequest, _ environment: NodeEnvironment) throws -> JSONValue {
        switch try ControlClient(path: environment.controlSocketPath).ask(request) {
        case .success(let value): return value
        case .failure(let sentence): throw CommandFailure(sentence)
        }
    }

    private static func request(_ invocation: Invocation) -> ControlRequest {
        var arguments: [String: JSONValue] = [:]
        func add(_ name: String, _ value: String?) { if let value { arguments[name] = .string(value) } }
        switch invocation.command {
        case "open":
            add("task", invocation.argument("TASK"))
            return ControlRequest("open", arguments)
        case "press":
            add("key", invocation.argument("KEY"))
            add("task", invocation.option("task"))
            return ControlRequest("press", arguments)
        case "slots":
            for name in ["mode", "pin", "unpin"] { add(name, invocation.option(name)) }
            return ControlRequest("slots", arguments)
        case "slots set":
            if let key = invocation.integerArgument("KEY") { arguments["slot"] = .number(Double(key)) }
            add("task", invocation.argument("TASK"))
            return ControlRequest("slots", arguments)
        case "layout set":
            add("slot", invocation.argument("PLACE"))
            add("key", invocation.argument("KEY"))
            return ControlRequest("layout", arguments)
        case "layout reset": return ControlRequest("layout", ["reset": .bool(true)])
        case "layout": return ControlRequest("layout")
        default: return ControlRequest("agents")
        }
    }

    private static func printTasks(_ tasks: [JSONValue], _ environment: NodeEnvironment) {
        guard !tasks.isEmpty else { return Output.print("No tasks. Sessions of Codex appear here once they have a turn.") }
        var table = Table([
            .init("KEY"), .init("STATUS"), .init("TASK", isFlexible: true), .init("AGE", alignment: .right), .init("CONTEXT", alignment: .right), .init("ID"),
        ])
        let now = environment.now()
        for task in tasks {
            let age = task["activityAt"]?.int.map { Age.text(milliseconds: now.value - $0) } ?? ""
            let context = task["contextUsedPercent"]?.int.map { "\($0) %" } ?? ""
            let status = (task["status"]?.string ?? "") + (task["stalled"]?.bool == true ? " (stalled)" : "")
            let key = task["slot"]?.int.map { "\($0)" } ?? ""
            table.rows.append([key, status, task["title"]?.string ?? "", age, context, String((task["id"]?.string ?? "").prefix(8))])
        }
        let width = Terminal.isTerminal(STDOUT_FILENO) ? Terminal.columns(environment: environment.variables) : nil
        for line in table.render(width: width) { Output.print(line) }
    }

    private static func printSlots(_ result: JSONValue) {
        Output.print("Mode: \(result["mode"]?.string ?? "")")
        for (index, slot) in (result["slots"]?.array ?? []).enumerated() {
            let text = slot["title"]?.string.map { Printable.line($0) + "  (" + (slot["status"]?.string ?? "") + ")" } ?? "—"
            Output.print("\(index + 1)  \(text)")
        }
    }

    private static func printLayout(_ result: JSONValue) {
        for slot in ActionSlot.allCases { Output.print("\(slot.rawValue)  \(result[slot.rawValue]?.string ?? "—")") }
    }
}
