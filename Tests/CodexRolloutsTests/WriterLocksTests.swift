import CLinux
import Glibc
import RelayProtocol
import Testing

@testable import CodexRollouts

struct WriterLocksTests {
    private let home = Home()
    private let quarter = 15 * 60

    /// Takes a session's writer lock as the CLI does.
    ///
    /// - Returns: The descriptor that holds it.
    private func lock(_ number: Int) -> Int32 {
        home.make("home/thread-writer-locks")
        let file = open(home.path + "/thread-writer-locks/\(Lines.identity(number)).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        precondition(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        return file
    }

    private func started(_ lines: [String]) -> RolloutIndex {
        home.write(1, lines)
        let index = home.index()
        _ = index.start(now: Lines.time(60))
        return index
    }

    @Test func readsTheKernelsTable() {
        let text = """
            1: POSIX  ADVISORY  READ 7949 fe:00:16220535 128 128
            7: FLOCK  ADVISORY  WRITE 7949 fe:00:16220536 0 EOF
            8: FLOCK  ADVISORY  READ 12 00:2f:77 0 EOF
            8: -> FLOCK  ADVISORY  WRITE 13 00:2f:78 0 EOF
            9: FLOCK  ADVISORY  WRITE 13 zz:00:5 0 EOF
            FLOCK

            """
        let lines = WriterLocks.parse(Array(text.utf8))
        #expect(lines == [.init(major: 0xfe, minor: 0, inode: 16_220_536), .init(major: 0, minor: 0x2f, inode: 77)])
        #expect(WriterLocks.parse([0xff, 0x0a, 0x20]).isEmpty)
    }

    @Test func joinsByInodeAndDevice() {
        let files: [(identity: TaskIdentity, device: UInt64, inode: UInt64)] = [
            (Lines.identity(1), 0xfe00, 5), (Lines.identity(2), 0xfe00, 6), (Lines.identity(3), 0x2a, 7),
        ]
        let lines: [WriterLocks.Line] = [
            .init(major: 0xfe, minor: 0, inode: 5), .init(major: 8, minor: 1, inode: 6), .init(major: 0, minor: 0x99, inode: 7),
        ]
        #expect(WriterLocks.held(files, lines: lines) == [Lines.identity(1), Lines.identity(3)])
        #expect(WriterLocks.held(files, lines: []).isEmpty)
    }

    @Test func aHeldLockIsSeenAndTheFileAloneIsNot() {
        let file = lock(1)
        home.put(home.path + "/thread-writer-locks/\(Lines.identity(2)).lock", "")
        home.put(home.path + "/thread-writer-locks/.coordination.lock", "")
        let locks = WriterLocks(folder: home.path + "/thread-writer-locks")
        #expect(locks.held() == [Lines.identity(1)])
        close(file)
        #expect(locks.held().isEmpty)
        #expect(WriterLocks(folder: home.path + "/none").held().isEmpty)
        #expect(WriterLocks(table: home.path + "/none", folder: locks.folder).held().isEmpty)
    }

    @Test func aTurnWithoutWriterStallsAfterAQuietTime() {
        let index = started([Lines.started(at: 1), Lines.reasoning(at: 10)])
        #expect(index.nextDeadline(now: Lines.time(60)) == Lines.time(10 + quarter))
        #expect(index.handleTimeout(now: Lines.time(9 + quarter)).isEmpty)
        let stalled = index.handleTimeout(now: Lines.time(10 + quarter)).session(1)
        #expect(stalled?.isStalled == true)
        #expect(stalled?.lifecycle == .idle)
        #expect(stalled?.state.lifecycle == .working)
        #expect(index.statistics.stalledSessions == 1)
        #expect(index.nextDeadline(now: Lines.time(2000)) == nil)
        // Lines that are only bookkeeping do not revive it, anything else does.
        home.append(1, [Lines.settings(at: 2000)])
        _ = index.processEvents(now: Lines.time(2000))
        #expect(index.published[Lines.identity(1)]?.isStalled == true)
        home.append(1, [Lines.reasoning(at: 2001)])
        #expect(index.processEvents(now: Lines.time(2001)).session(1)?.lifecycle == .working)
    }

    @Test func bookkeepingDoesNotPutTheQuietTimeOff() {
        let index = started([Lines.started(at: 1)])
        home.append(1, [Lines.settings(at: 800), Lines.tokens(1, at: 800)])
        _ = index.processEvents(now: Lines.time(800))
        #expect(index.nextDeadline(now: Lines.time(800)) == Lines.time(1 + quarter))
    }

    @Test func aFileThatWasQuietForLongIsStalledAtOnce() {
        home.write(1, [Lines.started(at: 1)])
        #expect(home.index().start(now: Lines.time(2 + quarter)).session(1)?.lifecycle == .idle)
        #expect(home.index().start(now: Lines.time(quarter)).session(1)?.lifecycle == .working)
    }

    @Test func withAWriterItStaysWorkingHoweverQuiet() {
        let file = lock(1)
        let index = started([Lines.started(at: 1), Lines.item("function_call", #""call_id":"c""#, at: 2)])
        #expect(index.sessions.first?.hasWriter == true)
        #expect(index.nextDeadline(now: Lines.time(60)) == nil)
        #expect(index.handleTimeout(now: Lines.time(9 * quarter)).isEmpty)
        #expect(index.sessions.first?.lifecycle == .working)

        // The writer is killed: its file stays, its lock does not.
        close(file)
        let now = Lines.time(9 * quarter)
        #expect(index.processEvents(now: now).isEmpty)
        let due = index.nextDeadline(now: now)
        #expect(due == now.advanced(byMilliseconds: 20))
        let stalled = index.handleTimeout(now: due ?? now).session(1)
        #expect(stalled?.hasWriter == false)
        #expect(stalled?.lifecycle == .idle)
        // Having looked is no reason to look again.
        #expect(index.processEvents(now: now).isEmpty)
        #expect(index.nextDeadline(now: now) == nil)
    }

    @Test func aWriterThatComesLaterIsSeen() {
        let index = started(Lines.turn(from: 1))
        let file = lock(1)
        _ = index.processEvents(now: Lines.time(60))
        #expect(index.handleTimeout(now: Lines.time(61)).session(1)?.hasWriter == true)
        #expect(index.statistics.sessionsWithWriter == 1)
        unlink(home.path + "/thread-writer-locks/\(Lines.identity(1)).lock")
        close(file)
        _ = index.processEvents(now: Lines.time(62))
        #expect(index.handleTimeout(now: Lines.time(63)).session(1)?.hasWriter == false)
    }

    @Test func aWriterBringsAnOldSessionIn() {
        for number in 1...3 { home.write(number, Lines.turn(from: number), day: "2024/01/0\(number)") }
        let index = home.index(options: .init(initialSessions: 0, watchedDays: 0))
        #expect(index.start(now: Lines.time(60)).isEmpty)
        let file = lock(2)
        defer { close(file) }
        _ = index.processEvents(now: Lines.time(60))
        #expect(index.handleTimeout(now: Lines.time(61)).session(2)?.hasWriter == true)
        // Its folder is watched from now on.
        home.append(2, [Lines.started(at: 70)], day: "2024/01/02")
        #expect(index.processEvents(now: Lines.time(70)).session(2)?.lifecycle == .working)
    }
}
