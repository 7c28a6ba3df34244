import Glibc
import Testing

@testable import Files

struct PrivacyTests {
    private let folder = TemporaryFolder()
    private let stranger: UInt32 = geteuid() &+ 1

    @Test func makesFoldersThatAreMissingAndClosed() throws {
        try PrivateDirectory.ensure(folder("a/b/c"))
        try PrivateDirectory.ensure(folder("a/b/c/"))
        for name in ["a", "a/b", "a/b/c"] { #expect(folder.mode(name) == 0o700) }
        #expect(folder.mode("") == 0o755, "what was there before is not touched")
    }

    @Test(arguments: [0o755, 0o777, 0o1777, 0o710, 0o500] as [mode_t])
    func repairsAnOpenFolder(mode: mode_t) throws {
        mkdir(folder("open"), 0o700)
        chmod(folder("open"), mode)
        try PrivateDirectory.ensure(folder("open"))
        #expect(folder.mode("open") == 0o700)
    }

    @Test func refusesFoldersOfOthersAndOtherThings() throws {
        mkdir(folder("own"), 0o755)
        #expect(throws: FileError.foreignOwner(folder("own"), owner: geteuid())) { try PrivateDirectory.ensure(folder("own"), owner: stranger) }
        #expect(folder.mode("own") == 0o755)
        _ = folder.put("file", "x")
        #expect(throws: FileError.notDirectory(folder("file"))) { try PrivateDirectory.ensure(folder("file")) }
        #expect(throws: FileError.notDirectory(folder("file/below"))) { try PrivateDirectory.ensure(folder("file/below")) }
    }

    @Test(arguments: [0o600, 0o400, 0o700] as [mode_t])
    func closedFilesAreFine(mode: mode_t) throws {
        #expect(try PrivateFile.check(folder.put("file", "x", mode: mode)) == .fine)
        #expect(folder.mode("file") == mode)
    }

    @Test(arguments: [0o644, 0o660, 0o604, 0o602, 0o610, 0o777] as [mode_t])
    func repairsOpenFiles(mode: mode_t) throws {
        let file = folder.put("file", "x", mode: mode)
        #expect(try PrivateFile.check(file) == .repaired(formerMode: UInt32(mode)))
        #expect(folder.mode("file") == 0o600)
        #expect(try PrivateFile.check(file) == .fine)
    }

    @Test func refusesWhatIsNotOurFile() throws {
        let file = folder.put("file", "x", mode: 0o644)
        #expect(throws: FileError.foreignOwner(file, owner: geteuid())) { try PrivateFile.check(file, owner: stranger) }
        #expect(folder.mode("file") == 0o644, "a file of others is not changed")
        try #require(symlink(file, folder("link")) == 0)
        #expect(throws: FileError.symbolicLink(folder("link"))) { try PrivateFile.check(folder("link")) }
        #expect(throws: FileError.notRegular(folder.path)) { try PrivateFile.check(folder.path) }
        #expect(try PrivateFile.check(folder("none")) == .missing)
    }
}
