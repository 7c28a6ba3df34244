/// A function of the host program that the model may call.
public struct ToolDefinition: Codable, Hashable, Sendable {
    /// Whether a call waits for a person.
    public enum ApprovalPolicy: String, Codable, Hashable, Sendable {
        /// Runs at once.
        case automatic
        /// Runs after somebody approved this very call.
        case requiresApproval
    }

    /// 1 to 64 letters, digits, `_` and `-`.
    public let name: String
    /// What it does and when to use it, for the model.
    public let description: String
    /// A JSON schema of the arguments: an object.
    public let inputSchema: JSONValue
    public let approvalPolicy: ApprovalPolicy
    /// What the person who approves is told; `nil` for the usual text.
    public let approvalMessage: String?

    public init(
        name: String, description: String, inputSchema: JSONValue, approvalPolicy: ApprovalPolicy = .automatic, approvalMessage: String? = nil
    ) {
        self.name = name
        self.description = description
        self.inputSchema = inputSchema
        self.approvalPolicy = approvalPolicy
        self.approvalMessage = approvalMessage
    }

    /// Whether the service accepts the name.
    public static func isValidName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
