import CodexKit
import FoundationEssentials
import Testing

@testable import DeckAgents

struct HiddenPlacesTests {
    @Test("Places of keys and tokens are not shown", arguments: [
        ".ssh/id_ed25519", ".netrc", ".cargo/credentials.toml", ".cargo/credentials", ".config/git/credentials", ".config/rclone/rclone.conf",
        ".config/containers/auth.json", ".config/op/config", ".config/hub", ".config/doctl/config.yaml", ".config/microsoft-edge/Default/Cookies",
        ".config/vivaldi/Default/Cookies", ".config/Signal/config.json", "snap/firefox/common/logins.json", ".var/app/org.mozilla.firefox/key4.db",
        ".claude/.credentials.json", ".vault-token", ".my.cnf", ".terraform.d/credentials.tfrc.json", ".m2/settings.xml", ".gem/credentials", ".boto",
        ".s3cfg", ".fly/config.yml", ".pki/nssdb/key4.db", ".Xauthority", ".python_history", ".local/share/fish/fish_history",
        ".local/share/gnupg/x", ".local/state/codex-deck/agents.json", ".codex/auth.json",
    ])
    func usualPlaces(name: String) throws {
        let (home, hidden) = try home(with: [name, ".config/plain", ".cargo/config.toml", ".m2/other"])
        #expect(throws: ToolFailure.self) { try FolderAccess(root: home.path, hidden: hidden).read(name) }
        for plain in [".config/plain", ".cargo/config.toml", ".m2/other"] {
            #expect(try FolderAccess(root: home.path, hidden: hidden).read(plain) == "content")
        }
    }

    private func home(with names: [String]) throws -> (TemporaryFolder, HiddenPlaces) {
        let home = try TemporaryFolder()
        for name in names {
            let folder = home.path + "/" + name.split(separator: "/").dropLast().joined(separator: "/")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try home.write("content", name)
        }
        return (home, HiddenPlaces(variables: [:], home: home.path))
    }

    @Test func whatWasKnownOnceStaysHidden() throws {
        let (home, places) = try home(with: [".m2/settings.xml", ".config/gh/hosts.yml"])
        var hidden = places
        hidden.known = hidden.identities
        for (from, to) in [("/.m2", "/m"), ("/.config", "/c")] {
            try FileManager.default.moveItem(atPath: home.path + from, toPath: home.path + to)
        }
        for name in ["m/settings.xml", "c/gh/hosts.yml"] {
            #expect(throws: ToolFailure.self) { try FolderAccess(root: home.path, hidden: hidden).read(name) }
        }
    }
}
