import FoundationEssentials

/// A piece of what the model reads, in the order of the conversation.
public enum AgentInputItem: Hashable, Sendable {
    public enum Role: String, Codable, Hashable, Sendable {
        case user, assistant, developer
    }

    case message(Role, [AgentInputPart])
    /// A tool call that the model made before; `arguments` is its JSON text as received.
    case functionCall(callID: String, name: String, arguments: String)
    /// The answer to a call.
    case functionCallOutput(callID: String, output: [ToolResultContent])
    /// An item that the service sent and wants back unchanged within the same turn, such as encrypted reasoning.
    case opaque(JSONValue)

    /// A message of one text.
    public static func text(_ role: Role, _ text: String) -> Self { .message(role, [.text(text)]) }
}

/// A piece of a message.
public enum AgentInputPart: Hashable, Sendable {
    case text(String)
    /// A picture in the message itself.
    case image(Data, mimeType: String)
    /// A picture by its address: http, https or data.
    case imageURL(URL)
}
