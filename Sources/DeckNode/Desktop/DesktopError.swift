import RelayProtocol

/// Why nothing was opened or copied. The sentences go to screens: they name programs and packages, never paths or contents.
public enum DesktopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody is logged in graphically.
    case noSession
    case noOpenTask
    /// The task has no folder on this computer any more.
    case noFolder
    case noCodex
    case noConfiguration
    /// None of the programs that could do it is there; the package brings one.
    case missing(tool: String, package: String)
    case noTerminal
    /// `terminal.command` or `$TERMINAL` names a program that is not there.
    case unknownTerminal(String)
    /// It ended with this exit code.
    case failed(tool: String, code: Int32)
    /// It was ended by a signal, or could not be started at all.
    case broken(tool: String)
    case tookTooLong(tool: String)
    case tooMuchToCopy

    public var description: String {
        switch self {
        case .noSession: RelayError.noDesktopSession
        case .noOpenTask: RelayError.noOpenTask
        case .noFolder: "The folder of this task is not there any more."
        case .noCodex: "The Codex CLI was not found; `decknode doctor` tells where it was looked for."
        case .noConfiguration: "Codex has no configuration on this computer yet."
        case .missing(let tool, let package): "This needs \(tool); install the package \(package) on that computer."
        case .noTerminal: "No terminal was found; install one, such as the package xterm, or set terminal.command."
        case .unknownTerminal(let name): "The terminal \(name) was not found; correct it with `decknode config set terminal.command`."
        case .failed(let tool, let code): "\(tool) failed with exit code \(code)."
        case .broken(let tool): "\(tool) could not be run."
        case .tookTooLong(let tool): "\(tool) took too long and was ended."
        case .tooMuchToCopy: "This is too long for the clipboard."
        }
    }
}
