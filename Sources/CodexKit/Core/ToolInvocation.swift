/// One call of a tool that the model asks for.
public struct ToolInvocation: Codable, Hashable, Identifiable, Sendable {
    /// The service's id of the call; the result names it.
    public let id: String
    public let threadID: String
    public let turnID: String
    public let toolName: String
    /// What the model gave, usually an object; `.string` with the raw text when the model wrote no JSON.
    public let arguments: JSONValue

    public init(id: String, threadID: String, turnID: String, toolName: String, arguments: JSONValue) {
        self.id = id
        self.threadID = threadID
        self.turnID = turnID
        self.toolName = toolName
        self.arguments = arguments
    }
}
