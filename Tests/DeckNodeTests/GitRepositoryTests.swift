import EventLoop
import Foundation
import Testing

@testable import DeckNode

/// Against the installed git and repositories in folders of the test's own.
struct GitRepositoryTests {
    private final class Lab {
        let folder = TestFolder()
        let loop: EventLoop

        init() throws { loop = try EventLoop(name: "git") }

        deinit { loop.shutdown() }

        func repository(_ name: String = "work") -> GitRepository { GitRepository(folder: folder(name), loop: loop) }

        @discardableResult
        func git(_ words: String..., in name: String = "work") throws -> String {
            folder.makeFolder(name)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "init.defaultBranch=other"] + words
            process.currentDirectoryURL = URL(fileURLWithPath: folder(name))
            process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "GIT_CONFIG_NOSYSTEM": "1"]
            let output = Pipe()
            (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "git \(words)")
            return text.split(separator: "\n").first.map(String.init) ?? ""
        }

        func commit(_ name: String, in repository: String = "work") throws -> String {
            try git("commit", "-q", "--allow-empty", "-m", name, in: repository)
            return try git("rev-parse", "HEAD", in: repository)
        }
    }

    @Test func aFolderWithoutARepository() async throws {
        let lab = try Lab()
        lab.folder.makeFolder("work")
        for name in ["work", "nowhere"] {
            let repository = lab.repository(name)
            #expect(await !repository.exists())
            #expect(await repository.baseBranch() == nil)
            #expect(await !repository.has("main"))
            #expect(await repository.mergeBase(with: "main") == nil)
        }
    }

    @Test func aRepositoryWithoutACommit() async throws {
        let lab = try Lab()
        try lab.git("init", "-q", "-b", "main")
        #expect(await lab.repository().exists())
        #expect(await lab.repository().baseBranch() == nil)
    }

    @Test func aFolderInsideBelongsToTheRepository() async throws {
        let lab = try Lab()
        try lab.git("init", "-q")
        lab.folder.makeFolder("work/deep/er")
        #expect(await lab.repository("work/deep/er").exists())
        #expect(await !lab.repository("work/.git").exists(), "nothing is worked on in there")
    }

    @Test(arguments: [(["main"], "main"), (["master"], "master"), (["master", "main"], "main"), (["trunk"], nil)] as [([String], String?)])
    func theBaseIsMainOrMaster(branches: [String], base: String?) async throws {
        let lab = try Lab()
        try lab.git("init", "-q", "-b", "feat")
        _ = try lab.commit("first")
        for branch in branches { try lab.git("branch", branch) }
        #expect(await lab.repository().baseBranch() == base)
    }

    @Test func theRemotesHeadComesFirst() async throws {
        let lab = try Lab()
        try lab.git("init", "-q", "-b", "trunk", in: "origin")
        _ = try lab.commit("first", in: "origin")
        try lab.git("clone", "-q", lab.folder("origin"), ".")
        try lab.git("branch", "main")
        #expect(await lab.repository().baseBranch() == "origin/trunk")
        #expect(await lab.repository().has("origin/trunk"))
    }

    @Test func theMergeBaseIsTheNewestSharedCommit() async throws {
        let lab = try Lab()
        try lab.git("init", "-q", "-b", "main")
        _ = try lab.commit("first")
        let shared = try lab.commit("second")
        try lab.git("checkout", "-q", "-b", "feat")
        _ = try lab.commit("on feat")
        try lab.git("checkout", "-q", "main")
        _ = try lab.commit("on main")
        try lab.git("checkout", "-q", "feat")
        #expect(await lab.repository().mergeBase(with: "main") == shared)
        #expect(shared.utf8.count == 40)
        try lab.git("checkout", "-q", "--orphan", "alone")
        _ = try lab.commit("alone")
        #expect(await lab.repository().mergeBase(with: "main") == nil)
    }

    /// A branch is a word of the owner's, and git must not take it for anything else.
    @Test(arguments: ["nowhere", "", "--help", "-h", "--output=/tmp/x", "main..feat", "a b", "$(id)", "main\nmain", "^main"])
    func aWordThatIsNoBranch(word: String) async throws {
        let lab = try Lab()
        try lab.git("init", "-q", "-b", "main")
        _ = try lab.commit("first")
        #expect(await lab.repository().has("main"))
        #expect(await !lab.repository().has(word))
        #expect(await lab.repository().mergeBase(with: word) == nil)
    }

    @Test func aFolderWithAnOddName() async throws {
        let lab = try Lab()
        let name = "-odd 'na\"me' \u{1F980}"
        try lab.git("init", "-q", "-b", "main", in: name)
        _ = try lab.commit("first", in: name)
        #expect(await lab.repository(name).exists())
        #expect(await lab.repository(name).baseBranch() == "main")
    }
}
