/// The words that let the service manager start a program beside this service instead of inside it.
///
/// What a service starts is part of it: it shares its restrictions, and ends with it. Programs of the user's own, such as a terminal, must
/// do neither.
public struct TransientUnit: Equatable, Sendable {
    /// How the manager learns that the program has started.
    public enum Kind: String, Sendable {
        /// It has begun to run.
        case exec
        /// It has put itself into the background, and its first process has ended well.
        case forking
    }

    /// The path of `systemd-run`.
    public let runner: String

    /// - Parameter runner: The path of `systemd-run`.
    public init(runner: String) { self.runner = runner }

    /// Whether this process is the service itself, and not something that a service, a desktop for instance, has started.
    public static func isService(variables: [String: String], processID: Int32) -> Bool { variables["SYSTEMD_EXEC_PID"] == "\(processID)" }

    /// The whole call.
    ///
    /// - Parameters:
    ///   - waits: Whether the call ends with the program, and with its exit code; else when the program has started.
    ///   - properties: Of the unit, for instance `KillMode=process`.
    ///   - directory: Where it starts; `nil` is the home folder.
    ///   - variables: Added to the manager's own environment.
    ///   - words: The program's path and its arguments, taken literally.
    public func call(
        _ kind: Kind, waits: Bool, properties: [String] = [], directory: String? = nil, variables: [String: String] = [:], words: [String]
    ) -> [String] {
        var result = [runner, "--user", "--quiet", "--collect", "--service-type=\(kind.rawValue)"]
        if waits { result.append("--wait") }
        result += properties.map { "--property=\($0)" }
        if let directory { result.append("--working-directory=\(directory)") }
        result += variables.sorted { $0.key < $1.key }.map { "--setenv=\($0.key)=\($0.value)" }
        // The manager replaces variables in the words it is given.
        return result + ["--"] + words.map { $0.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$") }
    }
}
