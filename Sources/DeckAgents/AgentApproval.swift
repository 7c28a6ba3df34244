import JSON
import RelayProtocol

/// A call that waits for a person, with everything to decide by.
public struct AgentApproval: Hashable, Sendable {
    /// What an answer names.
    public var id: String
    public var thread: TaskIdentity
    public var tool: String
    /// What would happen, one line: for a command its words, quoted so that each character can be seen.
    public var summary: String
    /// Everything a person should know, a line each: the whole command, the folder, the sandbox. Printable, nothing in it commands a terminal.
    public var lines: [String]
    /// Whether the call would run confined.
    public var isSandboxed: Bool

    public init(id: String, thread: TaskIdentity, tool: String, summary: String, lines: [String], isSandboxed: Bool) {
        self.id = id
        self.thread = thread
        self.tool = tool
        self.summary = summary
        self.lines = lines
        self.isSandboxed = isSandboxed
    }

    public var json: JSONValue {
        .object([
            "id": .string(id), "thread": .string(thread.uuid), "tool": .string(tool), "summary": .string(summary),
            "lines": .array(lines.map { .string($0) }), "sandboxed": .bool(isSandboxed),
        ])
    }

    /// Reads what ``json`` wrote; `nil` when it is something else.
    public init?(json: JSONValue) {
        guard let id = json["id"]?.string, let thread = json["thread"]?.string.flatMap({ TaskIdentity($0) }), let tool = json["tool"]?.string,
            let summary = json["summary"]?.string, let lines = json["lines"]?.array, let isSandboxed = json["sandboxed"]?.bool
        else { return nil }
        self.init(id: id, thread: thread, tool: tool, summary: summary, lines: lines.compactMap(\.string), isSandboxed: isSandboxed)
    }
}
