import JSON
import Testing

@testable import DeckAgents

struct CommandCallTests {
    @Test("Only one well-formed command is taken", arguments: [
        "{}", #"{"command":""}"#, #"{"command":"  \n"}"#, #"{"command":1}"#, #"{"argv":[]}"#, #"{"argv":[""]}"#, #"{"argv":["a",1]}"#,
        #"{"argv":"ls"}"#,
        #"{"command":"a","argv":["b"]}"#, #"{"command":"a\u0000b"}"#, #"{"argv":["a","b\u0000"]}"#, #"{"command":"a","timeout_seconds":0}"#,
        #"{"command":"a","timeout_seconds":601}"#, #"{"command":"a","timeout_seconds":-9223372036854775808}"#, "[]", "null", "\"ls\"",
    ])
    func malformed(text: String) throws {
        let json = try JSONParser().parse(Array(text.utf8))
        #expect(throws: CommandCall.Malformed.self) { try CommandCall(json) }
    }

    @Test func lengthIsBounded() throws {
        #expect(throws: CommandCall.Malformed.self) { try CommandCall(["command": .string(String(repeating: "x", count: 32 << 10))]) }
        #expect(try CommandCall(["command": .string(String(repeating: "x", count: (32 << 10) - 1))]).seconds == 120)
    }

    @Test func wordsAreShownAsAShellWouldNeedThem() throws {
        let call = try CommandCall(["argv": ["git", "commit", "-m", "it's\nfine", "", "a b", "$HOME"]])
        #expect(call.lines == [#"git commit -m 'it'\''s\nfine' '' 'a b' '$HOME'"#])
        #expect(call.words == ["git", "commit", "-m", "it's\nfine", "", "a b", "$HOME"])
    }

    @Test("Nothing in a script is out of sight")
    func visible() throws {
        let call = try CommandCall(["command": "ls\u{1B}[8m; rm x\u{1B}[0m\necho \u{202E}olleh\u{200B}\r# \u{A0}\u{E0041}\tend"])
        #expect(call.lines == [
            #"ls\u{1b}[8m; rm x\u{1b}[0m"#, #"echo \u{202e}olleh\u{200b}"#, #"# \u{a0}\u{e0041}\tend"#,
        ])
        #expect(call.words == ["/bin/sh", "-c", "ls\u{1B}[8m; rm x\u{1B}[0m\necho \u{202E}olleh\u{200B}\r# \u{A0}\u{E0041}\tend"])
        #expect(!call.summary.contains("\n") && !call.summary.contains("\u{1B}"))
    }
}

struct SandboxTests {
    private let sandbox = Sandbox(
        program: "/usr/bin/bwrap", folder: "/home/x/p",
        hidden: [.init(path: "/home/x/.ssh", isFolder: true), .init(path: "/home/x/.netrc", isFolder: false)])

    @Test func networkIsOffUnlessAskedFor() {
        #expect(sandbox.words(of: ["ls"], network: false).contains("--unshare-net"))
        #expect(!sandbox.words(of: ["ls"], network: true).contains("--unshare-net"))
        for words in [sandbox.words(of: ["ls"], network: false), sandbox.words(of: ["ls"], network: true)] {
            #expect(["--unshare-user", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session"].allSatisfy(words.contains))
            #expect(words.suffix(4) == ["--chdir", "/home/x/p", "--", "ls"])
        }
    }

    @Test("What is hidden is covered after the folder; what lies around the folder before it, so that only the folder shows")
    func hidden() throws {
        let words = sandbox.words(of: ["ls"], network: false)
        let bind = try #require(words.firstIndex(of: "--bind")), cover = try #require(words.firstIndex(of: "/home/x/.ssh"))
        #expect(words[bind + 1] == "/home/x/p" && bind < cover && words[cover - 1] == "--tmpfs")
        #expect(words.joined(separator: " ").contains("--ro-bind /dev/null /home/x/.netrc"))
        var inside = sandbox
        inside.folder = "/home/x/.ssh/config.d"
        let others = inside.words(of: ["ls"], network: false).joined(separator: " ")
        #expect(others.contains("--tmpfs /home/x/.ssh --bind /home/x/.ssh/config.d /home/x/.ssh/config.d --remount-ro /home/x/.ssh"))
        var beside = sandbox
        beside.folder = "/home/x/.sshfs"
        let last = beside.words(of: ["ls"], network: false)
        #expect(try #require(last.firstIndex(of: "--bind")) < (try #require(last.firstIndex(of: "/home/x/.ssh"))))
    }

    @Test func rootIsNeverWritable() {
        var root = sandbox
        root.folder = "/"
        #expect(!root.words(of: ["ls"], network: false).contains("--bind"))
    }

    @Test("A command cannot end the options of the sandbox, nor add to them")
    func options() {
        let words = sandbox.words(of: ["--bind", "/", "/"], network: false)
        #expect(words.suffix(4) == ["--", "--bind", "/", "/"])
    }
}
