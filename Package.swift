// swift-tools-version: 6.1
import PackageDescription

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

        .target(name: "JSON"),
        .target(name: "Log"),
        .target(name: "Files", dependencies: ["CLinux"]),
        .target(name: "Secrets", dependencies: ["CSecret", "Files", "Log"]),
        .target(name: "CommandLineKit"),

        .target(name: "RelayProtocol", dependencies: ["JSON"]),
        .target(name: "WebSocket"),
        .target(name: "TLS", dependencies: ["COpenSSL"]),
        .target(name: "EventLoop", dependencies: ["CLinux"]),

        .target(name: "Relay", dependencies: ["RelayProtocol", "WebSocket", "TLS", "EventLoop", "Log", "JSON"]),
        .target(name: "Pairing", dependencies: ["RelayProtocol", "JSON", "TLS", "Files", "Log", "CQREncode", "CPNG"]),
        .target(name: "Discovery", dependencies: ["RelayProtocol", "EventLoop", "CAvahi", "CLinux", "Log"]),

        .target(name: "CodexRollouts", dependencies: ["RelayProtocol", "JSON", "CZstd", "CLinux", "EventLoop", "Log"]),

        .target(
            name: "DeckNode",
            dependencies: [
                "CodexRollouts", "Relay", "Pairing", "Discovery", "RelayProtocol", "JSON", "TLS", "EventLoop", "Files", "Log", "CommandLineKit",
            ]),
        .target(
            name: "DeckClient",
            dependencies: ["Relay", "Pairing", "Discovery", "RelayProtocol", "JSON", "TLS", "EventLoop", "Files", "Secrets", "Log"]),
        .target(name: "TerminalUI", dependencies: ["CCurses", "RelayProtocol", "DeckClient", "EventLoop"]),

        .executableTarget(name: "decknode", dependencies: ["DeckNode", "CommandLineKit"]),
        .executableTarget(
            name: "deckclient",
            dependencies: [
                "DeckClient", "TerminalUI", "Pairing", "Discovery", "Relay", "RelayProtocol", "EventLoop", "TLS", "Secrets", "Files", "Log", "JSON",
                "CommandLineKit",
            ]),

        // What the node is measured against, and the program that does it: `swift run -c release benchmarks`.
        .target(name: "CBenchmarkFloor", dependencies: ["COpenSSL"], path: "Benchmarks/CBenchmarkFloor"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CBenchmarkFloor", "COpenSSL", "DeckNode", "DeckClient", "CodexRollouts", "Relay", "RelayProtocol", "WebSocket", "TLS", "EventLoop",
                "Pairing", "Files", "Log", "JSON", "CommandLineKit",
            ],
            path: "Benchmarks/Sources"),

        // What the integration suite runs on each of two computers to watch discovery.
        .executableTarget(
            name: "DiscoveryProbe", dependencies: ["Discovery", "EventLoop", "Log", "RelayProtocol"], path: "Tests/Integration/DiscoveryProbe"),

        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .testTarget(name: "LogTests", dependencies: ["Log"]),
        .testTarget(name: "FilesTests", dependencies: ["Files"]),
        .testTarget(name: "SecretsTests", dependencies: ["Secrets", "Files", "Log"]),
        .testTarget(name: "CommandLineKitTests", dependencies: ["CommandLineKit"]),
        .testTarget(name: "RelayProtocolTests", dependencies: ["RelayProtocol", "JSON"]),
        .testTarget(name: "WebSocketTests", dependencies: ["WebSocket"]),
        .testTarget(name: "TLSTests", dependencies: ["TLS", "COpenSSL"]),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "CLinux"]),
        .testTarget(name: "RelayTests", dependencies: ["Relay", "RelayProtocol", "WebSocket", "TLS", "EventLoop", "Log", "JSON"]),
        .testTarget(name: "PairingTests", dependencies: ["Pairing", "RelayProtocol", "JSON", "TLS", "Files", "Log"]),
        .testTarget(name: "DiscoveryTests", dependencies: ["Discovery", "RelayProtocol", "EventLoop", "Log", "CAvahi", "CLinux"]),
        .testTarget(
            name: "CodexRolloutsTests", dependencies: ["CodexRollouts", "RelayProtocol", "JSON", "EventLoop", "Log", "CZstd", "CLinux"],
            exclude: ["Fixtures"]),
        .testTarget(name: "DeckNodeTests", dependencies: ["DeckNode", "RelayProtocol", "JSON", "Files", "CodexRollouts"]),
        .testTarget(name: "DeckClientTests", dependencies: ["DeckClient", "RelayProtocol", "JSON", "Files"]),
        .testTarget(name: "TerminalUITests", dependencies: ["TerminalUI", "DeckClient", "RelayProtocol"], exclude: ["Golden"]),
        .testTarget(name: "LayeringTests"),
    ],
    swiftLanguageModes: [.v6]
)
