import CodexKit
import CommandLineKit
import DeckAgents
import EventLoop
import FoundationEssentials
import Glibc
import JSON

/// `decknode ask`: asks the node's own agents, through the running node, or by itself when none runs.
enum AskCommand {
    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) async throws {
        let ask = try self.ask(invocation)
        let terminal = invocation.flag("decline-all") ? nil : TerminalDevice()
        var manner = AskScreen.Manner(
            isJSON: invocation.flag("json"), isTerminal: Terminal.isTerminal(STDOUT_FILENO), canAsk: terminal != nil,
            declinesAll: invocation.flag("decline-all"), detaches: invocation.flag("detach"))
        let loop = try EventLoop(name: "ask")
        let node = try await connect(environment, loop)
        if node == nil, manner.detaches { throw CommandFailure("No node is running that could go on with it; start one with `decknode serve`.") }
        manner.isAlone = node == nil
        // Without a node: the same agents, in this process, for as long as the answer takes.
        let alone = node == nil ? LoneAgents(environment: environment, loop: loop) : nil
        let runner = AskRunner(screen: AskScreen(manner), terminal: terminal?.descriptor, loop: loop)
        let own = try await alone?.connect()
        guard let socket = node ?? own else { return }
        let code = await runner.run(ControlRequest("agents.ask", ["ask": ask.json]), over: socket)
        await alone?.stop()
        withExtendedLifetime(terminal) {}
        loop.shutdown()
        if code != 0 { exit(code) }
    }

    /// - Returns: `nil` when no node is running.
    private static func connect(_ environment: NodeEnvironment, _ loop: EventLoop) async throws -> StreamSocket? {
        let address = try SocketAddress(unixPath: environment.controlSocketPath)
        do throws(ConnectError) {
            return try await StreamSocket.connect(to: address, timeout: .seconds(10), on: loop)
        } catch {
            guard case .refused = error else { throw CommandFailure("The node cannot be reached: \(error)") }
            return nil
        }
    }

    // MARK: What is asked

    private static func ask(_ invocation: Invocation) throws -> AgentAsk {
        let words = invocation.arguments("TEXT")
        let thread = invocation.option("thread")
        let input = AskInput(folder: workingFolder())
        guard !(invocation.flag("decline-all") && invocation.flag("detach")) else {
            throw invocation.refusal("--decline-all and --detach exclude each other.")
        }
        let piped = words == ["-"] || StandardInput.holdsText ? try StandardInput.text(limit: AgentAsk.Limits.textBytes) : nil
        let text = try input.text(words: words, piped: piped)
        let folder = try invocation.option("folder").map(input.directory) ?? (thread == nil ? input.directory(".") : nil)
        let ask = AgentAsk(
            text: text, files: try invocation.options("file").map(input.file), urls: try invocation.options("url").map(input.url),
            images: try invocation.options("image").map(input.image), folder: folder, thread: thread,
            effort: invocation.option("effort").flatMap(ReasoningEffort.init), model: invocation.option("model"),
            isDetached: invocation.flag("detach"))
        if invocation.flag("resume") {
            guard thread != nil, ask.isEmpty else { throw invocation.refusal("--resume goes with --thread, and with nothing new to ask.") }
        } else if ask.isEmpty {
            throw invocation.refusal("TEXT is missing; give it, or - to read it from standard input.")
        }
        return ask
    }

    private static func workingFolder() -> String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
