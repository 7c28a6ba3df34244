import CodexKit
import CodexKitUI
import ExampleSupport
import FoundationEssentials

/// A conversation with tools. One of them asks before it does anything; the conversation goes on where the last run left it.
@main
struct Chat {
    static func main() async {
        await run {
            let setup = ExampleSetup(try ExampleOptions(switches: ["new"]))
            let input = try TerminalInput()
            let runtime = try AgentRuntime(configuration: .init(
                authProvider: try setup.authProvider,
                secureStore: setup.secureStore,
                backend: try setup.backend,
                approvalPresenter: TerminalApprovalPresenter(write: show) { try await input.line() },
                stateStore: try setup.stateStore("chat"),
                baseInstructions: "You work for the support of a small shop. Be brief.",
                tools: [ShopTools.lookUpOrder, ShopTools.refund, ShopTools.label],
                // Sleep and shutdown wait until an answer has ended in good order.
                backgroundActivityProvider: LogindBackgroundActivityProvider(application: "CodexKit chat")
            ))
            try await setup.begin(runtime)
            var chat = Conversation(runtime: runtime, threadID: try await firstThread(runtime, isNew: setup.options.has("new")))
            try await chat.showPast()
            while true {
                show("> ")
                guard let line = try await input.line() else { return show("\n") }
                guard try await chat.take(line) else { return }
            }
        }
    }

    /// The latest thread, or a new one.
    static func firstThread(_ runtime: AgentRuntime, isNew: Bool) async throws -> String {
        if !isNew, let latest = try await runtime.threads(matching: AgentThreadQuery(limit: 1)).first { return latest.id }
        return try await runtime.createThread(title: "Chat").id
    }
}
