import CodexKit
import EventLoop
import JSON

/// The tools that this computer gives its agents.
struct HostTools: Sendable {
    static let listName = "list_directory", readName = "read_file", commandName = "run_command"

    let sandbox: SandboxProbe
    let runner: CommandRunner
    /// The working folder of a thread, `nil` when it was lost; asked for at each call, for a turn that goes on after a restart knows nothing else.
    let folder: @Sendable (_ threadID: String) async -> String?

    var registrations: [AgentRuntime.ToolRegistration] { [list, read, command] }

    /// What a model is told of them; the same for whoever stands in for them.
    static let definitions = [listDefinition, readDefinition, commandDefinition]

    private static let listDefinition = ToolDefinition(
        name: listName, description: "Lists a folder: names, kinds and sizes. Paths are relative to the working folder and cannot leave it.",
        inputSchema: schema(["path": described("string", "Relative path; . for the working folder itself.")], ["path"]))

    private static let readDefinition = ToolDefinition(
        name: readName, description: "Reads a text file, or a part of it. Paths are relative to the working folder and cannot leave it.",
        inputSchema: schema(
            [
                "path": described("string", "Relative path."), "first_line": described("integer", "From 1; 1 if left out."),
                "lines": described("integer", "How many lines; as many as fit into 64 KiB if left out."),
            ], ["path"]))

    private static let commandDefinition = ToolDefinition(
        name: commandName,
        description: """
            Runs a command in the working folder after the owner has approved it. Give command, a text for /bin/sh, or argv. It cannot read input, \
            has no terminal, and usually can write in the working folder only and has no network.
            """,
        inputSchema: schema(
            [
                "command": described("string", "A text for /bin/sh -c."),
                "argv": [
                    "type": "array", "items": ["type": "string"], "description": "The program and its arguments, instead of command.",
                ],
                "network": described("boolean", "Whether it needs the network; the owner is told."),
                "timeout_seconds": described(
                    "integer", "1 to \(CommandCall.longestSeconds); \(CommandCall.usualSeconds) if left out."),
            ], []),
        approvalPolicy: .requiresApproval)

    private struct PathArguments: Decodable, Sendable {
        var path: String?
        var first_line: Int?
        var lines: Int?
    }

    private var list: AgentRuntime.ToolRegistration {
        AgentRuntime.ToolRegistration(
            definition: Self.listDefinition,
            executor: TypedToolExecutor(PathArguments.self) { arguments, context in
                [.text(try await access(context).list(arguments.path ?? "."))]
            })
    }

    private var read: AgentRuntime.ToolRegistration {
        AgentRuntime.ToolRegistration(
            definition: Self.readDefinition,
            executor: TypedToolExecutor(PathArguments.self) { arguments, context in
                guard let path = arguments.path else { throw ToolFailure("Name a file.") }
                return [.text(try await access(context).read(path, firstLine: arguments.first_line ?? 1, lines: arguments.lines))]
            })
    }

    private var command: AgentRuntime.ToolRegistration {
        AgentRuntime.ToolRegistration(
            definition: Self.commandDefinition,
            executor: AnyToolExecutor { call, context in
                let command: CommandCall
                do throws(CommandCall.Malformed) { command = try CommandCall(call.arguments) } catch { throw ToolFailure(error.description) }
                guard let folder = await folder(context.thread.id) else { throw ToolFailure("The thread has no working folder.") }
                do {
                    let report = try await runner.run(command, in: folder, sandbox: await sandbox.finding())
                    return ToolResultEnvelope(
                        invocationID: call.id, toolName: call.toolName, success: report.succeeded, content: [.text(report.text)],
                        errorMessage: report.succeeded ? nil : report.text)
                } catch let error as CommandRunner.Failure {
                    throw ToolFailure(error.description)
                }
            })
    }

    private func access(_ context: ToolExecutionContext) async throws -> FolderAccess {
        guard let folder = await folder(context.thread.id) else { throw ToolFailure("The thread has no working folder.") }
        return FolderAccess(root: folder, hidden: runner.hidden)
    }

    private static func described(_ type: String, _ description: String) -> JSONValue {
        ["type": .string(type), "description": .string(description)]
    }

    private static func schema(_ properties: JSONValue, _ required: [JSONValue]) -> JSONValue {
        ["type": "object", "properties": properties, "required": .array(required), "additionalProperties": false]
    }
}
