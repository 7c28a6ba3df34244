import CodexKit
import CommandLineKit
import EventLoop
import FoundationEssentials
import Glibc
import JSON

/// `decknode login`, `logout` and `whoami`: the account that the node's own agents use.
enum SessionCommands {
    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) async throws {
        switch invocation.command {
        case "login": try await login(invocation, environment)
        case "logout": try await logout(environment)
        default: try await whoami(invocation, environment)
        }
    }

    // MARK: Signing in

    private static func login(_ invocation: Invocation, _ environment: NodeEnvironment) async throws {
        let parts = AgentParts(environment)
        if invocation.flag("use-codex-session") {
            guard !invocation.flag("oauth") else { throw invocation.refusal("--oauth and --use-codex-session exclude each other.") }
            let session = try await parts.cliSession.externalSession()
            try setSession(.codex, environment)
            Output.print("The agents use the session of the Codex CLI, \(name(session.account)), for as long as it has one.")
            return try tellNode(environment)
        }
        // First, as nobody wants to sign in for a session that has no place.
        let place = try await placement(parts)
        let provider = try ChatGPTAuthProvider(
            method: invocation.flag("oauth") ? .oauth : .deviceCode, deviceCodePresenter: DeviceCodeScreen(environment: environment),
            browserPresenter: SystemBrowser { Output.print(Printable.line($0.replacing("\n", with: " "))) }, configuration: parts.authConfiguration)
        let manager = ChatGPTSessionManager(authProvider: provider, secureStore: parts.secureStore)
        let session = try await interruptible { try await manager.signIn() }
        try setSession(.own, environment)
        Output.print("Signed in as \(name(session.account)). " + (place.remark.map(Printable.line) ?? "The session is in your keyring."))
        try tellNode(environment)
    }

    private static func placement(_ parts: AgentParts) async throws -> KeychainSessionSecureStore.Placement {
        do {
            return try await parts.secureStore.placement()
        } catch {
            throw CommandFailure(SessionHint.ours("\(error)"))
        }
    }

    /// Runs something that a signal gives up.
    private static func interruptible<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let loop = try EventLoop(name: "signals")
        defer { loop.shutdown() }
        let task = Task { try await body() }
        let source = try await loop.value {
            Result { () throws(SystemError) in try SignalSource([.interrupt, .terminate, .hangUp], on: loop) { _ in task.cancel() } }
        }.get()
        let result = await task.result
        loop.execute { source.cancel() }
        guard case .failure(AgentRuntimeError.Code.signInCancelled) = result.mapError({ $0 as any Error }) else { return try result.get() }
        Output.error("decknode: The sign-in was cancelled; nothing was changed.")
        exit(130)
    }

    // MARK: Signing out

    private static func logout(_ environment: NodeEnvironment) async throws {
        let parts = AgentParts(environment)
        let store = try await parts.everyStore()
        let former: Bool
        do {
            former = try await store.loadSession() != nil
        } catch AgentRuntimeError.Code.sessionDamaged {
            // Gone all the same in a moment.
            former = true
        }
        if former { try await ChatGPTSessionManager(authProvider: parts.authProvider, secureStore: store).signOut() }
        try setSession(.own, environment)
        try tellNode(environment, stopping: true)
        if parts.usesCLISession { return Output.print("Signed out. The Codex CLI keeps its session.") }
        Output.print(former ? "Signed out." : "Nobody was signed in.")
    }

    // MARK: Who it is

    private static func whoami(_ invocation: Invocation, _ environment: NodeEnvironment) async throws {
        let parts = AgentParts(environment)
        let session: ChatGPTSession?, place: String
        if parts.usesCLISession {
            session = try await parts.cliSession.externalSession()
            place = parts.cliSession.path
        } else {
            let placement = try await self.placement(parts)
            session = try await parts.secureStore.loadSession()
            place = placement.isKeyring ? "keyring" : "file"
        }
        if invocation.flag("json") { Output.json(json(session, place, parts)) }
        guard let session else { throw CommandFailure("Nobody is signed in; run `decknode login`.") }
        if invocation.flag("json") { return }
        if let name = session.account.name, !name.isEmpty { Output.print("Name     \(Printable.line(name))") }
        Output.print("Email    \(Printable.line(session.account.email))")
        Output.print("Plan     \(Printable.line(session.account.plan.rawValue))")
        Output.print("Session  " + (parts.usesCLISession ? "the one of the Codex CLI, \(Printable.line(place))" : placeText(place)))
        if let end = session.expiresAt { Output.print("Renewed  " + renewal(end, parts.usesCLISession, environment)) }
    }

    private static func placeText(_ place: String) -> String {
        place == "keyring" ? "in your keyring" : "in a file that only you can read, not encrypted"
    }

    /// When the tokens have to be replaced, and by whom.
    private static func renewal(_ end: Date, _ byCLI: Bool, _ environment: NodeEnvironment) -> String {
        let left = Int64(clamping: Int(max(min(end.timeIntervalSince1970, 1e11), 0))) - environment.now().value / 1000
        let time = left <= 0 ? "due now" : "due in \(Age.text(milliseconds: left * 1000))"
        return time + (byCLI ? ", by the Codex CLI" : ", by itself")
    }

    private static func json(_ session: ChatGPTSession?, _ place: String, _ parts: AgentParts) -> JSONValue {
        guard let session else { return .object(["signedIn": .bool(false)]) }
        return .object([
            "signedIn": .bool(true), "name": session.account.name.map { .string($0) } ?? .null, "email": .string(session.account.email),
            "plan": .string(session.account.plan.rawValue), "session": .string(parts.usesCLISession ? "codex" : "own"), "place": .string(place),
            "expiresAt": session.expiresAt.map { .number($0.timeIntervalSince1970.rounded()) } ?? .null,
        ])
    }

    private static func name(_ account: ChatGPTAccount) -> String {
        let name = Printable.line(account.displayName)
        return name.isEmpty ? "account \(Printable.line(account.id))" : name
    }

    // MARK: Everybody else

    private static func setSession(_ session: AgentSettings.Session, _ environment: NodeEnvironment) throws {
        guard let setting = SettingTable.row("agents.session") else { return }
        let value: JSONValue? = session == .own ? nil : .string(session.rawValue)
        _ = try ConfigCommand.write(setting, to: value, SettingsFile(path: environment.settingsPath), environment.directories)
    }

    /// Has a running node use the new session, or none, from now on.
    ///
    /// - Parameter stopping: Whether turns that run are to end with the session they began with.
    private static func tellNode(_ environment: NodeEnvironment, stopping: Bool = false) throws {
        let client = ControlClient(path: environment.controlSocketPath)
        for request in [ControlRequest("reload"), ControlRequest("agents.session", ["stop": .bool(stopping)])] {
            guard let reply = try client.askIfRunning(request) else { return }
            if case .failure(let sentence) = reply { throw CommandFailure("The running node could not be told: \(sentence)") }
        }
    }
}
