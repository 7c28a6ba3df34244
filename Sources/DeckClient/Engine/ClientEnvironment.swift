import EventLoop
import Files
import Log
import Relay
import RelayProtocol
import ServiceManager

/// Everything the client takes from the process and the machine around it.
public struct ClientEnvironment: Sendable {
    public var variables: [String: String]
    public var directories: BaseDirectories
    public var logger: Logger
    /// Who started the background engine as a service and wants to know how it does; `nil` for commands.
    public var manager: ServiceManager?
    /// The wall clock.
    public var now: @Sendable () -> UnixMilliseconds
    /// Makes the connections to nodes.
    package var connection: @Sendable (RelayTarget, EventLoop) -> any NodeConnection = { RelayConnection($0, on: $1) }

    /// - Throws: ``FileError`` when there is no home directory.
    public init(variables: [String: String] = ProcessEnvironment.current(), logger: Logger) throws {
        self.variables = variables
        self.logger = logger
        directories = try BaseDirectories(environment: variables)
        now = { UnixMilliseconds(clamping: WallClock.milliseconds()) }
    }
}
