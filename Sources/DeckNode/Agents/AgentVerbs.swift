import DeckAgents
import JSON
import RelayProtocol

/// The requests about threads and the session, each answered once.
struct AgentVerbs: Sendable {
    let host: AgentHost
    let configuration: @Sendable () async -> AgentHost.Configuration

    func reply(to request: ControlRequest) async -> ControlReply {
        do throws(AgentHostError) {
            return .success(try await result(of: request))
        } catch {
            return .failure(SessionHint.ours(error.description))
        }
    }

    private func result(of request: ControlRequest) async throws(AgentHostError) -> JSONValue {
        switch request.command {
        case "agents.session":
            let new = await configuration()
            // Whoever signed out wants nothing to go on in their name; what is stopped can be resumed.
            if request.arguments["stop"]?.bool == true { await host.endSession(new) } else { await host.reconfigure(new) }
            return .null
        case "agents.threads":
            let withArchived = request.arguments["archived"]?.bool == true
            return .array(try await host.allTasks().filter { withArchived || !$0.isArchived }.map(Self.json))
        default: break
        }
        guard let name = request.arguments["thread"]?.string else { throw AgentHostError(code: "invalid_request", "Name a thread.") }
        let identity = try await host.resolve(name)
        switch request.command {
        case "agents.thread":
            let task = await host.task(identity), conversation = try await host.conversation(of: identity)
            let markdown = ConversationMarkdown(title: task?.title ?? "Untitled", thread: conversation.thread, turns: conversation.turns)
            return .object(["task": task.map(Self.json) ?? .null, "markdown": .string(markdown.text)])
        case "agents.rename": try await host.rename(identity, to: request.arguments["title"]?.string ?? "")
        case "agents.interrupt": try await stop(identity)
        case "agents.archive": try await host.archive(identity)
        case "agents.unarchive": try await host.unarchive(identity)
        case "agents.delete": try await host.delete(identity)
        default:
            let sentence = "The running node does not know the command \(DisplaySafe.word(request.command)); restart it after an update."
            throw AgentHostError(code: "unsupported", sentence)
        }
        return await host.task(identity).map(Self.json) ?? .object(["id": .string(identity.uuid)])
    }

    private func stop(_ identity: TaskIdentity) async throws(AgentHostError) {
        switch await host.task(identity)?.phase {
        case .working, .awaitingApproval, .awaitingResponse: await host.stop(identity)
        case nil, .idle, .finished, .failed: throw AgentHostError(code: "not_working", "This task is not working, so there is nothing to stop.")
        }
    }

    /// A thread, for lists.
    static func json(_ task: AgentTask) -> JSONValue {
        .object([
            "id": .string(task.identity.uuid), "title": task.title.map { .string($0) } ?? .null, "status": .string(status(task.phase)),
            "activityAt": .number(Double(task.activityAt.value)), "folder": task.folder.isEmpty ? .null : .string(task.folder),
            "archived": .bool(task.isArchived),
            "model": task.model.map { .string($0) } ?? .null, "effort": .string(task.effort.rawValue),
            "contextUsedPercent": task.contextUsedPercent.map { .number(Double($0)) } ?? .null,
        ])
    }

    static func status(_ phase: AgentTask.Phase) -> String {
        switch phase {
        case .idle: "idle"
        case .working: "working"
        case .awaitingApproval: "awaiting-approval"
        case .awaitingResponse: "awaiting-response"
        case .finished: "complete"
        case .failed: "error"
        }
    }
}
