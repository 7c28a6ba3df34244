import CodexKit

/// The tools of this node as far as a model sees them. They answer from the script and touch nothing.
struct DemoTools: Sendable {
    let stage: DemoStage

    /// How long a pretended command takes.
    static let commandTime = Duration.seconds(3)

    var registrations: [AgentRuntime.ToolRegistration] {
        HostTools.definitions.map { definition in
            let stage = stage
            let takesTime = definition.approvalPolicy == .requiresApproval
            return AgentRuntime.ToolRegistration(
                definition: definition,
                executor: AnyToolExecutor { invocation, _ in
                    if takesTime { try await stage.clock.sleep(stage.clock.elapsed() + Self.commandTime) }
                    return .success(invocation: invocation, text: stage.output(of: invocation))
                })
        }
    }
}
