import EventLoop
import Files
import Glibc
import Log
import Pairing
import RelayProtocol
import ServiceManager

/// Everything the node takes from the process and the machine around it.
public struct NodeEnvironment: Sendable {
    public var variables: [String: String]
    public var directories: BaseDirectories
    public var settings: NodeSettings
    public var logger: Logger
    /// The machine's own name.
    public var systemName: String
    /// Who started the node as a service and wants to know how it does; `nil` for commands.
    public var manager: ServiceManager?
    /// The wall clock.
    public var now: @Sendable () -> UnixMilliseconds

    /// Takes the environment of this process.
    ///
    /// - Parameter needsSettings: Whether settings that cannot be used are an error; else the usual ones stand in for them.
    /// - Throws: ``FileError`` when there is no home directory, ``NodeSettingsError`` for settings that cannot be used.
    public init(variables: [String: String] = ProcessEnvironment.current(), logger: Logger, needsSettings: Bool = true) throws {
        self.variables = variables
        self.logger = logger
        directories = try BaseDirectories(environment: variables)
        do throws(NodeSettingsError) {
            settings = try NodeSettings.load(path: Self.settingsPath(directories))
        } catch {
            guard !needsSettings else { throw error }
            settings = NodeSettings()
        }
        systemName = Self.hostName()
        now = Self.wallClock
    }

    /// Where Codex keeps its sessions.
    public var codexHome: String {
        if let home = settings.codexHome { return home }
        if let home = variables["CODEX_HOME"], home.hasPrefix("/") { return home.count > 1 && home.hasSuffix("/") ? String(home.dropLast()) : home }
        return directories.home + "/.codex"
    }

    public var stateDirectory: NodeStateDirectory {
        let now = now
        return NodeStateDirectory(path: directories.stateHome) { .milliseconds(now().value) }
    }

    public var pairing: NodePairing {
        let now = now
        return NodePairing(directory: stateDirectory) { .milliseconds(now().value) }
    }

    public var settingsPath: String { Self.settingsPath(directories) }
    private static func settingsPath(_ directories: BaseDirectories) -> String { directories.configHome + "/node.json" }

    public var controlSocketPath: String { directories.runtimeDirectory + "/node.sock" }
    public var deckPath: String { directories.stateHome + "/deck.json" }

    /// The clock of this computer.
    public static let wallClock: @Sendable () -> UnixMilliseconds = { UnixMilliseconds(clamping: WallClock.milliseconds()) }

    private static func hostName() -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let code = buffer.withUnsafeMutableBytes { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return -1 }
            return gethostname(start.assumingMemoryBound(to: CChar.self), 255)
        }
        guard code == 0 else { return "computer" }
        return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// Words from outside, made fit for one line of an error message.
enum DisplaySafe {
    static func word(_ text: String) -> String { DisplayText.sanitized(text, maximumCharacters: 64) }
}
