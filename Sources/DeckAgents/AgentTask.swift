import CodexKit
import RelayProtocol

/// A thread of this node as the deck sees it.
public struct AgentTask: Hashable, Sendable {
    public enum Phase: Hashable, Sendable {
        /// No turn yet, or the latest one was stopped by its owner.
        case idle
        case working
        /// A call waits for a person; also after a restart of the node, when the turn goes on with the answer.
        case awaitingApproval
        /// The model asks a person something, with answers to choose from.
        case awaitingResponse
        /// The latest turn ended well; the revision counts the turns that have ended.
        case finished(revision: Int64)
        /// The latest turn failed, or was cut off by the end of the node.
        case failed(revision: Int64)
    }

    /// The beginning of the latest turn.
    public struct Start: Hashable, Sendable {
        public var at: UnixMilliseconds
        /// The number of the turn, from 1.
        public var revision: Int64
    }

    /// The thread's id, lower case.
    public var identity: TaskIdentity
    /// What the owner called it, else the first words of the first question; `nil` before that.
    public var title: String?
    public var phase: Phase
    public var activityAt: UnixMilliseconds
    public var start: Start?
    /// 0 … 100; `nil` while the model's window or the use of it is not known.
    public var contextUsedPercent: Int?
    /// Where its tools work: absolute and without links. Empty when that was lost, and then they refuse to.
    public var folder: String
    public var effort: ReasoningEffort
    /// `nil` for the node's usual one.
    public var model: String?
    /// Not on the deck any more; asking it something brings it back.
    public var isArchived: Bool
}

/// What happens to the tasks of an ``AgentHost``.
public enum AgentChange: Hashable, Sendable {
    case task(AgentTask)
    /// It was archived, or a thread was deleted.
    case gone(TaskIdentity)
}

/// Who answered a question.
public enum AgentAnswerer: String, Hashable, Sendable {
    /// In the terminal of `decknode ask`.
    case terminal
    /// With `decknode press`, at this computer.
    case deck
    /// On a screen of the relay: a phone, a Stream Deck, another computer.
    case screen
    /// The demo answered itself.
    case demo
}
