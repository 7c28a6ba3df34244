import Testing

@testable import DeckNode

struct DesktopTerminalTests {
    private let folder = TestFolder()

    private func install(_ names: String...) -> [String: String] {
        for name in names { folder.put("bin/" + name, "", mode: 0o700) }
        return ["PATH": folder("bin")]
    }

    private func path(_ name: String) -> String { folder("bin/" + name) }

    @Test(arguments: [
        ("x-terminal-emulator", ["-e"]), ("gnome-terminal", ["--"]), ("konsole", ["-e"]), ("xfce4-terminal", ["-x"]), ("foot", []),
        ("alacritty", ["-e"]), ("kitty", []), ("wezterm", ["start", "--"]), ("xterm", ["-e"]),
    ] as [(String, [String])])
    func tellsEachTerminalWhatToRun(name: String, prefix: [String]) throws {
        let variables = install(name)
        #expect(try DesktopTerminal.choose(setting: nil, variables: variables).words == [path(name)] + prefix)
    }

    @Test func takesTheDesktopsOwnChoiceBeforeOthers() throws {
        let variables = install("xterm", "x-terminal-emulator", "kitty")
        #expect(try DesktopTerminal.choose(setting: nil, variables: variables).words == [path("x-terminal-emulator"), "-e"])
    }

    @Test func theOwnersVariableComesBeforeThat() throws {
        let variables = install("xterm", "kitty", "st", "konsole")
        func words(_ terminal: String) throws -> [String] {
            try DesktopTerminal.choose(setting: nil, variables: variables.merging(["TERMINAL": terminal]) { $1 }).words
        }
        #expect(try words("kitty") == [path("kitty")])
        #expect(try words("kitty -1") == [path("kitty"), "-1"])
        #expect(try words("st") == [path("st"), "-e"], "an unknown one takes -e")
        #expect(try words(path("st")) == [path("st"), "-e"])
        // A variable that names nothing is no reason to fail.
        #expect(try words("gone") == [path("konsole"), "-e"])
        #expect(try words("'") == [path("konsole"), "-e"])
    }

    @Test func theSettingComesFirstAndAsItIs() throws {
        let variables = install("xterm", "mine").merging(["TERMINAL": "xterm"]) { $1 }
        #expect(try DesktopTerminal.choose(setting: ["mine", "run"], variables: variables).words == [path("mine"), "run"])
        #expect(throws: DesktopError.unknownTerminal("gone")) { try DesktopTerminal.choose(setting: ["/secret/gone"], variables: variables) }
    }

    @Test func withoutAnyItSaysWhatToInstall() {
        #expect(throws: DesktopError.noTerminal) { try DesktopTerminal.choose(setting: nil, variables: ["PATH": "/nowhere"]) }
        folder.put("bin/xterm", "", mode: 0o600)
        #expect(throws: DesktopError.noTerminal) { try DesktopTerminal.choose(setting: nil, variables: ["PATH": folder("bin")]) }
        folder.makeFolder("bin/kitty")
        #expect(throws: DesktopError.noTerminal) { try DesktopTerminal.choose(setting: nil, variables: ["PATH": folder("bin")]) }
    }
}
