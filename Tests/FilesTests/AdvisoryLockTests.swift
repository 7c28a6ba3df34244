import Glibc
import Testing

@testable import Files

struct AdvisoryLockTests {
    private let folder = TemporaryFolder()

    @Test func theSecondHolderLearnsWhoIsFirst() throws {
        let lock = try AdvisoryLock(folder("lock"))
        #expect(throws: LockError.heldBy(pid: getpid(), path: folder("lock"))) { try AdvisoryLock(folder("lock")) }
        withExtendedLifetime(lock) {}
        #expect(folder.mode("lock") == 0o600)
    }

    @Test func aLockEndsWithItsObject() throws {
        do { _ = try AdvisoryLock(folder("lock")) }
        let again = try AdvisoryLock(folder("lock"))
        withExtendedLifetime(again) {}
    }

    @Test func aLockEndsWithItsScopeAlsoWhenThatThrows() throws {
        struct Failure: Error {}
        var isTaken = false
        #expect(throws: Failure.self) {
            try AdvisoryLock.hold(folder("lock")) {
                isTaken = (try? AdvisoryLock(folder("lock"))) == nil
                throw Failure()
            }
        }
        #expect(isTaken)
        #expect(try AdvisoryLock.hold(folder("lock"), waiting: false) { 7 } == 7)
    }

    @Test(arguments: ["", "\n", "junk", "-5\n", "0\n", "99999999999999999999"])
    func aHolderWithoutAReadableNumberIsStillNoticed(text: String) throws {
        let lock = try AdvisoryLock(folder("lock"))
        _ = folder.put("other", text)
        // The content alone is replaced, as a holder that has not written its number yet would leave it.
        let descriptor = open(folder("lock"), O_WRONLY | O_TRUNC)
        _ = write(descriptor, text, text.utf8.count)
        close(descriptor)
        #expect(throws: LockError.heldBy(pid: nil, path: folder("lock"))) { try AdvisoryLock(folder("lock")) }
        withExtendedLifetime(lock) {}
    }

    @Test func anUnusablePathIsAFailureNotAHolder() throws {
        #expect(throws: LockError.failed(.unwritable(folder("none/lock"), errno: ENOENT))) { try AdvisoryLock(folder("none/lock")) }
        try #require(symlink(folder("target"), folder("link")) == 0)
        #expect(throws: LockError.failed(.symbolicLink(folder("link")))) { try AdvisoryLock(folder("link")) }
        #expect(folder.names == ["link"])
    }

    @Test func waitingHoldersComeOneAfterTheOther() async throws {
        let path = folder("lock"), count = folder.put("count", "0")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try! AdvisoryLock.hold(path) {
                        let value = Int(String(decoding: try File.read(count, limit: 9), as: UTF8.self))!
                        try AtomicFile.write("\(value + 1)", to: count)
                    }
                }
            }
        }
        #expect(folder.text("count") == "8")
    }
}
