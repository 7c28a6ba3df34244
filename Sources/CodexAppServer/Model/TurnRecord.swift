import JSON
import RelayProtocol

/// A turn as the server describes it.
public struct TurnRecord: Hashable, Sendable {
    public enum Status: String, Hashable, Sendable { case inProgress, completed, interrupted, failed, unknown }

    public var id: String
    public var status: Status

    init?(_ value: JSONValue?) {
        guard let id = value?["id"]?.string else { return nil }
        self.id = id
        status = value?["status"]?.string.flatMap(Status.init(rawValue:)) ?? .unknown
    }
}

/// What became of a command, a change of files or the like within a turn. Its content is not read.
public struct ItemRecord: Hashable, Sendable {
    public enum Status: String, Hashable, Sendable { case inProgress, completed, failed, declined, unknown }

    public var id: String
    public var turnID: String?
    /// As `commandExecution`.
    public var type: String
    public var status: Status

    init?(_ params: JSONValue) {
        guard let item = params["item"], let id = item["id"]?.string else { return nil }
        self.id = id
        turnID = params["turnId"]?.string
        type = item["type"]?.string ?? ""
        status = item["status"]?.string.flatMap(Status.init(rawValue:)) ?? .unknown
    }
}
