import Glibc
import Synchronization
import Testing

@testable import Files

struct AtomicFileTests {
    private let folder = TemporaryFolder()

    @Test func replacesContentAndMode() throws {
        let path = folder.put("state", "old", mode: 0o644)
        try AtomicFile.write("new", to: path)
        #expect(folder.text("state") == "new")
        #expect(folder.mode("state") == 0o600)
        try AtomicFile.write([], to: path, mode: 0o640)
        #expect(folder.text("state") == "")
        #expect(folder.mode("state") == 0o640)
        #expect(folder.names == ["state"])
    }

    @Test func replacesALinkInsteadOfWritingThroughIt() throws {
        _ = folder.put("precious", "keep")
        try #require(symlink(folder("precious"), folder("state")) == 0)
        try AtomicFile.write("new", to: folder("state"))
        #expect(folder.text("precious") == "keep")
        #expect(try File.read(folder("state"), limit: 9, followingLink: false) == Array("new".utf8))
    }

    /// Plays a disk on which one call fails with an error number, after `written` bytes in the case of writing.
    private static func failing(_ call: String, _ code: CInt, written: Int = 1) -> SystemCalls {
        var calls = SystemCalls()
        let fail: @Sendable () -> CInt = {
            errno = code
            return -1
        }
        switch call {
        case "write":
            let first = Atomic(true)
            calls.write = { descriptor, bytes in
                guard first.exchange(false, ordering: .relaxed) else { return Int(fail()) }
                return Glibc.write(descriptor, bytes.baseAddress, min(written, bytes.count))
            }
        case "sync": calls.synchronize = { _ in fail() }
        default: calls.rename = { _, _ in fail() }
        }
        return calls
    }

    @Test(arguments: ["write", "sync", "rename"], [ENOSPC, EDQUOT, EIO, EROFS])
    func keepsTheFormerContentAndLeavesNothingBehind(call: String, code: CInt) {
        let path = folder.put("state", "old")
        #expect(throws: FileError.writing(path, code)) {
            try AtomicFile.write(Array("new content".utf8), to: path, mode: 0o600, calls: Self.failing(call, code))
        }
        #expect(folder.text("state") == "old")
        #expect(folder.names == ["state"])
    }

    @Test func namesTheReasonOfAFullDisk() {
        let path = folder.put("state", "old")
        let error = #expect(throws: FileError.self) {
            try AtomicFile.write([1], to: path, mode: 0o600, calls: Self.failing("sync", ENOSPC))
        }
        #expect(error?.description == "There is no space left to write \(path); its former content is kept. Free some and try again.")
    }

    @Test func goesOnAfterPartialAndInterruptedWrites() throws {
        var calls = SystemCalls()
        let turn = Atomic(0)
        calls.write = { descriptor, bytes in
            if turn.wrappingAdd(1, ordering: .relaxed).newValue % 3 == 0 {
                errno = EINTR
                return -1
            }
            return Glibc.write(descriptor, bytes.baseAddress, min(7, bytes.count))
        }
        let text = String(repeating: "0123456789", count: 20)
        try AtomicFile.write(Array(text.utf8), to: folder("state"), mode: 0o600, calls: calls)
        #expect(folder.text("state") == text)
    }

    @Test func aWriteThatTakesNothingIsAnErrorRatherThanALoop() {
        var calls = SystemCalls()
        calls.write = { _, _ in 0 }
        #expect(throws: FileError.unwritable(folder("state"), errno: EIO)) {
            try AtomicFile.write([1], to: folder("state"), mode: 0o600, calls: calls)
        }
        #expect(folder.names == [])
    }

    @Test func syncsTheFileBeforeTheRenameAndTheFolderAfterIt() throws {
        let events = Mutex<[String]>([])
        var calls = SystemCalls()
        calls.synchronize = { descriptor in
            var status = stat()
            fstat(descriptor, &status)
            events.withLock { $0.append(status.isDirectory ? "sync folder" : "sync file") }
            return 0
        }
        calls.rename = { from, to in
            events.withLock { $0.append("rename") }
            return Glibc.rename(from, to)
        }
        try AtomicFile.write([1], to: folder("state"), mode: 0o600, calls: calls)
        #expect(events.withLock { $0 } == ["sync file", "rename", "sync folder"])
    }

    @Test func refusesMissingFoldersAndFoldersInTheWay() {
        #expect(throws: FileError.missing(folder("none"))) { try AtomicFile.write("x", to: folder("none/state")) }
        mkdir(folder("taken"), 0o700)
        #expect(throws: FileError.notRegular(folder("taken"))) { try AtomicFile.write("x", to: folder("taken")) }
        #expect(folder.names == ["taken"])
    }

    @Test func manyWritersLeaveOneWholeFile() async {
        let path = folder("state")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try! AtomicFile.write(String(repeating: "\(number % 10)", count: 5000), to: path) }
            }
        }
        let text = folder.text("state") ?? ""
        #expect(text.count == 5000)
        #expect(Set(text).count == 1)
        #expect(folder.names == ["state"])
    }

    @Test func removesOnlyLeftoversOfTheDead() throws {
        let names = [".state.2147483600-1.tmp", ".state.\(getpid())-999999.tmp", ".other.2147483600-1.tmp", ".state.x-1.tmp", ".state.tmp", "state"]
        for name in names { _ = folder.put(name, "x") }
        #expect(AtomicFile.removeLeftovers(of: folder("state")) == 1)
        #expect(folder.names == names.dropFirst().sorted())
        #expect(AtomicFile.removeLeftovers(of: folder("none/state")) == 0)
    }

    @Test(arguments: [".state.-1-1.tmp", ".state.0-1.tmp", ".state.5.tmp", ".state.5-.tmp", ".state..tmp", ".state.tmp", ".state.5-1-2.tmp", ""])
    func oddNamesAreNotTaken(name: String) {
        #expect(AtomicFile.writer(ofTemporary: name, for: "state") == nil)
        #expect(AtomicFile.writer(ofTemporary: ".state.5-1.tmp", for: "state") == 5)
    }
}
