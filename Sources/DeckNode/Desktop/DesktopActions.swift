import EventLoop
import Files
import Glibc
import RelayProtocol

/// Opens things on the desktop of this computer and fills its clipboard. Cheap to make: take one for each press, with the settings of now.
public struct DesktopActions: Sendable {
    /// The most bytes that go to the clipboard.
    public static let maximumClipboardBytes = 4 << 20
    private static let clipboardTimeout = Duration.seconds(5)
    private static let probeTimeout = Duration.seconds(3)

    let variables: [String: String]
    let home: String
    let codexHome: String
    let settings: NodeSettings
    let loop: EventLoop
    /// How long a program must run to count as started.
    var grace = DesktopLauncher.usualGrace

    /// - Parameters:
    ///   - variables: The node's environment.
    ///   - home: The home folder.
    ///   - codexHome: Where Codex keeps its sessions and its configuration.
    ///   - loop: The loop that waits for the programs; the node's own will do, for nothing here blocks it.
    public init(variables: [String: String], home: String, codexHome: String, settings: NodeSettings, loop: EventLoop) {
        self.variables = variables
        self.home = home
        self.codexHome = codexHome
        self.settings = settings
        self.loop = loop
    }

    /// Whether somebody is logged in graphically. Asks the user's service manager when our own variables do not say so: at most 2 s.
    public func hasSession() async -> Bool { await DesktopSession.find(variables: variables, on: loop) != nil }

    /// Opens what a key stands for.
    ///
    /// Returns once the program has run for a second or has handed the work on; at most 8 s.
    /// - Parameters:
    ///   - task: The open task, for ``DesktopTarget/task``.
    ///   - folder: The folder the open task works in. Without one the folder for new tasks is taken, else the home folder.
    public func open(_ target: DesktopTarget, task: TaskIdentity? = nil, folder: String? = nil) async throws(DesktopError) {
        let launcher = try await self.launcher()
        switch target.opening {
        case .page(let address)?: try await openWithDesktop(address, launcher)
        case .folder?: try await openWithDesktop(try existing(folder), launcher)
        case .configuration?: try await openWithDesktop(try configuration(), launcher)
        case .terminal(let arguments)?: try await openTerminal(arguments, in: folder, launcher)
        case .terminalOnTask?:
            guard let task else { throw .noOpenTask }
            try await openTerminal(["resume", task.uuid], in: folder, launcher)
        case nil: return
        }
    }

    /// Puts a text into the clipboard.
    public func copy(_ text: String) async throws(DesktopError) {
        guard text.utf8.count <= Self.maximumClipboardBytes else { throw .tooMuchToCopy }
        let launcher = try await self.launcher()
        let search = ExecutableSearch(path: launcher.session.variables["PATH"])
        let tools = Self.clipboardTools(launcher.session)
        for words in tools.candidates {
            guard let path = search.find(words[0]) else { continue }
            return try await launcher.feed([path] + words.dropFirst(), text, timeout: Self.clipboardTimeout)
        }
        throw tools.missing
    }

    private func launcher() async throws(DesktopError) -> DesktopLauncher {
        guard let session = await DesktopSession.find(variables: variables, on: loop) else { throw .noSession }
        return DesktopLauncher(session: session, variables: variables, grace: grace, loop: loop)
    }

    // MARK: Clipboard

    /// The programs that fill the clipboard, the best first. On Wayland those of X11 reach the clipboard too, where X11 programs run at all.
    private static func clipboardTools(_ session: DesktopSession) -> (candidates: [[String]], missing: DesktopError) {
        let x11 = [["xclip", "-selection", "clipboard"], ["xsel", "-ib"]]
        switch session.display {
        case .x11: return (x11, .missing(tool: "xclip", package: "xclip"))
        case .wayland:
            let hasX11 = session.variables["DISPLAY"]?.isEmpty == false
            return ([["wl-copy"]] + (hasX11 ? x11 : []), .missing(tool: "wl-copy", package: "wl-clipboard"))
        }
    }

    // MARK: Pages and files

    private func openWithDesktop(_ what: String, _ launcher: DesktopLauncher) async throws(DesktopError) {
        guard let path = ExecutableSearch(path: launcher.session.variables["PATH"]).find("xdg-open") else {
            throw .missing(tool: "xdg-open", package: "xdg-utils")
        }
        try await launcher.start([path, what], directory: home)
    }

    private func configuration() throws(DesktopError) -> String {
        let file = codexHome + "/config.toml"
        if access(file, R_OK) == 0 { return file }
        guard access(codexHome, R_OK | X_OK) == 0 else { throw .noConfiguration }
        return codexHome
    }

    /// The folder to open or to start in. One that the task had and that is gone is said so; another one would mislead.
    private func existing(_ folder: String?) throws(DesktopError) -> String {
        let path = folder ?? settings.newTaskFolder ?? home
        guard path.hasPrefix("/"), access(path, X_OK) == 0 else { throw .noFolder }
        return path
    }

    // MARK: Terminal

    private func openTerminal(_ arguments: [String], in folder: String?, _ launcher: DesktopLauncher) async throws(DesktopError) {
        let codex: CodexLocator.Found
        switch CodexLocator(setting: settings.codexPath, home: home, variables: variables).locate() {
        case .success(let found): codex = found
        case .failure: throw .noCodex
        }
        let terminal = try DesktopTerminal.choose(setting: settings.terminalCommand, variables: launcher.session.variables)
        // A new session belongs in this folder and no other; whatever else is opened finds its own.
        let directory = arguments.isEmpty ? try existing(folder) : (try? existing(folder)) ?? home
        let command = arguments == ["agents"] ? await agentsCommand(codex) : arguments
        try await launcher.start(terminal.words + setup(codex) + [codex.path] + command, directory: directory)
    }

    /// Words before the CLI that give it the variables it needs: many terminals are one process that was started with others.
    private func setup(_ codex: CodexLocator.Found) -> [String] {
        var changes: [String] = []
        if codex.searchPath != variables["PATH"] { changes.append("PATH=\(codex.searchPath)") }
        if codexHome != home + "/.codex" { changes.append("CODEX_HOME=\(codexHome)") }
        return changes.isEmpty ? [] : ["env"] + changes
    }

    /// `agents` where the CLI has it; older ones would take the word for a prompt, and get their list of sessions instead.
    private func agentsCommand(_ codex: CodexLocator.Found) async -> [String] {
        var environment = variables
        environment["PATH"] = codex.searchPath
        let result = try? await ChildProcess.run(
            codex.path, ["--help"], environment: environment.map { "\($0.key)=\($0.value)" }, timeout: Self.probeTimeout, on: loop)
        guard let result, result.succeeded, Self.listsAgents(String(decoding: result.output, as: UTF8.self)) else { return ["resume"] }
        return ["agents"]
    }

    static func listsAgents(_ help: String) -> Bool {
        help.split(separator: "\n").contains { line in line.first == " " && line.split(separator: " ").first == "agents" }
    }
}
