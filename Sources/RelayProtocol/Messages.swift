/// What a client sends.
public enum ClientMessage: Hashable, Sendable {
    /// `fresh` is set when the client's own capability list asked for quiet connections.
    case auth(token: String, fresh: Bool)
    /// `requestID` 1 … 128 bytes.
    case command(requestID: String, Command)
}

/// What a node sends.
public enum NodeMessage: Hashable, Sendable {
    case ready(host: Host, capabilities: [String], bridge: String)
    case snapshot(host: Host, observedAt: UnixMilliseconds, Snapshot)
    case health(host: Host, state: String, reason: String, observedAt: UnixMilliseconds)
    /// `error` is one plain English sentence; `nil` means the command was carried out.
    case result(requestID: String, error: String?)
    /// Only to a client that asked for it: nothing changed since the last snapshot.
    case fresh(hostID: HostID, observedAt: UnixMilliseconds)
}

/// Numbers both sides of the wire agree on.
public enum RelayLimits {
    public static let version = 1
    /// Bytes of a reassembled message in either direction.
    public static let maximumMessageBytes = 65_536
    public static let maximumTokenBytes = 512
    public static let minimumTokenBytes = 32
    public static let maximumRequestIDBytes = 128
    /// Characters of a title our node sends.
    public static let maximumTitleCharacters = 120
    /// UTF-16 units of a title any peer still takes.
    public static let maximumTitleUTF16Units = 240
    public static let nearbyPort: UInt16 = 47653
    public static let remotePort: UInt16 = 47651
    public static let ports: ClosedRange<UInt16> = 1024...65535
}
