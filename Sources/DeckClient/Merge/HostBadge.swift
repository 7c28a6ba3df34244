import RelayProtocol

/// The kind of computer a task lives on, as one letter.
public enum HostBadge: String, Sendable, CaseIterable {
    case linux = "L"
    case mac = "M"
    case windows = "W"

    /// `os` tells the truth where a node sends it; `platform` is what a node must say to older peers.
    public init(_ host: Host) {
        switch host.os?.lowercased() {
        case "linux": self = .linux
        case "macos", "darwin", "mac": self = .mac
        case "windows", "win32": self = .windows
        default: self = host.platform == .mac ? .mac : .windows
        }
    }

    /// The name of the system in words.
    public var name: String {
        switch self {
        case .linux: "Linux"
        case .mac: "macOS"
        case .windows: "Windows"
        }
    }
}
