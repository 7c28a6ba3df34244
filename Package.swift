// swift-tools-version: 6.1
import PackageDescription

/// A program that shows how the SDK is used.
func example(_ name: String) -> Target {
    .executableTarget(name: "Example\(name)", dependencies: ["CodexKit", "CodexKitUI", "ExampleSupport"], path: "Examples/\(name)")
}

/// A C library of Debian's; the Swift driver of the same topic is the only one to import it.
func cLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

// Bottom to top: a target imports only what stands above it in this list. `LayeringTests` holds it to that.
let package = Package(
    name: "codex-deck",
    products: [
        .executable(name: "decknode", targets: ["decknode"]),
        .executable(name: "deckclient", targets: ["deckclient"]),
        .library(name: "CodexKit", targets: ["CodexKit", "CodexKitUI"]),
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        cLibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        // Not through pkg-config, whose -D_REENTRANT the package manager refuses with a warning; the module map names the libraries.
        .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev"])]),
        cLibrary("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
        cLibrary("CPNG", pkgConfig: "libpng", apt: "libpng-dev"),
        cLibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
        // Opened at the first secret, so that commands without one do not load GLib.
        .systemLibrary(name: "CSecret"),
        cLibrary("CCurses", pkgConfig: "ncursesw", apt: "libncurses-dev"),
        cLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        // Opened at the first request, for the same reason.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        .target(name: "JSON"),
        .target(name: "Log"),
        .target(name: "Files", dependencies: ["CLinux"]),
        .target(name: "Secrets", dependencies: ["CSecret", "Files", "Log"]),
        .target(name: "CommandLineKit"),
        .target(name: "SQLite", dependencies: ["CSQLite", "Files"]),

        .target(name: "RelayProtocol", dependencies: ["JSON"]),
        .target(name: "WebSocket"),
        .target(name: "TLS", dependencies: ["COpenSSL"]),
        .target(name: "EventLoop", dependencies: ["CLinux"]),
        .target(name: "HTTP", dependencies: ["CCurl", "EventLoop"]),
        .target(name: "ServiceManager", dependencies: ["EventLoop"]),
        .target(name: "ServerSentEvents"),

        .target(name: "Relay", dependencies: ["RelayProtocol", "WebSocket", "TLS", "EventLoop", "Log", "JSON"]),
        .target(name: "Pairing", dependencies: ["RelayProtocol", "JSON", "TLS", "Files", "Log", "CQREncode", "CPNG"]),
        .target(name: "Discovery", dependencies: ["RelayProtocol", "EventLoop", "CAvahi", "CLinux", "Log"]),
        .target(name: "Notifications", dependencies: ["EventLoop", "Log", "RelayProtocol"]),

        .target(name: "CodexRollouts", dependencies: ["RelayProtocol", "JSON", "CZstd", "CLinux", "EventLoop", "Log"]),

        // The SDK: it knows nothing of decks.
        .target(
            name: "CodexKit", dependencies: ["JSON", "Log", "Files", "Secrets", "EventLoop", "TLS", "HTTP", "ServerSentEvents", "SQLite"]),
        .target(name: "CodexKitUI", dependencies: ["CodexKit", "EventLoop"]),
        .target(name: "CodexAppServer", dependencies: ["RelayProtocol", "JSON", "WebSocket", "TLS", "EventLoop"]),

        // The node's own agents.
        .target(name: "DeckAgents", dependencies: ["CodexKit", "RelayProtocol", "JSON", "EventLoop", "Files", "Log"]),
        .target(
            name: "DeckNode",
            dependencies: [
                "DeckAgents", "CodexKit", "ServiceManager", "CodexRollouts", "CodexAppServer", "Relay", "Pairing", "Discovery", "Notifications", "RelayProtocol",
                "JSON", "TLS", "EventLoop", "Files", "Secrets", "Log", "CommandLineKit",
            ]),
        .target(
            name: "DeckClient",
            dependencies: [
                "Relay", "Pairing", "Discovery", "Notifications", "ServiceManager", "RelayProtocol", "JSON", "TLS", "EventLoop", "Files", "Secrets", "Log",
                "SQLite",
            ]),
        .target(name: "TerminalUI", dependencies: ["CCurses", "RelayProtocol", "DeckClient", "EventLoop"]),

        .executableTarget(name: "decknode", dependencies: ["DeckNode", "CommandLineKit"]),
        .executableTarget(
            name: "deckclient",
            dependencies: [
                "DeckClient", "TerminalUI", "ServiceManager", "Pairing", "Discovery", "Relay", "RelayProtocol", "EventLoop", "TLS", "Secrets", "Files", "Log", "JSON",
                "CommandLineKit",
            ]),

        // How the SDK is used.
        .target(name: "ExampleSupport", dependencies: ["CodexKit", "CodexKitUI"], path: "Examples/Support"),
        .executableTarget(name: "ExampleFirstAnswer", dependencies: ["CodexKit", "CodexKitUI"], path: "Examples/FirstAnswer"),
        example("Chat"), example("SkillProbe"), example("PersonaSwap"), example("ShippingDraft"), example("ImportedContent"),

        // What the node is measured against, and the program that does it: `swift run -c release benchmarks`.
        .target(name: "CBenchmarkFloor", dependencies: ["COpenSSL"], path: "Benchmarks/CBenchmarkFloor"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CBenchmarkFloor", "COpenSSL", "DeckNode", "DeckClient", "TerminalUI", "CodexRollouts", "CodexAppServer", "Relay", "RelayProtocol", "WebSocket", "TLS",
                "EventLoop",
                "Pairing", "Files", "Log", "JSON", "CommandLineKit",
            ],
            path: "Benchmarks/Sources"),

        // What the integration suite runs on each of two computers to watch discovery.
        .executableTarget(
            name: "DiscoveryProbe", dependencies: ["Discovery", "EventLoop", "Log", "RelayProtocol"], path: "Tests/Integration/DiscoveryProbe"),

        // The server that tests of the SDK talk to; as hostile as they wish.
        .target(name: "LocalServer", dependencies: ["EventLoop", "JSON"], path: "Tests/LocalServer"),

        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .testTarget(name: "LogTests", dependencies: ["Log"]),
        .testTarget(name: "FilesTests", dependencies: ["Files"]),
        .testTarget(name: "SecretsTests", dependencies: ["Secrets", "Files", "Log"]),
        .testTarget(name: "CommandLineKitTests", dependencies: ["CommandLineKit"]),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "CSQLite", "Files"]),
        .testTarget(name: "RelayProtocolTests", dependencies: ["RelayProtocol", "JSON"]),
        .testTarget(name: "WebSocketTests", dependencies: ["WebSocket"]),
        .testTarget(name: "TLSTests", dependencies: ["TLS", "COpenSSL"]),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "CLinux"]),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "LocalServer", "EventLoop", "JSON"]),
        .testTarget(name: "ServerSentEventsTests", dependencies: ["ServerSentEvents"]),
        .testTarget(name: "ServiceManagerTests", dependencies: ["ServiceManager", "EventLoop"]),
        .testTarget(name: "RelayTests", dependencies: ["Relay", "RelayProtocol", "WebSocket", "TLS", "EventLoop", "Log", "JSON"]),
        .testTarget(name: "PairingTests", dependencies: ["Pairing", "RelayProtocol", "JSON", "TLS", "Files", "Log"]),
        .testTarget(name: "DiscoveryTests", dependencies: ["Discovery", "RelayProtocol", "EventLoop", "Log", "CAvahi", "CLinux"]),
        .testTarget(
            name: "CodexKitTests",
            dependencies: [
                "CodexKit", "LocalServer", "JSON", "Log", "Files", "Secrets", "EventLoop", "TLS", "HTTP", "ServerSentEvents", "SQLite",
            ]),
        .testTarget(name: "CodexKitUITests", dependencies: ["CodexKitUI", "CodexKit", "EventLoop", "LocalServer"]),
        .testTarget(name: "CodexKitSamplesTests", dependencies: ["CodexKit", "CodexKitUI", "LocalServer", "JSON"]),
        .testTarget(name: "NotificationsTests", dependencies: ["Notifications", "EventLoop", "Log", "RelayProtocol"]),
        .testTarget(
            name: "CodexRolloutsTests", dependencies: ["CodexRollouts", "RelayProtocol", "JSON", "EventLoop", "Log", "CZstd", "CLinux"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "CodexAppServerTests", dependencies: ["CodexAppServer", "RelayProtocol", "JSON", "WebSocket", "TLS", "EventLoop"]),
        .testTarget(name: "DeckAgentsTests", dependencies: ["DeckAgents", "CodexKit", "RelayProtocol", "JSON", "EventLoop", "Files", "Log"]),
        .testTarget(
            name: "DeckNodeTests",
            dependencies: [
                "DeckNode", "DeckAgents", "CodexKit", "ServiceManager", "Pairing", "RelayProtocol", "JSON", "Files", "CodexRollouts", "CodexAppServer",
                "EventLoop", "Log", "WebSocket", "TLS", "CommandLineKit",
            ]),
        .testTarget(
            name: "DeckClientTests",
            dependencies: ["DeckClient", "Notifications", "SQLite", "Relay", "Pairing", "TLS", "RelayProtocol", "JSON", "Files", "EventLoop", "Log", "Secrets"]),
        .testTarget(name: "TerminalUITests", dependencies: ["TerminalUI", "DeckClient", "RelayProtocol"], exclude: ["Golden"]),
        .testTarget(name: "LayeringTests"),
    ],
    swiftLanguageModes: [.v6]
)
