import CodexKit
import ExampleSupport
import FoundationEssentials

/// What the lines mean that a person types.
struct Conversation {
    let runtime: AgentRuntime
    var threadID: String
    private var image: AgentImageAttachment?

    init(runtime: AgentRuntime, threadID: String) {
        self.runtime = runtime
        self.threadID = threadID
    }

    /// - Returns: Whether to go on.
    mutating func take(_ line: String) async throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case nil: break
        case "/quit": return false
        case "/new": threadID = try await runtime.createThread(title: words.count > 1 ? words[1] : "Chat").id
        case "/threads": try await showThreads()
        case "/history": try await showHistory()
        case "/image": attach(words.last ?? "")
        case "/resume": await follow { try await runtime.resumeTurn(in: threadID) }
        case let word? where word.hasPrefix("/"): show("There are /new, /threads, /history, /image FILE, /resume and /quit.\n")
        default:
            let request = Request(text: line, images: image.map { [$0] } ?? [])
            image = nil
            await follow { try await runtime.stream(request, in: threadID) }
        }
        return true
    }

    /// A turn that fails ends; the conversation does not.
    private func follow(_ begin: () async throws -> AgentEventStream) async {
        let events: AgentEventStream
        do {
            events = try await begin()
        } catch {
            return show("! \(error)\n")
        }
        do {
            try await show(events)
        } catch {
            // It was printed as the last event of the turn.
        }
    }

    private mutating func attach(_ path: String) {
        do {
            image = AgentImageAttachment(try Data(contentsOf: URL(filePath: path)))
            show(image == nil ? "\(path) is no JPEG, PNG, GIF or WebP.\n" : "The image goes with the next message.\n")
        } catch {
            show("\(path) cannot be read.\n")
        }
    }

    // MARK: What was kept

    /// Shows where the conversation stands.
    func showPast() async throws {
        let snapshot = try await runtime.snapshot(of: threadID)
        for message in snapshot.messages.suffix(4) { show("\(message.role == .user ? "> " : "")\(message.text)\n") }
        guard snapshot.thread.status == .interrupted else { return }
        if let question = snapshot.pendingApproval { show("The answer to “\(question.title)” is still open. ") }
        show("The last answer was cut off; /resume goes on with it.\n")
    }

    private func showThreads() async throws {
        for thread in try await runtime.threads() {
            let count = try await runtime.messages(for: thread.id).count
            show("\(thread.id == threadID ? "*" : " ") \(thread.title ?? "untitled"), \(count) messages, \(thread.status.rawValue)\n")
        }
    }

    /// Everything that happened in the thread, a line each, and how its turns ended.
    private func showHistory() async throws {
        for record in try await runtime.history(of: threadID) {
            let text =
                switch record.item {
                case .message(let message): "\(message.role.rawValue): \(message.text)" + message.images.map { " [\($0.data.count) bytes]" }.joined()
                case .toolCall(let call, let arguments): "calls \(call.toolName) \(arguments)"
                case .toolResult(let result): "result of \(result.toolName): \(result.success ? "done" : "failed")"
                case .approval(let resolution): "\(resolution.toolName) was \(resolution.decision.rawValue)"
                case .compaction: "the conversation up to here was summarised"
                }
            show("\(record.sequence) \(text)\n")
        }
        for turn in try await runtime.turns(of: threadID) { show("turn \(turn.status.rawValue)\n") }
    }
}
