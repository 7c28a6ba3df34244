extension AgentRuntimeError.Code {
    // MARK: Threads and turns

    /// No thread has this id.
    public static let threadNotFound = Self(rawValue: "thread_not_found")
    /// The thread is answering already; one turn at a time.
    public static let turnInProgress = Self(rawValue: "turn_in_progress")
    /// The turn ended before its answer: it was cancelled, the computer went to sleep, or the program ended.
    public static let turnInterrupted = Self(rawValue: "turn_interrupted")
    /// The request has neither text nor image.
    public static let emptyRequest = Self(rawValue: "empty_request")
    /// There is no interrupted turn to go on with.
    public static let nothingToResume = Self(rawValue: "nothing_to_resume")
    /// The model called tools for longer than the runtime allows.
    public static let tooManyToolRounds = Self(rawValue: "too_many_tool_rounds")

    // MARK: Tools, skills and personas

    /// Two tools have one name, or a name that the service does not take.
    public static let toolInvalid = Self(rawValue: "tool_invalid")
    /// No tool has this name.
    public static let toolNotFound = Self(rawValue: "tool_not_found")
    /// No approval of this id is waiting.
    public static let approvalNotFound = Self(rawValue: "approval_not_found")
    /// A skill's rules contradict themselves, or its id is taken.
    public static let skillInvalid = Self(rawValue: "skill_invalid")
    /// No skill has this id.
    public static let skillNotFound = Self(rawValue: "skill_not_found")
    /// The model did not call a tool that a skill requires, although it was told to.
    public static let skillPolicyViolated = Self(rawValue: "skill_policy_violated")
    /// A persona or skill cannot be loaded.
    public static let definitionUnavailable = Self(rawValue: "definition_unavailable")
    /// What was loaded is no persona or skill.
    public static let definitionInvalid = Self(rawValue: "definition_invalid")

    // MARK: Answers and state

    /// The answer does not fit the form that was asked for.
    public static let structuredOutputInvalid = Self(rawValue: "structured_output_invalid")
    /// The answer came without the typed value that was asked for.
    public static let structuredOutputMissing = Self(rawValue: "structured_output_missing")
    /// The state could not be read or written.
    public static let stateStoreFailed = Self(rawValue: "state_store_failed")
    /// Another process uses the state.
    public static let stateStoreInUse = Self(rawValue: "state_store_in_use")
    /// The memory could not be read or written, or a record is not acceptable.
    public static let memoryFailed = Self(rawValue: "memory_failed")
    /// There is nothing to compact, or the summary could not be made.
    public static let compactionFailed = Self(rawValue: "compaction_failed")
}

extension AgentRuntimeError {
    static func threadNotFound(_ id: String) -> Self {
        Self(code: .threadNotFound, message: "There is no thread \(id.prefix(64)); it may have been deleted.")
    }

    static func skillNotFound(_ id: String) -> Self {
        Self(code: .skillNotFound, message: "There is no skill \(id.prefix(64)); register it first.")
    }

    static let cancelledTurn = Self(code: .turnInterrupted, message: "The turn was interrupted before its answer was complete.")

    /// Any error as one of ours; foreign ones keep to themselves, as their texts may hold what nobody checked.
    static func wrapping(_ error: any Error, as code: Code, _ message: String) -> Self {
        if let error = error as? AgentRuntimeError { return error }
        if error is CancellationError { return cancelledTurn }
        return Self(code: code, message: message)
    }
}
