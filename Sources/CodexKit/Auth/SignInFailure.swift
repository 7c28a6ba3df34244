/// The failures of signing in that are not a server's.
enum SignInFailure {
    static let timedOut = AgentRuntimeError(
        code: .signInTimedOut, message: "Nobody completed the sign-in in time; start it again when you are ready.")
    static let cancelled = AgentRuntimeError(code: .signInCancelled, message: "The sign-in was cancelled.")

    /// Any error of a sign-in as one of ours: giving up is a cancelled sign-in.
    static func from(_ error: any Error) -> AgentRuntimeError {
        if error is CancellationError { return cancelled }
        guard let error = error as? AgentRuntimeError else {
            return AgentRuntimeError(code: .signInRefused, message: "The sign-in failed; try again.")
        }
        return error.code == .cancelled ? cancelled : error
    }
}
