import FoundationEssentials

/// Who wrote a message.
public enum AgentRole: String, Codable, Hashable, Sendable {
    case user, assistant
}

/// A message of a thread as people see it.
public struct AgentMessage: Codable, Hashable, Identifiable, Sendable {
    public let id: String
    public let threadID: String
    public let role: AgentRole
    public let text: String
    public let images: [AgentImageAttachment]
    /// What the message carries as a typed value, in addition to its text or as its text.
    public let structuredOutput: AgentStructuredOutputMetadata?
    /// Whether the text is the model's refusal to answer.
    public let isRefusal: Bool
    public let createdAt: Date

    public init(
        id: String = UUID().uuidString, threadID: String, role: AgentRole, text: String, images: [AgentImageAttachment] = [],
        structuredOutput: AgentStructuredOutputMetadata? = nil, isRefusal: Bool = false, createdAt: Date = Date()
    ) {
        self.id = id
        self.threadID = threadID
        self.role = role
        self.text = text
        self.images = images
        self.structuredOutput = structuredOutput
        self.isRefusal = isRefusal
        self.createdAt = createdAt
    }

    /// The message with other pictures, for stores that keep their bytes elsewhere.
    func with(images: [AgentImageAttachment]) -> Self {
        Self(
            id: id, threadID: threadID, role: role, text: text, images: images, structuredOutput: structuredOutput, isRefusal: isRefusal,
            createdAt: createdAt)
    }
}

/// The typed value in a message.
public struct AgentStructuredOutputMetadata: Codable, Hashable, Sendable {
    /// The name of the format that was asked for.
    public let formatName: String
    public let payload: JSONValue

    public init(formatName: String, payload: JSONValue) {
        self.formatName = formatName
        self.payload = payload
    }
}
