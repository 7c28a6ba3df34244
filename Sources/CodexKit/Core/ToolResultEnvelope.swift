import FoundationEssentials

/// A piece of what a tool answers.
public enum ToolResultContent: Codable, Hashable, Sendable {
    case text(String)
    /// A picture by its address: http, https or data.
    case image(URL)
}

/// What a tool answered to one call.
public struct ToolResultEnvelope: Codable, Hashable, Sendable {
    public let invocationID: String
    public let toolName: String
    public let success: Bool
    public let content: [ToolResultContent]
    /// Why it failed, for the model and the log; `nil` on success.
    public let errorMessage: String?

    public init(invocationID: String, toolName: String, success: Bool, content: [ToolResultContent] = [], errorMessage: String? = nil) {
        self.invocationID = invocationID
        self.toolName = toolName
        self.success = success
        self.content = content
        self.errorMessage = errorMessage
    }

    /// The text of the content, joined by line breaks; `nil` when there is none.
    public var primaryText: String? {
        let texts = content.compactMap { if case .text(let text) = $0 { text } else { nil } }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    public static func success(invocation: ToolInvocation, text: String) -> Self {
        success(invocation: invocation, content: [.text(text)])
    }

    public static func success(invocation: ToolInvocation, content: [ToolResultContent]) -> Self {
        Self(invocationID: invocation.id, toolName: invocation.toolName, success: true, content: content)
    }

    public static func failure(invocation: ToolInvocation, message: String) -> Self {
        Self(
            invocationID: invocation.id, toolName: invocation.toolName, success: false, content: [.text(message)], errorMessage: message)
    }

    /// The answer to the model when a person said no.
    public static func denied(invocation: ToolInvocation) -> Self {
        failure(invocation: invocation, message: "The user denied this call of \(invocation.toolName); do not repeat it unasked.")
    }
}
