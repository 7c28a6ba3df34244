import JSON
import RelayProtocol

/// A thread that was started, forked or taken up, with what holds for its next turn.
public struct OpenedThread: Equatable, Sendable {
    public var thread: ThreadRecord
    public var settings: ThreadSettings?

    init?(_ value: JSONValue) {
        guard let thread = ThreadRecord(value["thread"]) else { return nil }
        self.thread = thread
        settings = ThreadSettings(answer: value)
    }
}

/// What a review looks at.
public enum ReviewTarget: Hashable, Sendable {
    case uncommittedChanges
    case baseBranch(String)
    case custom(instructions: String)

    var json: JSONValue {
        switch self {
        case .uncommittedChanges: ["type": "uncommittedChanges"]
        case .baseBranch(let branch): ["type": "baseBranch", "branch": .string(branch)]
        case .custom(let instructions): ["type": "custom", "instructions": .string(instructions)]
        }
    }
}

/// How a command ended in the server's sandbox.
public struct CommandResult: Hashable, Sendable {
    public var exitCode: Int64

    init?(_ value: JSONValue) {
        guard let code = value["exitCode"]?.int else { return nil }
        exitCode = code
    }
}

// MARK: Reading

extension AppServerCall where Answer == ThreadPage {
    /// A page of threads, the most recently active first. Ordered by `recency_at`, the one order whose pages lose no thread.
    public static func threadList(cursor: String? = nil) -> Self {
        AppServerCall(
            "thread/list",
            [
                "sortKey": "recency_at", "limit": 100, "sourceKinds": ["cli", "vscode", "exec", "appServer"],
                "cursor": cursor.map { .string($0) } ?? .null,
            ]
        ) { ThreadPage($0) }
    }
}

extension AppServerCall where Answer == [TaskIdentity] {
    /// The threads the server holds.
    public static func loadedThreads() -> Self {
        AppServerCall("thread/loaded/list") { value in
            value["data"]?.array.map { $0.compactMap { TaskIdentity(appServer: $0) } }
        }
    }
}

/// A thread with its read mark.
public struct ThreadReading: Equatable, Sendable {
    public var thread: ThreadRecord
    public var readState: ReadState?
    /// The whole answer, for those who want the turns in it.
    public var json: JSONValue

    init?(_ value: JSONValue) {
        guard let thread = ThreadRecord(value["thread"]) else { return nil }
        self.thread = thread
        readState = ReadState(value["readState"])
        json = value
    }
}

extension AppServerCall where Answer == ThreadReading {
    public static func readThread(_ id: TaskIdentity, withTurns: Bool = false) -> Self {
        AppServerCall("thread/read", ["threadId": .string(id.uuid), "includeTurns": .bool(withTurns)]) { ThreadReading($0) }
    }
}

extension AppServerCall where Answer == TurnRecord? {
    /// The latest turn; `nil` for a thread without one. Refused while a thread waits for its first message.
    public static func latestTurn(_ id: TaskIdentity) -> Self {
        AppServerCall("thread/turns/list", ["threadId": .string(id.uuid), "limit": 1]) { value in
            value["data"]?.array.map { TurnRecord($0.first) }
        }
    }
}

extension AppServerCall where Answer == [ModelRecord] {
    public static func models() -> Self {
        AppServerCall("model/list", ["limit": 100]) { value in value["data"]?.array.map { $0.compactMap { ModelRecord($0) } } }
    }
}

extension AppServerCall where Answer == AccountLimits {
    /// The account's limits; refused without a signed-in account.
    public static func rateLimits() -> Self { AppServerCall("account/rateLimits/read") { AccountLimits($0) } }
}

// MARK: Threads

extension AppServerCall where Answer == OpenedThread {
    /// Subscribes to a thread. Only for one that the server holds: any other would be loaded, and its process elsewhere would not be the only
    /// writer of its file any more. Refused while a thread waits for its first message, although the server holds it.
    public static func resume(loaded id: TaskIdentity) -> Self {
        AppServerCall("thread/resume", ["threadId": .string(id.uuid), "excludeTurns": true]) { OpenedThread($0) }
    }

    /// - Parameter isEphemeral: A side chat, kept nowhere.
    public static func fork(_ id: TaskIdentity, isEphemeral: Bool) -> Self {
        AppServerCall("thread/fork", ["threadId": .string(id.uuid), "excludeTurns": true, "ephemeral": .bool(isEphemeral)]) { OpenedThread($0) }
    }

    /// - Parameter folder: An absolute path.
    public static func startThread(in folder: String) -> Self {
        AppServerCall("thread/start", ["cwd": .string(folder)]) { OpenedThread($0) }
    }
}

extension AppServerCall where Answer == Void {
    public static func archive(_ id: TaskIdentity) -> Self { AppServerCall("thread/archive", ["threadId": .string(id.uuid)]) }

    public static func setEffort(_ effort: String, of id: TaskIdentity) -> Self {
        AppServerCall("thread/settings/update", ["threadId": .string(id.uuid), "effort": .string(effort)])
    }

    public static func setFast(_ isFast: Bool, of id: TaskIdentity) -> Self {
        let tier: JSONValue = isFast ? .string(ThreadSettings.fastTier) : "default"
        return AppServerCall("thread/settings/update", ["threadId": .string(id.uuid), "serviceTier": tier])
    }

    /// Model and effort are sent along, because a mode without them clears the effort.
    public static func setMode(_ mode: ThreadSettings.Mode, of id: TaskIdentity, keeping settings: ThreadSettings) -> Self {
        let inner: JSONValue = ["model": .string(settings.model), "reasoning_effort": settings.effort.map { .string($0) } ?? .null]
        let value: JSONValue = ["mode": .string(mode.rawValue), "settings": inner]
        return AppServerCall("thread/settings/update", ["threadId": .string(id.uuid), "collaborationMode": value])
    }
}

extension AppServerCall where Answer == ReadState {
    /// - Parameter revision: Of the read state the mark is changed from.
    public static func markRead(_ id: TaskIdentity, revision: String) -> Self {
        AppServerCall(
            "thread/readState/update",
            ["threadId": .string(id.uuid), "expectedRevision": .string(revision), "operation": ["type": "read"]]
        ) { ReadState($0["readState"]) }
    }
}

// MARK: Turns

extension AppServerCall where Answer == String {
    /// Starts a turn; answers with its id.
    public static func startTurn(_ id: TaskIdentity, text: String) -> Self {
        AppServerCall("turn/start", ["threadId": .string(id.uuid), "input": [["type": "text", "text": .string(text)]]]) { $0["turn"]?["id"]?.string }
    }

    /// Adds to the running turn; answers with its id.
    public static func steerTurn(_ id: TaskIdentity, turnID: String, text: String) -> Self {
        AppServerCall(
            "turn/steer",
            ["threadId": .string(id.uuid), "expectedTurnId": .string(turnID), "input": [["type": "text", "text": .string(text)]]]
        ) { $0["turnId"]?.string }
    }

    /// Starts a review in the thread itself; answers with the id of its turn. On an idle thread only: a running turn would be cut.
    public static func startReview(_ id: TaskIdentity, _ target: ReviewTarget) -> Self {
        AppServerCall("review/start", ["threadId": .string(id.uuid), "target": target.json]) { $0["turn"]?["id"]?.string }
    }
}

// MARK: Commands and account

extension AppServerCall where Answer == CommandResult {
    /// Runs a command of the owner's in the server's sandbox.
    ///
    /// - Parameters:
    ///   - policy: What it may touch; the server's own default without one.
    ///   - timeout: After which the server ends it, 1 ms … 1 day.
    public static func run(_ command: [String], in folder: String, policy: JSONValue?, timeout: Duration) -> Self {
        let limit = min(max(timeout, .milliseconds(1)), .seconds(86_400))
        let (seconds, attoseconds) = limit.components
        var params: [String: JSONValue] = [
            "command": .array(command.map { .string($0) }), "cwd": .string(folder),
            "timeoutMs": .number(Double(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)),
        ]
        if let policy { params["sandboxPolicy"] = policy }
        return AppServerCall("command/exec", params, timeout: limit + .seconds(5)) { CommandResult($0) }
    }
}

extension AppServerCall where Answer == ResetOutcome {
    /// Uses a credit that resets the account's limits.
    ///
    /// - Parameter key: The same key never uses a second credit.
    public static func useResetCredit(key: String) -> Self {
        AppServerCall("account/rateLimitResetCredit/consume", ["idempotencyKey": .string(key)]) { value in
            value["outcome"]?.string.map { ResetOutcome(rawValue: $0) ?? .unknown }
        }
    }
}
