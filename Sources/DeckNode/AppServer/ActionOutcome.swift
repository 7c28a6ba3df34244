import CodexAppServer
import DeckAgents
import RelayProtocol

/// What became of an action that was asked of the daemon.
enum ActionOutcome: Sendable {
    case done
    /// It was done, and the owner may want to know something of it; screens are told that it was done.
    case told(String)
    /// A new task came of it.
    case opened(ThreadFacts)
    /// A new task of the node's own agents came of it.
    case openedAgent(AgentTask)
    /// It was not done; one sentence says why.
    case refused(String)

    init(_ error: AppServerError) { self = .refused("\(error)") }
}

extension Refusal {
    static let notConnected = "This computer has no Codex daemon to act through; start `codex` there once, or see `decknode doctor`."
    static let notLoaded = "This task is not open in Codex; open it on that computer with `codex resume` first."
    static let unconfirmed = "Codex did not confirm the answer in time; look at the task before pressing again."
    static let connectionLost = "The connection to Codex ended before it confirmed; look at the task before pressing again."
    static let underWay = "This key is still being carried out; wait for it to finish."
    static let notListed = "Codex offers no plain approval for this request; answer it in the terminal."
    static let unknownRequest = "Codex asks something this version of decknode does not know; answer it in the terminal."
    static let needsWords = "This question needs an answer in words; give it in the terminal."
    static let noQuestion = "No question is waiting."
    static let noFastMode = "The model of this task offers no fast mode."
    static let noEfforts = "Codex does not list reasoning efforts for the model of this task."
    static let effortUnlisted = "The reasoning effort of this task is none that its model lists; choose one in the terminal."
    static let noSettings = "Codex has not told how this task is set up; try again in a moment."
    static let noDraft = "There is no draft to send; write one with `decknode compose`."
    static let folderUnknown = "The folder of this task is not known."
    static let emptyConversation = "Codex tells no turns of this task, so there is nothing to copy."
    static let noPlayCommand = "No command is set for this key; set one with `decknode config set play.command \"…\"`."
    static let noRepository = "The folder of this task is no git repository."
    static let noBaseBranch = "The base branch of this repository is not known; set it with `decknode config set review.baseBranch NAME`."
    static let nothingToReset = "The limits have nothing to reset now; the credit was kept."
    static let alreadyRedeemed = "That credit was used before."
    static let resetUnknown = "Codex did not say whether the limits were reset; see `decknode status` before pressing again."
}
