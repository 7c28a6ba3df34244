import Glibc
import Testing

@testable import Files

struct BaseDirectoriesTests {
    private func directories(
        _ environment: [String: String], home: String? = nil, own: Set<String> = []
    ) throws(FileError) -> BaseDirectories {
        try BaseDirectories(environment: environment, user: 1000, homeInUserDatabase: { $0 == 1000 ? home : nil }) { own.contains($0) && $1 == 1000 }
    }

    @Test func unsetVariablesMeanTheFoldersOfTheSpecification() throws {
        let found = try directories(["HOME": "/home/eva/"], own: ["/run/user/1000"])
        #expect(found.home == "/home/eva")
        #expect(found.stateHome == "/home/eva/.local/state/codex-deck")
        #expect(found.configHome == "/home/eva/.config/codex-deck")
        #expect(found.dataHome == "/home/eva/.local/share/codex-deck")
        #expect(found.cacheHome == "/home/eva/.cache/codex-deck")
        #expect(found.runtimeDirectory == "/run/user/1000/codex-deck")
    }

    @Test func variablesCountWhenTheyAreAbsolute() throws {
        let names = ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"]
        func paths(_ value: (String) -> String) throws -> [String] {
            let found = try directories(["HOME": "/h"].merging(names.map { ($0, value($0)) }) { $1 })
            return [found.stateHome, found.configHome, found.dataHome, found.cacheHome]
        }
        #expect(try paths { "/x/" + $0 + "//" } == names.map { "/x/\($0)/codex-deck" })
        #expect(try paths { _ in "/" } == Array(repeating: "/codex-deck", count: 4))
        let fallbacks = ["/h/.local/state/codex-deck", "/h/.config/codex-deck", "/h/.local/share/codex-deck", "/h/.cache/codex-deck"]
        for value in ["", ".", "x", "~/x", "./x"] { #expect(try paths { _ in value } == fallbacks) }
    }

    @Test(arguments: [
        ("/run/eva", ["/run/eva", "/run/user/1000"], "/run/eva/codex-deck"),
        ("/run/user/0", ["/run/user/1000"], "/run/user/1000/codex-deck"),
        ("run", ["/run/user/1000", "run"], "/run/user/1000/codex-deck"),
        ("/gone", [], "/h/.local/state/codex-deck/run"),
        ("", [], "/h/.local/state/codex-deck/run"),
    ])
    func socketsGoWhereOnlyTheUserIs(variable: String, own: [String], expected: String) throws {
        #expect(try directories(["HOME": "/h", "XDG_RUNTIME_DIR": variable], own: Set(own)).runtimeDirectory == expected)
    }

    @Test func theUserDatabaseKnowsTheHomeWhenTheEnvironmentDoesNot() throws {
        #expect(try directories([:], home: "/home/eva").home == "/home/eva")
        #expect(try directories(["HOME": "relative"], home: "/home/eva").home == "/home/eva")
        #expect(throws: FileError.noHome) { try directories(["HOME": ""]) }
        #expect(throws: FileError.noHome) { try directories([:], home: "nowhere") }
    }

    @Test func theRealUserHasAHome() throws {
        #expect(try BaseDirectories(environment: [:]).home.hasPrefix("/"))
    }

    @Test func runtimeFolderMustBeAFolderOfTheUser() throws {
        let folder = TemporaryFolder(), file = folder.put("file", "")
        let environment = ["HOME": "/h", "XDG_RUNTIME_DIR": folder.path]
        #expect(try BaseDirectories(environment: environment).runtimeDirectory == folder.path + "/codex-deck")
        #expect(try BaseDirectories(environment: environment, user: 54321).runtimeDirectory == "/h/.local/state/codex-deck/run")
        let other = try BaseDirectories(environment: ["HOME": "/h", "XDG_RUNTIME_DIR": file], user: 54321)
        #expect(other.runtimeDirectory == "/h/.local/state/codex-deck/run")
    }

    @Test func theEnvironmentIsReadAsItIs() {
        setenv("DECK_FILES_TEST", "a=b", 1)
        let environment = ProcessEnvironment.current()
        #expect(environment["DECK_FILES_TEST"] == "a=b")
        #expect(environment["PATH"] == getenv("PATH").map { String(cString: $0) })
    }
}
