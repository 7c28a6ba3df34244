import Testing

@testable import DeckNode

struct DesktopActionsTests {
    private let desktop = FakeDesktop()

    private func error(_ body: () async throws -> Void) async -> DesktopError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DesktopError
        }
    }

    // MARK: Pages and files

    @Test(arguments: [
        (DesktopTarget.web, "https://chatgpt.com/codex"), (.issues, "https://github.com/openai/codex/issues"),
        (.documentation, "https://developers.openai.com/codex/cli"),
    ])
    func opensPages(target: DesktopTarget, address: String) async throws {
        desktop.tool("xdg-open")
        try await desktop.act { try await $0.open(target) }
        #expect(desktop.call("xdg-open") == [address])
    }

    @Test func opensTheFolderOfTheTask() async throws {
        desktop.tool("xdg-open")
        let work = desktop.folder.makeFolder("my work; $(x)")
        try await desktop.act { try await $0.open(.folder, task: FakeDesktop.task, folder: work) }
        #expect(desktop.call("xdg-open") == [work])
        let gone = await error { try await desktop.act { try await $0.open(.folder, folder: work + "/gone") } }
        #expect(gone == .noFolder)
    }

    @Test func withoutATaskTheFolderForNewTasksOpens() async throws {
        desktop.tool("xdg-open")
        try await desktop.act { try await $0.open(.folder) }
        #expect(desktop.call("xdg-open") == [desktop.home])
        var settings = NodeSettings()
        settings.newTaskFolder = desktop.folder.makeFolder("new")
        try await desktop.act(settings: settings) { try await $0.open(.folder) }
        #expect(desktop.call("xdg-open") == [desktop.folder("new")])
    }

    @Test func opensTheConfigurationOrItsFolder() async throws {
        desktop.tool("xdg-open")
        try await desktop.act { try await $0.open(.configuration) }
        #expect(desktop.call("xdg-open") == [desktop.codexHome])
        desktop.folder.put("home/.codex/config.toml", "")
        try await desktop.act { try await $0.open(.configuration) }
        #expect(desktop.call("xdg-open") == [desktop.codexHome + "/config.toml"])
        let none = await error { try await desktop.act(codexHome: "/nowhere") { try await $0.open(.configuration) } }
        #expect(none == .noConfiguration)
    }

    @Test func aProgramThatFailsIsNamedWithItsCode() async throws {
        desktop.tool("xdg-open", "exit 3")
        let failure = await error { try await desktop.act { try await $0.open(.web) } }
        #expect(failure == .failed(tool: "xdg-open", code: 3))
        desktop.tool("xdg-open", "kill -9 $$")
        let killed = await error { try await desktop.act { try await $0.open(.web) } }
        #expect(killed == .broken(tool: "xdg-open"))
    }

    @Test func aProgramThatGoesOnCountsAsStarted() async throws {
        desktop.tool("xdg-open", "exec /bin/sleep 3")
        try await desktop.act { actions in
            var actions = actions
            actions.grace = .milliseconds(20)
            try await actions.open(.web)
        }
        // It has not ended, or it would have noted its call.
        #expect(desktop.call("xdg-open") == nil)
    }

    @Test func aMissingProgramIsNamedWithItsPackage() async {
        let failure = await error { try await desktop.act { try await $0.open(.web) } }
        #expect(failure?.description == "This needs xdg-open; install the package xdg-utils on that computer.")
    }

    @Test(arguments: DesktopTarget.allCases)
    func withoutADesktopNothingOpens(target: DesktopTarget) async {
        desktop.tool("xdg-open")
        desktop.tool("xterm")
        desktop.tool("codex")
        let failure = await error {
            try await desktop.act(desktop.variables([:])) { try await $0.open(target, task: FakeDesktop.task) }
        }
        #expect(failure?.description == "This computer has no desktop session.")
        #expect(desktop.call("xdg-open") == nil && desktop.call("xterm") == nil)
    }

    @Test func tellsWhetherThereIsADesktop() async throws {
        #expect(try await desktop.act { await $0.hasSession() })
        #expect(try await !desktop.act(desktop.variables([:])) { await $0.hasSession() })
    }

    // MARK: Terminal

    @Test func opensTheTaskInTheTerminal() async throws {
        let codex = desktop.tool("codex")
        desktop.tool("xterm")
        let work = desktop.folder.makeFolder("work")
        try await desktop.act { try await $0.open(.task, task: FakeDesktop.task, folder: work) }
        #expect(desktop.call("xterm") == ["-e", codex, "resume", FakeDesktop.task.uuid])
        #expect(desktop.place("xterm") == work)
        let none = await error { try await desktop.act { try await $0.open(.task, folder: work) } }
        #expect(none == .noOpenTask)
    }

    @Test func aTaskWhoseFolderIsGoneStillOpensButNoNewSession() async throws {
        desktop.tool("codex")
        desktop.tool("xterm")
        try await desktop.act { try await $0.open(.task, task: FakeDesktop.task, folder: "/nowhere") }
        #expect(desktop.place("xterm") == desktop.home)
        let failure = await error { try await desktop.act { try await $0.open(.newSession, folder: "/nowhere") } }
        #expect(failure == .noFolder)
    }

    @Test(arguments: [("  agents            Browse all\n  exec  Run", ["agents"]), ("  exec  Run, unlike agents\nagents", ["resume"])])
    func theOverviewIsOpenedWhereTheCLIHasIt(help: String, words: [String]) async throws {
        let codex = desktop.tool("codex", "echo '\(help)'")
        desktop.tool("xterm")
        try await desktop.act { try await $0.open(.agents) }
        #expect(desktop.call("codex") == ["--help"])
        #expect(desktop.call("xterm") == ["-e", codex] + words)
    }

    @Test func opensNewSessionsAndAllSessions() async throws {
        let codex = desktop.tool("codex")
        desktop.tool("xterm")
        try await desktop.act { try await $0.open(.newSession) }
        #expect(desktop.call("xterm") == ["-e", codex])
        try await desktop.act { try await $0.open(.sessions) }
        #expect(desktop.call("xterm") == ["-e", codex, "resume", "--all"])
    }

    /// Terminals that are one process for all windows pass their own environment to what they run.
    @Test func theCLIIsGivenWhatTheTerminalMayNotKnow() async throws {
        desktop.tool("xterm")
        let codex = desktop.tool("codex", in: "home/.nvm/versions/node/v22.1.0/bin")
        let other = desktop.folder.makeFolder("other")
        try await desktop.act(codexHome: other) { try await $0.open(.newSession) }
        let path = desktop.home + "/.nvm/versions/node/v22.1.0/bin:" + desktop.folder("bin")
        #expect(desktop.call("xterm") == ["-e", "env", "PATH=\(path)", "CODEX_HOME=\(other)", codex])
    }

    @Test func theSettingsChooseTerminalAndCLI() async throws {
        desktop.tool("mine")
        desktop.tool("xterm")
        var settings = NodeSettings()
        settings.codexPath = desktop.tool("codex-dev", in: "bin")
        settings.terminalCommand = ["mine", "--run"]
        try await desktop.act(settings: settings) { try await $0.open(.newSession) }
        #expect(desktop.call("mine") == ["--run", desktop.folder("bin/codex-dev")])
        settings.codexPath = "/nowhere/codex"
        let broken = settings
        let failure = await error { try await desktop.act(settings: broken) { try await $0.open(.newSession) } }
        #expect(failure == .noCodex)
    }

    // MARK: Clipboard

    private func keepsInput(_ name: String) { desktop.tool(name, "/bin/cat >\"\(desktop.folder("clipboard"))\"") }

    @Test func copiesThroughStandardInput() async throws {
        keepsInput("xclip")
        let text = "$(rm -rf /) 'é'\n" + String(repeating: "x", count: 300_000)
        try await desktop.act { try await $0.copy(text) }
        #expect(desktop.folder.text("clipboard") == text)
        #expect(desktop.call("xclip") == ["-selection", "clipboard"])
    }

    @Test func takesTheToolOfTheSession() async throws {
        keepsInput("xsel")
        try await desktop.act { try await $0.copy("a") }
        #expect(desktop.call("xsel") == ["-ib"])
        keepsInput("wl-copy")
        keepsInput("xclip")
        desktop.folder.put("run/wayland-0", "")
        try await desktop.act(desktop.variables(["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":7"])) { try await $0.copy("b") }
        #expect(desktop.call("wl-copy") == [])
        #expect(desktop.call("xclip") == nil)
        #expect(desktop.folder.text("clipboard") == "b")
    }

    @Test func onWaylandTheToolsOfX11ServeWhereX11Is() async throws {
        keepsInput("xclip")
        desktop.folder.put("run/wayland-0", "")
        let failure = await error { try await desktop.act(desktop.variables(["WAYLAND_DISPLAY": "wayland-0"])) { try await $0.copy("b") } }
        #expect(failure == .missing(tool: "wl-copy", package: "wl-clipboard"))
        try await desktop.act(desktop.variables(["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":7"])) { try await $0.copy("b") }
        #expect(desktop.folder.text("clipboard") == "b")
    }

    @Test func copyingFailsInWords() async {
        let missing = await error { try await desktop.act { try await $0.copy("a") } }
        #expect(missing == .missing(tool: "xclip", package: "xclip"))
        desktop.tool("xclip", "exit 1")
        let failed = await error { try await desktop.act { try await $0.copy("a") } }
        #expect(failed == .failed(tool: "xclip", code: 1))
        let long = await error { try await desktop.act { try await $0.copy(String(repeating: "x", count: DesktopActions.maximumClipboardBytes + 1)) } }
        #expect(long == .tooMuchToCopy)
    }

    @Test func sentencesForScreensHoldNoPaths() {
        let all: [DesktopError] = [
            .noSession, .noOpenTask, .noFolder, .noCodex, .noConfiguration, .missing(tool: "a", package: "b"), .noTerminal, .unknownTerminal("x"),
            .failed(tool: "x", code: 1), .broken(tool: "x"), .tookTooLong(tool: "x"), .tooMuchToCopy,
        ]
        for error in all {
            #expect(error.description.hasSuffix("."))
            #expect(!error.description.contains("/"))
            #expect(error.description.utf16.count < 200)
        }
    }
}
