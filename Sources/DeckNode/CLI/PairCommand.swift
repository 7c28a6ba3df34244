import CommandLineKit
import Discovery
import Files
import Glibc
import Pairing
import RelayProtocol

/// `decknode pair`: makes the pairing if there is none, and shows it.
enum PairCommand {
    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) throws {
        let pairing = environment.pairing
        let platform = invocation.option("present-as").map { $0 == "windows" ? Host.Platform.windows : .mac }
        let identity = try pairing.identity(systemName: environment.systemName, presentAs: platform)
        if let damage = identity.damage { Output.error("decknode: \(damage) This computer has a new identity now.") }
        let request = try self.request(invocation, rotate: invocation.flag("rotate"))
        let stored = try environment.stateDirectory.nearby()
        let wanted = try address(request.listen ?? stored.value?.listen ?? .automatic)
        let nearby = try pairing.enableNearby(request, host: identity.value.id, address: try? wanted.get().address)
        // The first look at a damaged or exposed file mends it, so that is where its state was seen.
        if let damage = stored.damage ?? nearby.damage { Output.error("decknode: \(damage) Screens that were paired have to be paired again.") }
        if stored.isExposed || nearby.exposed { Output.error("decknode: The pairing could be read by others until now; replace it with --rotate.") }
        let isRunning = try ListenerCommands.reload(environment)
        let address = try wanted.get()
        if isRunning { try ListenerCommands.warnOfFailure("nearby", environment) }
        let link = nearby.value.link(host: identity.value, address: address.address)
        if platform != nil { warnAboutPlatform(identity.value.platform) }
        try show(link, change: nearby.change, isRunning: isRunning, invocation, environment)
    }

    static func request(_ invocation: Invocation, rotate: Bool = false) throws -> NodePairing.NearbyRequest {
        var request = NodePairing.NearbyRequest(port: invocation.integer("port"), rotate: rotate)
        if let text = invocation.option("listen") {
            guard let choice = ListenChoice(text) else {
                throw invocation.refusal("--listen must be auto or a private IPv4 address, such as 192.168.1.20")
            }
            request.listen = choice
        }
        return request
    }

    static func address(_ choice: ListenChoice) throws -> Result<NearbyAddress, NearbyAddressProblem> {
        let network = try NetworkState.current()
        return switch choice {
        case .automatic: NearbyAddressChooser.choose(network)
        case .address(let address): NearbyAddressChooser.find(address, in: network)
        }
    }

    /// Older apps accept two words only, and each of them costs something.
    private static func warnAboutPlatform(_ platform: Host.Platform) {
        let cost =
            platform == .mac
            ? "as a Mac, a Stream Deck plugin that runs on a Mac itself cannot target this computer with its function keys"
            : "as Windows, the phone takes this computer's order of the six keys for all computers"
        Output.error("Older apps see this computer \(cost). Newer ones are told that it runs Linux.")
    }

    private static func show(
        _ link: PairingLink, change: NodePairing.Change, isRunning: Bool, _ invocation: Invocation, _ environment: NodeEnvironment
    ) throws {
        let code = try QRCode(encoding: link.text)
        if let path = invocation.option("svg") { try AtomicFile.write(code.svg(), to: path) }
        if let path = invocation.option("png") { try AtomicFile.write(try code.png(), to: path) }
        try environment.stateDirectory.storePairingPicture(code.svg())
        if invocation.flag("link") { return Output.print(link.text) }
        let picture = TerminalCode.draw(code, inverted: invocation.flag("invert"), environment)
        for line in lines(picture) { Output.print(line) }
        Output.print("")
        Output.print("\(link.name)  \(link.address):\(link.port)")
        Output.print("Certificate  \(fingerprint(link.fingerprint.hex))")
        Output.print("Picture      \(environment.stateDirectory.pairingPicturePath)")
        switch change {
        case .created: Output.print("Scan the code with the phone, or run `decknode pair --link | deckclient pair` for a computer.")
        case .rotated: Output.print("Certificate and token are new. Every screen that was paired before has to scan this code.")
        case .unchanged, .updated: Output.print("Scan the code with another screen; those already paired stay paired.")
        }
        if !isRunning { Output.print("No node is running yet; start it with `decknode serve`.") }
        // Last, as it is all that is sure to be seen then.
        if case .drawing(let drawing) = picture, let remark = TerminalCode.remark(on: drawing, below: isRunning ? 5 : 6, rows: TerminalCode.rows) {
            Output.print(remark)
        }
    }

    private static func lines(_ picture: QRTerminal.Result) -> [String] {
        switch picture {
        case .drawing(let drawing): return drawing.lines
        case .tooNarrow(let columns):
            return ["The code needs \(columns) columns. Widen the terminal, or write a picture with --svg FILE or --png FILE, or use --link."]
        }
    }

    /// In groups of four, to be compared by eye.
    private static func fingerprint(_ hex: String) -> String {
        stride(from: 0, to: hex.count, by: 4).map { start in
            String(hex.dropFirst(start).prefix(4))
        }.joined(separator: " ")
    }
}
