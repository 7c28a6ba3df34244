/// The sentences nodes answer with, and how a connection is closed, where both sides must agree on the words.
public enum RelayError {
    /// Answers a command with a wrong, missing or unknown field.
    public static let invalidCommand = "Invalid relay command."
    /// Answers a press whose `threadKey` names another task than the one it would act on.
    public static let otherTask = "Another task was opened meanwhile."
    /// Answers an agent key whose task the node does not know.
    public static let unknownTask = "That task is no longer on this computer."
    /// Answers a press that needs an open task when there is none.
    public static let noOpenTask = "Open a task first."
    /// Answers an approval when none is pending.
    public static let nothingToApprove = "Nothing is waiting for approval."
    /// Answers a press whose prompt was answered in another place first.
    public static let answeredElsewhere = "Already answered elsewhere."
    /// Answers a press that would cut a running turn.
    public static let stillWorking = "This task is still working."
    /// Answers a press that needs a desktop on a computer without one.
    public static let noDesktopSession = "This computer has no desktop session."
    /// Stands in for the sentence when a host refused without one.
    public static let noReason = "The computer refused the command without giving a reason."

    /// UTF-16 units of a sentence on the wire.
    public static let maximumUTF16Units = 512
}

/// A WebSocket close that the protocol defines.
public struct RelayClose: Hashable, Sendable {
    public let code: UInt16
    public let reason: String

    /// No auth message within three seconds.
    public static let authenticationRequired = Self(code: 4001, reason: "authentication required")
    /// The first message was no valid auth, or the token is not the node's.
    public static let authenticationFailed = Self(code: 4003, reason: "authentication failed")
}
