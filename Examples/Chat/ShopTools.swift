import CodexKit
import FoundationEssentials

/// What the model may do in the shop. The shop is made up.
enum ShopTools {
    private struct Order: Decodable { let order: String }
    private struct Refund: Decodable {
        let order: String
        let euros: Double
    }

    /// Reads only, so it runs without a question.
    static let lookUpOrder = AgentRuntime.ToolRegistration(
        definition: ToolDefinition(
            name: "look_up_order",
            description: "Tells where an order is.",
            inputSchema: AgentOutputSchema.object(properties: ["order": .string(description: "Its number")], required: ["order"]).json
        ),
        executor: TypedToolExecutor(Order.self) { arguments, _ in [.text("Order \(arguments.order): handed to the carrier, due tomorrow.")] }
    )

    /// Costs money, so a person is asked about each call.
    static let refund = AgentRuntime.ToolRegistration(
        definition: ToolDefinition(
            name: "refund",
            description: "Pays money back to the customer.",
            inputSchema: AgentOutputSchema.object(
                properties: ["order": .string(), "euros": .number(minimum: 0, maximum: 500)], required: ["order", "euros"]
            ).json,
            approvalPolicy: .requiresApproval,
            approvalMessage: "The customer gets their money back. This cannot be undone."
        ),
        executor: TypedToolExecutor(Refund.self) { arguments, _ in
            guard arguments.euros <= 500 else { throw ToolFailure("More than 500 euros need the owner.") }
            return [.text("Paid back \(arguments.euros) euros for order \(arguments.order).")]
        }
    )

    /// Answers with a picture, which becomes part of the model's next message.
    static let label = AgentRuntime.ToolRegistration(
        definition: ToolDefinition(
            name: "print_label",
            description: "Makes the label for a return.",
            inputSchema: AgentOutputSchema.object(properties: ["order": .string()], required: ["order"]).json
        ),
        executor: TypedToolExecutor(Order.self) { arguments, _ in
            guard let picture = URL(string: "data:image/png;base64,\(onePixel)") else { throw ToolFailure("The label could not be drawn.") }
            return [.text("Label for order \(arguments.order)."), .image(picture)]
        }
    )

    private static let onePixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
}
