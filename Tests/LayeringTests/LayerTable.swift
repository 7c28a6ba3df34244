/// One target and everything of this package that it may import.
struct Layer {
    let name: String
    let imports: Set<String>
    /// Values and functions only: no C module, no system library, so that no input or output can hide in it.
    let isPure: Bool

    init(_ name: String, _ imports: Set<String> = [], isPure: Bool = false) {
        self.name = name
        self.imports = imports
        self.isPure = isPure
    }
}

/// The layers, bottom to top: a row may name only rows before it.
enum LayerTable {
    static let rows: [Layer] = [
        // C libraries
        Layer("CLinux"), Layer("COpenSSL"), Layer("CAvahi"), Layer("CQREncode"), Layer("CPNG"), Layer("CZstd"), Layer("CSecret"), Layer("CCurses"),
        Layer("CSQLite"), Layer("CCurl"),
        // Foundations
        Layer("JSON", isPure: true),
        Layer("Log"),
        Layer("Files", ["CLinux"]),
        Layer("Secrets", ["CSecret", "Files", "Log"]),
        Layer("CommandLineKit"),
        Layer("SQLite", ["CSQLite", "Files"]),
        // What is said and how it travels
        Layer("RelayProtocol", ["JSON"], isPure: true),
        Layer("WebSocket", isPure: true),
        Layer("TLS", ["COpenSSL"]),
        Layer("EventLoop", ["CLinux"]),
        Layer("HTTP", ["CCurl", "EventLoop"]),
        Layer("ServerSentEvents", isPure: true),
        Layer("ServiceManager", ["EventLoop"]),
        // Meeting and talking
        Layer("Relay", ["RelayProtocol", "WebSocket", "TLS", "EventLoop", "Log", "JSON"]),
        Layer("Pairing", ["RelayProtocol", "JSON", "TLS", "Files", "Log", "CQREncode", "CPNG"]),
        Layer("Discovery", ["RelayProtocol", "EventLoop", "CAvahi", "CLinux", "Log"]),
        Layer("Notifications", ["EventLoop", "Log", "RelayProtocol"]),
        // The SDK
        Layer("CodexKit", ["JSON", "Log", "Files", "Secrets", "EventLoop", "TLS", "HTTP", "ServerSentEvents", "SQLite"]),
        Layer("CodexKitUI", ["CodexKit", "EventLoop"]),
        // Codex
        Layer("CodexRollouts", ["RelayProtocol", "JSON", "CZstd", "CLinux", "EventLoop", "Log"]),
        Layer("CodexAppServer", ["RelayProtocol", "JSON", "WebSocket", "TLS", "EventLoop"]),
        // The two products
        Layer("DeckAgents", ["CodexKit", "RelayProtocol", "JSON", "EventLoop", "Files", "Log"]),
        Layer(
            "DeckNode",
            [
                "DeckAgents", "CodexKit", "ServiceManager", "CodexRollouts", "CodexAppServer", "Relay", "Pairing", "Discovery", "Notifications",
                "RelayProtocol", "JSON", "TLS", "EventLoop", "Files", "Secrets", "Log", "CommandLineKit",
            ]),
        Layer(
            "DeckClient",
            [
                "Relay", "Pairing", "Discovery", "Notifications", "ServiceManager", "RelayProtocol", "JSON", "TLS", "EventLoop", "Files", "Secrets",
                "Log", "SQLite",
            ]),
        Layer("TerminalUI", ["CCurses", "RelayProtocol", "DeckClient", "EventLoop"]),
        // Commands
        Layer("decknode", ["DeckNode", "CommandLineKit"]),
        Layer(
            "deckclient",
            [
                "DeckClient", "TerminalUI", "ServiceManager", "CommandLineKit", "Relay", "Pairing", "Discovery", "RelayProtocol", "JSON", "TLS", "EventLoop", "Files",
                "Secrets", "Log",
            ]),
    ]

    /// What any target that is not pure may import besides. `Foundation` is not among them: loading it doubles the start-up time of a command.
    static let systemModules: Set<String> = ["Glibc", "FoundationEssentials", "Observation", "Synchronization"]

    static let longestFile = 400
}
