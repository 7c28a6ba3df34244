/// The tools of a runtime, in the order of their registration.
struct ToolRegistry: Sendable {
    private var order: [String] = []
    private var tools: [String: AgentRuntime.ToolRegistration] = [:]

    /// - Throws: ``AgentRuntimeError`` `toolInvalid` for a name that is taken or that the service does not take.
    mutating func add(_ tool: AgentRuntime.ToolRegistration, replacing: Bool = false) throws(AgentRuntimeError) {
        let name = tool.definition.name
        guard ToolDefinition.isValidName(name) else {
            throw AgentRuntimeError(
                code: .toolInvalid, message: "\(name.prefix(80)) is no name for a tool: use 1 to 64 letters, digits, _ and -.")
        }
        if tools[name] != nil {
            guard replacing else { throw AgentRuntimeError(code: .toolInvalid, message: "There is a tool \(name) already.") }
        } else {
            order.append(name)
        }
        tools[name] = tool
    }

    /// - Returns: Whether there was one.
    @discardableResult
    mutating func remove(_ name: String) -> Bool {
        order.removeAll { $0 == name }
        return tools.removeValue(forKey: name) != nil
    }

    subscript(name: String) -> AgentRuntime.ToolRegistration? { tools[name] }
    var definitions: [ToolDefinition] { order.compactMap { tools[$0]?.definition } }
}
