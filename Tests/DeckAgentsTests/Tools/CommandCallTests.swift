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
        #expect(call.lines == [#"git commit -m $'it\'s\nfine' '' 'a b' '$HOME'"#])
        #expect(call.words == ["git", "commit", "-m", "it's\nfine", "", "a b", "$HOME"])
    }

    @Test("Nothing in a script is out of sight")
    func visible() throws {
        let call = try CommandCall(["command": "ls\u{1B}[8m; rm x\u{1B}[0m\necho \u{202E}olleh\u{200B}\r# \u{A0}\u{E0041}\tend"])
        #expect(call.lines == [
            #"ls\u{1b}[8m; rm x\u{1b}[0m"#, #"echo \u{202e}olleh\u{200b}\r# \u{a0}\u{e0041}\tend"#,
        ])
        #expect(call.words == ["/bin/sh", "-c", "ls\u{1B}[8m; rm x\u{1B}[0m\necho \u{202E}olleh\u{200B}\r# \u{A0}\u{E0041}\tend"])
        #expect(!call.summary.contains("\n") && !call.summary.contains("\u{1B}"))
    }

    @Test("Only what ends a line for the shell ends one that is shown", arguments: [
        ("\r", #"\r"#), ("\u{B}", #"\u{b}"#), ("\u{C}", #"\u{c}"#), ("\u{85}", #"\u{85}"#), ("\u{2028}", #"\u{2028}"#), ("\u{2029}", #"\u{2029}"#),
    ])
    func linesOfTheShell(separator: String, shown: String) throws {
        let hidden = try CommandCall(["command": .string(": #" + separator + "cd build" + separator + "\nrm -rf *")])
        #expect(hidden.lines == [": #" + shown + "cd build" + shown, "rm -rf *"])
        #expect(try CommandCall(["command": .string("a\n\n\(separator)b\n")]).lines == ["a", "", shown + "b", ""])
    }

    @Test("A word with a line break looks like no other word", arguments: [
        ("echo hi # \nrm x", #"echo hi # \nrm x"#), ("a\tb", #"a\tb"#), ("'\n", #"'\n"#), ("\\\n", #"\\n"#), ("\u{202E}", #"\u{202e}"#),
        ("\u{2800}", #"\u{2800}"#),
    ])
    func wordsAreToldApart(odd: String, plain: String) throws {
        let (first, second) = (try CommandCall(["argv": ["sh", .string(odd)]]), try CommandCall(["argv": ["sh", .string(plain)]]))
        #expect(first.lines != second.lines && first.lines[0].hasPrefix("sh $'") && second.lines[0].hasPrefix("sh '"))
    }

    @Test func backslashesOfAnOddWordAreTheirOwn() throws {
        #expect(try CommandCall(["argv": ["sh", "\n\n"]]).lines == [#"sh $'\n\n'"#])
        #expect(try CommandCall(["argv": ["sh", "\n\\n"]]).lines == [#"sh $'\n\\n'"#])
    }

    @Test func manyBlanksPushNothingOffTheScreen() throws {
        let few = String(repeating: " ", count: 64)
        #expect(try CommandCall(["command": .string("a\(few)b")]).lines == ["a\(few)b"])
        #expect(try CommandCall(["command": .string("a\(few) b\(few)c")]).lines == ["a …65 blanks… b\(few)c"])
        #expect(try CommandCall(["command": .string("a" + String(repeating: " ", count: 16_000))]).summary == "a …16000 blanks… ")
        #expect(try CommandCall(["argv": ["a", .string(few + " ")]]).lines == ["a $' …65 blanks… '"])
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

    @Test("Nothing is mounted in what is covered already, once for each place")
    func nestedHiddenPlaces() {
        func covers(_ hidden: [String], in folder: String) -> [String] {
            let places = hidden.map { Sandbox.Hidden(path: $0, isFolder: true) }
            let words = Sandbox(program: "bwrap", folder: folder, hidden: places).words(of: ["ls"], network: false)
            let own: Set = ["/run", "/tmp", "/var/tmp"]
            return words.indices.filter { words[$0] == "--tmpfs" && !own.contains(words[$0 + 1]) }.map { words[$0 + 1] }
        }
        #expect(covers(["/r", "/r/keyring", "/r/keyring/ssh", "/rest", "/r"], in: "/w") == ["/r", "/rest"])
        #expect(covers(["/r", "/r/a/b", "/r/a/b/c", "/r/a", "/r/z"], in: "/r/a/w") == ["/r"])
        // In a folder that is put into a hidden place, what is hidden has to be covered once more.
        #expect(covers(["/r", "/r/w/s", "/r/w/s/t", "/r/z"], in: "/r/w") == ["/r", "/r/w/s"])
        #expect(covers(["/w/a", "/w/a/b", "/w/c"], in: "/w") == ["/w/a", "/w/c"])
        #expect(covers(["/a/b", "/a"], in: "/") == ["/a"])
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
