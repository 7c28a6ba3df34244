import CommandLineKit
import EventLoop
import Glibc
import JSON

/// `decknode threads`: the conversations with the node's own agents, through the running node, or by itself when none runs.
enum ThreadCommands {
    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) async throws {
        if invocation.command == "threads delete" { guard try await confirmDeletion(invocation, environment) else { return } }
        let result = try await ask(request(invocation), environment)
        switch invocation.command {
        case "threads show" where !invocation.flag("json"): Output.print(text(result["markdown"]?.string ?? ""), terminator: "")
        case _ where invocation.flag("json"): Output.json(result)
        case "threads": list(result.array ?? [], environment)
        case "threads rename": Output.print("It is called \(title(result)) now.")
        case "threads stop": Output.print("\(title(result)) is stopped; `decknode ask --thread` goes on with it.")
        case "threads archive": Output.print("\(title(result)) is archived; asking it something brings it back.")
        case "threads unarchive": Output.print("\(title(result)) is on the deck again.")
        default: Output.print("It is deleted.")
        }
    }

    private static func request(_ invocation: Invocation) -> ControlRequest {
        guard let verb = invocation.path.dropFirst(2).first else {
            return ControlRequest("agents.threads", ["archived": .bool(invocation.flag("archived"))])
        }
        var arguments: [String: JSONValue] = [:]
        if let thread = invocation.argument("THREAD") { arguments["thread"] = .string(thread) }
        if verb == "rename" { arguments["title"] = .string(invocation.arguments("TITLE").joined(separator: " ")) }
        let names = ["show": "thread", "stop": "interrupt"]
        return ControlRequest("agents.\(names[verb] ?? verb)", arguments)
    }

    private static func ask(_ request: ControlRequest, _ environment: NodeEnvironment) async throws -> JSONValue {
        let reply: ControlReply
        if let answer = try ControlClient(path: environment.controlSocketPath).askIfRunning(request) {
            reply = answer
        } else {
            let loop = try EventLoop(name: "threads")
            defer { loop.shutdown() }
            let agents = LoneAgents(environment: environment, loop: loop)
            reply = await agents.ask(request)
            await agents.stop()
        }
        switch reply {
        case .success(let value): return value
        case .failure(let sentence): throw CommandFailure(Printable.line(sentence))
        }
    }

    private static func confirmDeletion(_ invocation: Invocation, _ environment: NodeEnvironment) async throws -> Bool {
        if invocation.flag("yes") { return true }
        let thread = try await ask(ControlRequest("agents.thread", ["thread": .string(invocation.argument("THREAD") ?? "")]), environment)
        if try Prompt.confirm("Delete \(title(thread["task"] ?? .null)) with everything in it? It cannot be brought back.") { return true }
        Output.error("Nothing was changed.")
        return false
    }

    private static func list(_ threads: [JSONValue], _ environment: NodeEnvironment) {
        guard !threads.isEmpty else { return Output.print("No threads; begin one with `decknode ask`.") }
        var table = Table([.init("STATUS"), .init("THREAD", isFlexible: true), .init("AGE", alignment: .right), .init("ID")])
        let now = environment.now()
        for thread in threads {
            let age = thread["activityAt"]?.int.map { Age.text(milliseconds: now.value - $0) } ?? ""
            let status = (thread["status"]?.string ?? "") + (thread["archived"]?.bool == true ? " (archived)" : "")
            table.rows.append([status, title(thread), age, String((thread["id"]?.string ?? "").prefix(8))])
        }
        let width = Terminal.isTerminal(STDOUT_FILENO) ? Terminal.columns(environment: environment.variables) : nil
        for line in table.render(width: width) { Output.print(line) }
    }

    private static func title(_ thread: JSONValue) -> String { thread["title"]?.string.map(Printable.line) ?? "Untitled" }

    /// Foreign text, without what would command a terminal.
    private static func text(_ markdown: String) -> String {
        var text = AnswerText(forTerminal: Terminal.isTerminal(STDOUT_FILENO))
        return text.piece(markdown) + text.endLine()
    }
}
