/// What a service manager says to a process in its environment, read and checked.
public struct ServiceEnvironment: Equatable, Sendable {
    /// The variables that are meant for this very process. Children must not see them: they would speak in its name.
    public static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES",
    ]

    /// A descriptor that was open before this process began.
    public struct Inherited: Equatable, Sendable {
        /// The name that the unit gave it, or `unknown`.
        public let name: String
        public let descriptor: Int32
    }

    /// Where states are told; `nil` when nobody wants to know.
    public private(set) var notify: NotifyAddress?
    /// How long this process may be silent before it counts as stuck; `nil` when it is not watched.
    public private(set) var watchdog: Duration?
    /// Sockets that were opened for this process, at most ``maximumDescriptors``.
    public private(set) var inherited: [Inherited] = []

    /// More than any unit of ours hands over.
    public static let maximumDescriptors = 16
    private static let firstDescriptor: Int32 = 3

    /// - Parameters:
    ///   - variables: The environment. What makes no sense in it counts as absent.
    ///   - processID: This process; what is meant for another one is left alone.
    public init(variables: [String: String], processID: Int32) {
        notify = variables["NOTIFY_SOCKET"].flatMap(NotifyAddress.init)
        watchdog = Self.watchdog(variables, processID)
        inherited = Self.inherited(variables, processID)
    }

    private static func watchdog(_ variables: [String: String], _ processID: Int32) -> Duration? {
        guard let microseconds = variables["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else { return nil }
        if let owner = variables["WATCHDOG_PID"], Int32(owner) != processID { return nil }
        // A century is for ever, and can be added to a clock.
        return .microseconds(min(microseconds, 3_155_760_000_000_000))
    }

    private static func inherited(_ variables: [String: String], _ processID: Int32) -> [Inherited] {
        guard variables["LISTEN_PID"].flatMap({ Int32($0) }) == processID, let count = variables["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...Int32(maximumDescriptors)).contains(count)
        else { return [] }
        let names = (variables["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { number in
            let name = names.indices.contains(Int(number)) && !names[Int(number)].isEmpty ? String(names[Int(number)]) : "unknown"
            return Inherited(name: name, descriptor: firstDescriptor + number)
        }
    }
}
