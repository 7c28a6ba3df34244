import EventLoop
import Files
import Log
import RelayProtocol

/// Everything the client takes from the process and the machine around it.
public struct ClientEnvironment: Sendable {
    public var variables: [String: String]
    public var directories: BaseDirectories
    public var logger: Logger
    /// The wall clock.
    public var now: @Sendable () -> UnixMilliseconds

    /// - Throws: ``FileError`` when there is no home directory.
    public init(variables: [String: String] = ProcessEnvironment.current(), logger: Logger) throws {
        self.variables = variables
        self.logger = logger
        directories = try BaseDirectories(environment: variables)
        now = { UnixMilliseconds(clamping: WallClock.milliseconds()) }
    }
}
