import Testing

@testable import DeckNode

struct CodexLocatorTests {
    private let folder = TestFolder()

    private func locate(setting: String? = nil, path: String? = "/nowhere") -> Result<CodexLocator.Found, CodexLocator.Failure> {
        CodexLocator(setting: setting, home: folder("home"), variables: path.map { ["PATH": $0] } ?? [:]).locate()
    }

    private func install(_ place: String, mode: UInt32 = 0o700) -> String { folder.put(place + "/codex", "", mode: mode) }

    @Test(arguments: ["home/.local/bin", "home/.npm-global/bin", "home/.nvm/versions/node/v20.1.0/bin", "home/.volta/bin", "home/.cargo/bin"])
    func looksWhereInstallersPutIt(place: String) throws {
        let path = install(place)
        let found = try locate().get()
        #expect(found.path == path)
        // The script from npm needs the node beside it.
        #expect(found.searchPath == folder(place) + ":/nowhere")
    }

    @Test func pathComesFirstAndIsNotNamedTwice() throws {
        let path = install("bin")
        _ = install("home/.local/bin")
        let found = try locate(path: "/nowhere:" + folder("bin")).get()
        #expect(found == CodexLocator.Found(path: path, searchPath: "/nowhere:" + folder("bin")))
    }

    @Test func theNewestNodeComesFirst() throws {
        for version in ["v9.11.2", "v22.3.0", "v22.10.1", "system"] { _ = install("home/.nvm/versions/node/\(version)/bin") }
        #expect(try locate().get().path == folder("home/.nvm/versions/node/v22.10.1/bin/codex"))
    }

    @Test func theSettingIsTheOnlyPlaceThen() throws {
        let path = install("mine")
        _ = install("home/.local/bin")
        #expect(try locate(setting: path).get().path == path)
        #expect(locate(setting: folder("gone")) == .failure(.setting(folder("gone"))))
        let plain = install("plain", mode: 0o600)
        #expect(locate(setting: plain) == .failure(.setting(plain)))
    }

    @Test func tellsWhereItLooked() throws {
        _ = install("home/.local/bin", mode: 0o600)
        folder.makeFolder("home/.cargo/bin/codex")
        let failure = try #require(throws: CodexLocator.Failure.self) { try locate(path: "/nowhere::relative:/nowhere").get() }
        guard case .nowhere(let folders) = failure else { return #expect(Bool(false), "it is nowhere") }
        #expect(folders.first == "/nowhere")
        #expect(Set(folders).count == folders.count)
        #expect(!folders.contains { !$0.hasPrefix("/") })
        #expect(folders.contains(folder("home/.local/bin")) && folders.contains("/usr/local/bin"))
        #expect(failure.description.contains("codex.path"))
        #expect(failure.description.contains(folders.prefix(3).joined(separator: ", ") + ", and \(folders.count - 3) more folders;"))
        #expect(!failure.description.contains(folders[3]))
    }

    @Test func fewFoldersAreAllNamed() {
        #expect(CodexLocator.Failure.nowhere(["/a", "/b", "/c"]).description.contains("in /a, /b, /c; install"))
    }
}
