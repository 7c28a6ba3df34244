import CommandLineKit
import DeckClient
import Glibc
import Pairing
import RelayProtocol
import Secrets

/// `deckclient replace`: gives a known node another link, address, token or name, and forgets nothing else of it.
enum ReplaceCommand {
    static let spec = CommandSpec(
        "replace", summary: "Give a paired node another link, address, token or name.",
        discussion: """
            For a node that was paired: reads a new link, as `deckclient pair` does; it must be one of the same computer. For one that was added: takes \
            another URL, asks for another token when none is given, or both with --token. The order, the events and the followed task stay.
            """,
        arguments: [
            ClientCommands.node, ArgumentSpec("LINK|URL", "The new link or URL; - reads a link from standard input.", count: .optional),
        ],
        options: [OptionSpec("name", value: "NAME", "What to call it from now on.")],
        flags: [
            FlagSpec("token", "Ask for another token as well."),
            FlagSpec("tailnet", "Allow ws:// to an address of the tailnet, where WireGuard encrypts."), ClientCommands.fileSecrets, ClientCommands.json,
        ])

    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let store = ClientStore(environment)
        let known = try store.profiles().find(invocation.argument("NODE") ?? "")
        let wished = invocation.argument("LINK|URL")
        let name = invocation.option("name")
        // A name alone asks for nothing else.
        let renamesOnly = name != nil && wished == nil && !invocation.flag("token")
        if !renamesOnly {
            switch known.route {
            case .nearby: try await replaceLink(of: known, invocation, environment)
            case .remote: try await replaceAddress(of: known, with: wished, invocation, environment)
            }
        }
        if let name { _ = try store.update { try $0.rename(id: known.id, to: name) } }
        await ClientSession.tell(.profiles(renewed: known.id), environment: environment)
        guard let now = try store.profiles()[known.id] else { throw ProfileError.notFound(known.name) }
        if invocation.flag("json") { return Output.json(PairingCommands.json(now)) }
        Output.print("\(Printable.line(now.name)) is at \(now.address) now. Try it with `deckclient test \(Printable.line(now.name))`.")
    }

    private static func replaceLink(of known: NodeProfile, _ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        for flag in ["token", "tailnet"] where invocation.flag(flag) {
            throw invocation.refusal("--\(flag) is for nodes that were added; \(Printable.line(known.name)) was paired and takes a link")
        }
        let link = try PairingLink(try await PairingCommands.linkText(invocation.argument("LINK|URL")))
        guard link.host == known.hostID else {
            throw CommandFailure(
                "That is the link of another computer, \(Printable.line(link.name)). Pair with it by `deckclient pair`, and remove \(Printable.line(known.name)) if it is gone.")
        }
        try await PairingCommands.keep(PairingCommands.profile(of: link), token: link.token.secret, invocation, environment)
    }

    private static func replaceAddress(
        of known: NodeProfile, with url: String?, _ invocation: Invocation, _ environment: ClientEnvironment
    ) async throws {
        let address = if let url { try NodeAddress(url) } else { nil as NodeAddress? }
        let token = url == nil || invocation.flag("token") ? try PairingCommands.token(of: known.name) : nil
        let store = ClientStore(environment)
        let secrets = try await store.secrets(file: invocation.flag("file-secrets"))
        // The address first: one that is refused must not cost the token.
        let tailnet = invocation.flag("tailnet")
        _ = try store.update { try $0.replace(id: known.id, address: address, allowsTailnet: tailnet ? true : nil) }
        guard let token else { return }
        guard let key = ClientStore.tokenKey(known.id) else { throw ProfileError.invalid(.id) }
        try await secrets.store.store(token.secret, for: key)
        if let remark = secrets.remark, !invocation.flag("file-secrets") { Output.error(remark) }
    }
}
