import CommandLineKit
import JSON
import Pairing
import RelayProtocol

/// `decknode nearby` and `decknode relay`.
enum ListenerCommands {
    static func nearby(_ invocation: Invocation, _ environment: NodeEnvironment) throws {
        if invocation.command == "nearby disable" { return try disableNearby(invocation, environment) }
        guard !(invocation.flag("discovery") && invocation.flag("no-discovery")) else {
            throw invocation.refusal("--discovery and --no-discovery exclude each other")
        }
        var request = try PairCommand.request(invocation)
        if invocation.flag("discovery") { request.discovery = true }
        if invocation.flag("no-discovery") { request.discovery = false }
        let identity = try environment.pairing.identity(systemName: environment.systemName)
        let stored = try environment.stateDirectory.nearby()
        let wanted = try PairCommand.address(request.listen ?? stored.value?.listen ?? .automatic)
        let outcome = try environment.pairing.enableNearby(request, host: identity.value.id, address: try? wanted.get().address)
        if let damage = stored.damage ?? outcome.damage { Output.error("decknode: \(damage) Screens that were paired have to be paired again.") }
        if stored.isExposed || outcome.exposed { Output.error("decknode: The pairing could be read by others until now; replace it with `decknode pair --rotate`.") }
        let isRunning = try reload(environment)
        let address = try wanted.get()
        if isRunning { try warnOfFailure("nearby", environment) }
        Output.print("Nearby is on at \(address.address):\(outcome.value.port). Show its code with `decknode pair`.")
    }

    private static func disableNearby(_ invocation: Invocation, _ environment: NodeEnvironment) throws {
        guard try confirm("Delete the token and certificate of Nearby? Every screen has to be paired again.", invocation) else { return }
        let existed = try environment.pairing.disableNearby()
        try reload(environment)
        Output.print(existed ? "Nearby is off; its token and certificate are deleted." : "Nearby was off already.")
    }

    static func relay(_ invocation: Invocation, _ environment: NodeEnvironment) throws {
        if invocation.command == "relay disable" {
            guard try confirm("Delete the token of the remote listener? Every client of it has to be set up again.", invocation) else { return }
            let existed = try environment.pairing.disableRelayServer()
            try reload(environment)
            return Output.print(existed ? "The remote listener is off; its token is deleted." : "The remote listener was off already.")
        }
        _ = try environment.pairing.identity(systemName: environment.systemName)
        let outcome = try environment.pairing.enableRelayServer(listenHost: invocation.argument("ADDRESS"), port: invocation.integerArgument("PORT"))
        if let damage = outcome.damage { Output.error("decknode: \(damage)") }
        if try reload(environment) { try warnOfFailure("remote", environment) }
        let configuration = outcome.value
        let token = configuration.token.secret.reveal()
        let place = configuration.listenHost.contains(":") ? "[\(configuration.listenHost)]:\(configuration.port)" : "\(configuration.listenHost):\(configuration.port)"
        if invocation.flag("json") {
            return Output.json(.object(["url": .string("ws://\(place)"), "token": .string(token), "port": .number(Double(configuration.port))]))
        }
        Output.print("Remote listener  ws://\(place)")
        Output.print("Token            \(token)")
        Output.print("The token is shown this once; `decknode relay enable` makes a new one.")
        if configuration.listenHost == "127.0.0.1" || configuration.listenHost == "::1" {
            Output.print("For Tailscale:   tailscale serve --bg --https=\(configuration.port) http://127.0.0.1:\(configuration.port)")
            Output.print("For SSH:         ssh -N -L \(configuration.port):127.0.0.1:\(configuration.port) \(environment.systemName)")
        }
        Output.print("On the client:   deckclient add NAME URL   (it asks for the token)")
    }

    /// Has a running node follow the files.
    ///
    /// - Returns: Whether one is running.
    @discardableResult
    static func reload(_ environment: NodeEnvironment) throws -> Bool {
        try ControlClient(path: environment.controlSocketPath).askIfRunning(ControlRequest("reload")) != nil
    }

    /// Says on standard error that the running node cannot listen, for what is printed is of no use until it does.
    ///
    /// - Parameter way: `nearby` or `remote`.
    static func warnOfFailure(_ way: String, _ environment: NodeEnvironment) throws {
        let reply = try ControlClient(path: environment.controlSocketPath).askIfRunning(ControlRequest("status"))
        guard case .success(let status)? = reply, status[way]?["state"]?.string == "failing" else { return }
        Output.error("decknode: The node cannot be reached this way yet: \(Printable.line(status[way]?["reason"]?.string ?? "?"))")
    }

    private static func confirm(_ question: String, _ invocation: Invocation) throws -> Bool {
        if invocation.flag("yes") { return true }
        if try Prompt.confirm(question) { return true }
        Output.error("Nothing was changed.")
        return false
    }
}
