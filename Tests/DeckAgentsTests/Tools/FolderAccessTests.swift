import CodexKit
import FoundationEssentials
import Glibc
import Testing

@testable import DeckAgents

struct FolderAccessTests {
    private func access(_ folder: TemporaryFolder, hidden: [String] = []) -> FolderAccess {
        FolderAccess(root: folder.work, hidden: HiddenPlaces(hidden.map { folder.path + "/" + $0 }))
    }

    private func link(_ folder: TemporaryFolder, _ name: String, to target: String) { #expect(symlink(target, folder.path + "/" + name) == 0) }
    private func make(_ folder: TemporaryFolder, _ name: String) { #expect(mkdir(folder.path + "/" + name, 0o700) == 0) }

    @Test func readsAndListsWhatIsInside() throws {
        let folder = try TemporaryFolder()
        make(folder, "work/sub")
        try folder.write("one\ntwo\nthree\n", "work/sub/a.txt")
        link(folder, "work/link", to: "sub/a.txt")
        link(folder, "work/sub/up", to: "../sub/./a.txt")
        let access = access(folder)
        for path in ["sub/a.txt", "./sub//a.txt", "sub/../sub/a.txt", "link", "sub/up"] { #expect(try access.read(path) == "one\ntwo\nthree\n") }
        #expect(try access.list(".") == "link  (link)\nsub/")
        #expect(try access.list("sub") == "a.txt  14 bytes\nup  (link)")
    }

    @Test("No path and no link leads out", arguments: [
        "..", "../secret", "sub/../../secret", "/etc/passwd", "out", "out/secret", "absolute", "loop", "chain", "sub/deep",
    ])
    func staysInside(path: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("secret", "secret")
        make(folder, "work/sub")
        link(folder, "work/out", to: "..")
        link(folder, "work/absolute", to: folder.path + "/secret")
        link(folder, "work/loop", to: "loop")
        link(folder, "work/chain", to: "sub/deep")
        link(folder, "work/sub/deep", to: "../../secret")
        let access = access(folder)
        #expect(throws: ToolFailure.self) { try access.read(path) }
        #expect(throws: ToolFailure.self) { try access.list(path) }
    }

    @Test("A link that is absolute is refused even if it points inside: what it means depends on where the folder is seen from")
    func absoluteLinkInside() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", "work/a")
        link(folder, "work/b", to: folder.work + "/a")
        #expect(throws: ToolFailure.self) { try access(folder).read("b") }
    }

    @Test("Pipes, sockets and devices are not opened", .timeLimit(.minutes(1)))
    func specialFiles() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.work + "/pipe", 0o600) == 0)
        link(folder, "work/pipelink", to: "pipe")
        let access = access(folder)
        for name in ["pipe", "pipelink"] {
            #expect(throws: ToolFailure.self) { try access.read(name) }
            #expect(throws: ToolFailure.self) { try access.list(name) }
        }
        #expect(try access.list(".").contains("pipe  (special)"))
    }

    @Test("The state of processes is no file", arguments: [
        "proc/self/environ", "proc/1/status", "sys/kernel/notes", "dev/null", "proc/self/root/etc/passwd",
    ])
    func systemFolders(path: String) throws {
        #expect(throws: ToolFailure.self) { try FolderAccess(root: "/", hidden: HiddenPlaces([])).read(path) }
    }

    @Test func environmentOfThisProcessIsOutOfReachWhateverTheRoot() throws {
        #expect(throws: ToolFailure.self) { try FolderAccess(root: "/proc/\(getpid())", hidden: HiddenPlaces([])).read("environ") }
    }

    @Test("What is hidden stays hidden under any name")
    func hiddenPlaces() throws {
        let folder = try TemporaryFolder()
        make(folder, "work/.ssh")
        make(folder, "work/.ssh/keys")
        try folder.write("key", "work/.ssh/keys/id")
        try folder.write("token", "work/.netrc")
        link(folder, "work/s", to: ".ssh")
        link(folder, "work/n", to: ".netrc")
        let access = access(folder, hidden: ["work/.ssh", "work/.netrc", "work/absent"])
        for path in [".ssh/keys/id", "s/keys/id", ".netrc", "n"] { #expect(throws: ToolFailure.self) { try access.read(path) } }
        #expect(throws: ToolFailure.self) { try access.list(".ssh/keys") }
        #expect(throws: ToolFailure.self) { try FolderAccess(root: folder.work + "/.ssh", hidden: access.hidden).read("keys/id") }
        #expect(throws: ToolFailure.self) { try FolderAccess(root: folder.work + "/s/keys", hidden: access.hidden).read("id") }
    }

    @Test("A folder that became a link, or lies below one, is not looked into", arguments: ["work", "work/sub"])
    func swappedRoot(root: String) throws {
        let folder = try TemporaryFolder()
        for name in ["work/sub", "victim", "victim/sub"] { make(folder, name) }
        for name in ["work/a", "work/sub/a", "victim/a", "victim/sub/a"] { try folder.write(name, name) }
        let access = FolderAccess(root: folder.path + "/" + root, hidden: HiddenPlaces([]))
        #expect(try access.read("a") == root + "/a")
        #expect(rename(folder.work, folder.path + "/aside") == 0)
        link(folder, "work", to: "victim")
        #expect(throws: ToolFailure("The working folder leads elsewhere now.")) { try access.read("a") }
        #expect(throws: ToolFailure("The working folder leads elsewhere now.")) { try access.list(".") }
    }

    @Test("Huge and binary files are refused, long ones come in parts")
    func sizes() throws {
        let folder = try TemporaryFolder()
        let descriptor = open(folder.work + "/huge", O_CREAT | O_WRONLY, 0o600)
        #expect(ftruncate(descriptor, 1 << 40) == 0)
        close(descriptor)
        try folder.write("a\0b", "work/binary")
        try folder.write(String(repeating: "0123456789abcde\n", count: 10_000), "work/long")
        try folder.write(String(repeating: "x", count: 100_000), "work/line")
        try folder.write("", "work/empty")
        let access = access(folder)
        #expect(throws: ToolFailure.self) { try access.read("huge") }
        #expect(throws: ToolFailure.self) { try access.read("binary") }
        let part = try access.read("long")
        #expect(part.utf8.count < 66_000 && part.hasSuffix("go on from line 4097.]"))
        #expect(try access.read("long", firstLine: 10_000) == "0123456789abcde\n")
        #expect(try access.read("long", firstLine: 4, lines: 1).hasPrefix("0123456789abcde\n["))
        let beginning = try access.read("line")
        let way = "[34464 more bytes follow; the rest of this line can be read with a command only.]"
        #expect(beginning.utf8.count < 66_000 && beginning.hasSuffix(way))
        #expect(try access.read("empty") == "The file is empty.")
        for (first, lines) in [(0, nil), (-1, nil), (10_001, nil), (1, 0)] as [(Int, Int?)] {
            #expect(throws: ToolFailure.self) { try access.read("long", firstLine: first, lines: lines) }
        }
    }

    @Test func listIsBoundedAndItsNamesAreHarmless() throws {
        let folder = try TemporaryFolder()
        for number in 0..<600 { try folder.write("", "work/f\(number)") }
        try folder.write("", "work/\u{1B}[2Jevil\n")
        let list = try access(folder).list(".")
        #expect(list.split(separator: "\n").count == 501 && list.hasSuffix("… and 101 more"))
        #expect(!list.contains("\u{1B}"))
    }

    @Test("A path of many parts or bytes ends", arguments: [
        String(repeating: "a/", count: 3_000), String(repeating: "./", count: 1_000) + "x", "a\0b",
    ])
    func longPaths(path: String) throws {
        let folder = try TemporaryFolder()
        #expect(throws: ToolFailure.self) { try access(folder).read(path) }
    }

    @Test("Somebody who swaps a folder for a link all the time gets nothing out", .timeLimit(.minutes(1)))
    func race() async throws {
        let folder = try TemporaryFolder()
        make(folder, "outside")
        try folder.write("secret", "outside/file")
        make(folder, "work/real")
        try folder.write("fine", "work/real/file")
        link(folder, "work/fake", to: "../outside")
        make(folder, "work/spot")
        let access = access(folder)
        let swapper = Task.detached {
            while !Task.isCancelled {
                // Exchanged in one step, again and again.
                _ = rename(folder.work + "/spot", folder.work + "/t") == 0 && rename(folder.work + "/fake", folder.work + "/spot") == 0
                _ = rename(folder.work + "/spot", folder.work + "/fake") == 0 && rename(folder.work + "/t", folder.work + "/spot") == 0
            }
        }
        var leaks = 0
        for _ in 0..<1_000 { if (try? access.read("spot/file")) == "secret" { leaks += 1 } }
        swapper.cancel()
        await swapper.value
        #expect(leaks == 0)
    }
}
