import CommandLineKit
import DeckClient
import EventLoop
import Glibc
import JSON
import Log
import Pairing
import RelayProtocol
import Secrets
import TLS

/// `deckclient pair`, `add` and `remove`: they change which nodes are known.
enum PairingCommands {
    /// A link is a few hundred bytes.
    private static let maximumLinkBytes = 4_096

    /// - Parameter isWarned: Whether the user has been told what the link would replace.
    static func pair(_ invocation: Invocation, _ environment: ClientEnvironment, isWarned: Bool = false) async throws {
        let picture = invocation.option("picture")
        if picture != nil, invocation.argument("LINK") != nil { throw invocation.refusal("a link and --picture exclude each other") }
        let text = if let picture { try await read(picture: picture) } else { try await linkText(invocation.argument("LINK")) }
        let link = try PairingLink(text)
        if !isWarned, let warning = certificateWarning(link, try ClientStore(environment).profiles()) { Output.error(warning) }
        let stored = try await keep(profile(of: link), token: link.token.secret, invocation, environment)
        let failure = await PairingTrial.failure(of: stored, token: link.token.secret)
        if invocation.flag("json") {
            var fields = json(stored).object ?? [:]
            fields["answers"] = .bool(failure == nil)
            if let failure { fields["reason"] = .string(failure) }
            return Output.json(.object(fields))
        }
        let name = Printable.line(stored.name)
        if let failure { return Output.print("Paired with \(name), but it does not answer: \(Printable.line(failure))") }
        Output.print("Paired with \(name), which answers. See its tasks with `deckclient watch`.")
    }

    /// The pairing that a link would renew.
    static func known(_ link: PairingLink, _ book: ProfileBook) -> NodeProfile? {
        book.profiles.first { $0.route == .nearby && $0.hostID == link.host }
    }

    /// What to say before a link puts another certificate in the place of the paired one; `nil` when it does not.
    static func certificateWarning(_ link: PairingLink, _ book: ProfileBook) -> String? {
        guard let known = known(link, book), known.fingerprint != link.fingerprint.hex else { return nil }
        return "Careful: it is paired already, as \(Printable.line(known.name)), with ANOTHER certificate, which this link would replace."
    }

    static func add(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let name = DisplayText.sanitized(invocation.argument("NAME") ?? "", maximumCharacters: 128)
        guard !name.isEmpty else { throw invocation.refusal("the name must not be empty") }
        let address = try NodeAddress(invocation.argument("URL") ?? "")
        let profile = NodeProfile(id: try newID(), name: name, address: address, route: .remote, allowsTailnet: invocation.flag("tailnet"))
        try profile.check()
        let stored = try await keep(profile, token: token(of: name).secret, invocation, environment)
        if invocation.flag("json") { return Output.json(json(stored)) }
        Output.print("Added \(Printable.line(stored.name)) at \(stored.address). Try it with `deckclient test \(Printable.line(stored.name))`.")
    }

    static func remove(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let store = ClientStore(environment)
        let profile = try store.profiles().find(invocation.argument("NODE") ?? "")
        if !invocation.flag("yes") {
            let question = "Forget \(Printable.line(profile.name)), with its token? It has to be paired again to be seen."
            guard try Prompt.confirm(question) else { return Output.error("Nothing was changed.") }
        }
        try await store.remove(profile)
        await ClientSession.tell(.profiles(renewed: nil), environment: environment)
        Output.print("\(Printable.line(profile.name)) is forgotten.")
    }

    /// Asks for the token of a node, or reads it from standard input.
    static func token(of name: String) throws -> PairingToken {
        let isTerminal = Terminal.isTerminal(STDIN_FILENO)
        let missing = "No token came in; `decknode relay enable` prints one."
        let text = isTerminal ? try Prompt.hidden("Token of \(Printable.line(name)): ") : try line(missing: missing)
        guard let token = PairingToken(DisplayText.sanitized(text, maximumCharacters: RelayLimits.maximumTokenBytes)) else {
            throw CommandFailure("That is no token; `decknode relay enable` prints one of 43 characters.")
        }
        return token
    }

    /// Stores a node for a command: says what there is to say about its token, and tells the running engine.
    @discardableResult
    static func keep(
        _ profile: NodeProfile, token: Secret, _ invocation: Invocation, _ environment: ClientEnvironment
    ) async throws -> NodeProfile {
        let inFile = invocation.flag("file-secrets")
        let stored = try await store(profile, token: token, inFile: inFile, environment)
        if let remark = stored.remark, !inFile { Output.error(remark) }
        await ClientSession.tell(.profiles(renewed: stored.profile.id), environment: environment)
        return stored.profile
    }

    /// A node that is stored, and what its owner should know about where its token is.
    struct Stored {
        let profile: NodeProfile
        let remark: String?
    }

    /// Stores a node with its token, or nothing at all: a profile without a token would be of no use.
    ///
    /// - Parameter inFile: Whether the token goes to a file, also when there is a keyring.
    static func store(_ profile: NodeProfile, token: Secret, inFile: Bool = false, _ environment: ClientEnvironment) async throws -> Stored {
        let store = ClientStore(environment)
        let secrets = try await store.secrets(file: inFile)
        let stored = try store.update { try $0.add(profile) }
        do {
            guard let key = ClientStore.tokenKey(stored.id) else { throw ProfileError.invalid(.id) }
            try await secrets.store.store(token, for: key)
        } catch {
            if stored.id == profile.id { _ = try store.update { try $0.remove(id: stored.id) } }
            throw error
        }
        return Stored(profile: stored, remark: secrets.remark)
    }

    /// The profile of the node that a link leads to.
    static func profile(of link: PairingLink) throws -> NodeProfile {
        NodeProfile(
            id: try newID(), name: link.name, address: NodeAddress(nearby: link.address, port: link.port), route: .nearby, hostID: link.host,
            fingerprint: link.fingerprint.hex, platform: link.platform, os: link.os)
    }

    private static func newID() throws -> String { TaskIdentity(bytes: try SecureRandom.bytes(16)).uuid }

    /// A link from the command line, the terminal or standard input.
    static func linkText(_ argument: String?) async throws -> String {
        if let argument, argument != "-" { return argument }
        if Terminal.isTerminal(STDIN_FILENO) { return try Prompt.hidden("Link (not shown): ") }
        return try line(missing: "No link came in; run `decknode pair --link | deckclient pair`.")
    }

    /// A line of standard input that is no terminal.
    ///
    /// - Parameter missing: What to say when nothing comes.
    private static func line(missing: String) throws -> String {
        do throws(PromptError) {
            let line = try Prompt.line(limit: maximumLinkBytes)
            if !DisplayText.singleLine(line).isEmpty { return line }
        } catch {
            guard case .endOfInput = error else { throw error }
        }
        throw CommandFailure(missing)
    }

    private static func read(picture: String) async throws -> String {
        guard access(picture, R_OK) == 0 else { throw CommandFailure("The picture \(Printable.line(picture)) cannot be read.") }
        let loop = try EventLoop(name: "zbarimg")
        defer { loop.shutdown() }
        let options = ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "-Stest-inverted", "--", picture]
        let result: ChildResult
        do throws(ChildProcessError) {
            result = try await ChildProcess.run("zbarimg", options, timeout: .seconds(20), outputLimit: maximumLinkBytes, on: loop)
        } catch {
            guard case .notFound = error else { throw error }
            throw CommandFailure("Reading a picture needs zbarimg; install it with `apt install zbar-tools`, or pass the link itself.")
        }
        let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
        guard let link = lines.first(where: { $0.hasPrefix("codexdeck:") }) else {
            throw CommandFailure("There is no pairing code in the picture; take it straight on, sharp and with its white border.")
        }
        return link
    }

    static func json(_ profile: NodeProfile) -> JSONValue {
        var fields: [String: JSONValue] = [
            "id": .string(profile.id), "name": .string(profile.name), "url": .string(profile.address.description),
            "mode": .string(profile.route.rawValue),
        ]
        if let host = profile.hostID { fields["hostId"] = .string(host.uuid) }
        if let fingerprint = profile.fingerprint { fields["fingerprint"] = .string(fingerprint) }
        if let other = profile.duplicateOf { fields["duplicateOf"] = .string(other) }
        if let reason = profile.rePairReason { fields["rePairRequired"] = .string(reason) }
        return .object(fields)
    }
}
