import CommandLineKit
import DeckClient
import Glibc
import Pairing

/// `deckclient open-link`: what the desktop runs when somebody clicks on a `codexdeck://` link.
///
/// A link comes from anywhere, a web page included: nothing is paired without a yes, and a link to a task shows it and does nothing else.
enum OpenLink {
    static let spec = CommandSpec(
        "open-link", summary: "Open a codexdeck:// link, as a click on one does.",
        discussion: """
            A link of `decknode pair` pairs after a question. A link to a task shows its detail: in the dashboard that is open, else in a new one \
            in this terminal. It never presses anything.
            """,
        arguments: [ArgumentSpec("LINK", "The link: codexdeck://pair?… or codexdeck://agent/….")],
        flags: [
            FlagSpec("yes", short: "y", "Pair without a question."),
            FlagSpec("hold", "Wait for Return at the end, so that a terminal opened for this can be read."),
        ])

    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        do {
            switch try DeckLink(invocation.argument("LINK") ?? "") {
            case .pair(let link): try await pair(link, invocation, environment)
            case .agent(let link): return try await OpenLinkDashboard.show(link.task, invocation, environment)
            }
        } catch {
            hold(invocation)
            throw error
        }
        hold(invocation)
    }

    private static func pair(_ link: PairingLink, _ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        if !invocation.flag("yes") {
            Output.error(try offer(link, ClientStore(environment).profiles()))
            guard try Prompt.confirm("Pair with it?") else { return Output.error("Nothing was changed.") }
        }
        try await PairingCommands.pair(invocation, environment, isWarned: !invocation.flag("yes"))
    }

    /// What the user is asked to agree to. A name is easily borrowed, so the address and the certificate are told too.
    private static func offer(_ link: PairingLink, _ book: ProfileBook) -> String {
        let fingerprint = link.fingerprint.hex
        var lines = [
            "This link pairs with \(Printable.line(link.name)) at \(link.address), port \(link.port), certificate \(fingerprint.prefix(16))….",
            "Its tasks will be shown here. Say yes only to a link that you made yourself, with `decknode pair` or in Codex Deck on that computer.",
        ]
        if let warning = PairingCommands.certificateWarning(link, book) {
            lines.append(warning)
        } else if let known = PairingCommands.known(link, book) {
            lines.append("It is paired already, as \(Printable.line(known.name)), with the same certificate; its address and token would be renewed.")
        }
        return lines.joined(separator: "\n")
    }

    /// A terminal that was opened for the link closes with this program; after the last word, errors included, it waits to be read.
    private static func hold(_ invocation: Invocation) {
        guard invocation.flag("hold"), Terminal.isTerminal(STDIN_FILENO) else { return }
        atexit {
            Output.error("\nPress Return to close this.")
            // However the wait ends, the program ends.
            _ = try? Prompt.line()
        }
    }
}
