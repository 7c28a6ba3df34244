import CommandLineKit
import DeckClient
import Glibc
import RelayProtocol

/// Brings a task before the user's eyes: in the dashboards that are open, else in one in this terminal.
enum OpenLinkDashboard {
    static func show(_ task: TaskIdentity, _ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        if try await ClientSession.showIfOpen(task, environment: environment) {
            return Output.error("The task is shown in the dashboard that is open.")
        }
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO) else {
            throw CommandFailure("No dashboard is open, and a new one needs a terminal; run this in one.")
        }
        guard try !ClientStore(environment).profiles().profiles.isEmpty else {
            throw CommandFailure("No node is paired, so nobody knows the task. Run `decknode pair` on its computer and `deckclient pair` here.")
        }
        try await DashboardSession.run(invocation, environment, showing: task)
    }
}
