/// When and how a thread's past is summarised for the model. The thread itself keeps everything.
public struct AgentContextCompaction: Hashable, Sendable {
    public enum Mode: String, Hashable, Sendable {
        /// Only by ``AgentRuntime/compactContext(of:)``.
        case manual
        /// Also before a turn whose past is longer than the threshold, and when the service says that it is too long.
        case automatic
    }

    public var mode: Mode
    /// Tokens of the past from which it is compacted, 1 or more.
    public var thresholdTokens: Int
    /// The latest turns that stay word for word, 0 or more.
    public var keptTurns: Int
    /// The model that summarises; `nil` for the thread's.
    public var model: String?
    /// What the model is asked for.
    public var prompt: String

    public init(
        mode: Mode = .automatic, thresholdTokens: Int = 160_000, keptTurns: Int = 2, model: String? = nil, prompt: String = Self.usualPrompt
    ) {
        self.mode = mode
        self.thresholdTokens = max(1, thresholdTokens)
        self.keptTurns = max(0, keptTurns)
        self.model = model
        self.prompt = prompt
    }

    public static let usualPrompt = """
        Summarise the conversation so far, so that it can go on without its text: what the user wants, what was decided and why, facts, names, \
        numbers and file paths that matter, what was tried with which outcome, what is open. Be complete and brief. Write nothing else.
        """
}
