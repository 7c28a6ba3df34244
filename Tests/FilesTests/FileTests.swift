import Glibc
import Testing

@testable import Files

struct FileTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [0, 1, 511, 512, 513, 65535, 65536, 65537, 200_000])
    func readsAFileOfAnySizeUpToTheLimit(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try File.createExclusively(folder("a"), bytes)
        #expect(try File.read(folder("a"), limit: size) == bytes)
        #expect(try File.read(folder("a"), limit: size + 1) == bytes)
        if size > 0 {
            #expect(throws: FileError.tooLarge(folder("a"), limit: size - 1)) { try File.read(folder("a"), limit: size - 1) }
        }
    }

    @Test func boundsFilesWhoseSizeIsUnknown() throws {
        #expect(try !File.read("/proc/self/status", limit: 1 << 20).isEmpty)
        #expect(throws: FileError.tooLarge("/proc/self/status", limit: 10)) { try File.read("/proc/self/status", limit: 10) }
    }

    @Test func saysWhatIsWrong() throws {
        #expect(throws: FileError.missing(folder("none"))) { try File.read(folder("none"), limit: 1) }
        let file = folder.put("file", "x")
        #expect(throws: FileError.missing(file + "/below")) { try File.read(file + "/below", limit: 1) }
        #expect(throws: FileError.notRegular(folder.path)) { try File.read(folder.path, limit: 1) }
        #expect(throws: FileError.unreadable("/proc/self/mem", errno: EIO)) { try File.read("/proc/self/mem", limit: 1) }
    }

    @Test(.timeLimit(.minutes(1)))
    func aPipeDoesNotHoldTheReader() throws {
        try #require(mkfifo(folder("pipe"), 0o600) == 0)
        #expect(throws: FileError.notRegular(folder("pipe"))) { try File.read(folder("pipe"), limit: 1) }
        #expect(throws: FileError.notRegular(folder("pipe"))) { try PrivateFile.check(folder("pipe")) }
    }

    @Test func linksAreFollowedOnlyWhenAllowed() throws {
        let file = folder.put("file", "x")
        try #require(symlink(file, folder("link")) == 0)
        #expect(try File.read(folder("link"), limit: 1) == [0x78])
        #expect(throws: FileError.symbolicLink(folder("link"))) { try File.read(folder("link"), limit: 1, followingLink: false) }
    }

    @Test(arguments: [0o600, 0o644, 0o400] as [UInt32])
    func createsWithTheModeWhateverTheMask(mode: UInt32) throws {
        try File.createExclusively(folder("new"), [1, 2], mode: mode)
        #expect(folder.mode("new") == mode)
    }

    @Test func neverCreatesOverSomething() throws {
        let file = folder.put("file", "x")
        #expect(throws: FileError.alreadyExists(file)) { try File.createExclusively(file) }
        #expect(folder.text("file") == "x")
        try #require(symlink(folder("target"), folder("dangling")) == 0)
        #expect(throws: FileError.alreadyExists(folder("dangling"))) { try File.createExclusively(folder("dangling")) }
        #expect(folder.names == ["dangling", "file"])
    }

    @Test func removesFilesAndLinksButNotFolders() throws {
        let file = folder.put("file", "x")
        try #require(symlink(file, folder("link")) == 0)
        #expect(try File.remove(folder("link")))
        #expect(folder.text("file") == "x")
        #expect(try File.remove(file))
        #expect(try !File.remove(file))
        #expect(throws: FileError.notRegular(folder.path)) { try File.remove(folder.path) }
    }

    @Test func descriptionsNameThePathAndTheReason() {
        #expect(FileError.unreadable("/a", errno: EACCES).description == "/a cannot be read: Permission denied.")
        #expect(FileError.writing("/a", EDQUOT) == .noSpace("/a"))
        #expect(FileError.writing("/a", EROFS) == .readOnly("/a"))
        #expect(FileError.foreignOwner("/a", owner: 7).description.contains("uid 7"))
    }
}
