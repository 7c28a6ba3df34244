import Glibc
import RelayProtocol
import Testing

@testable import CodexRollouts

/// The kernel queues an inotify event before the call that caused it returns, so these tests need no waiting.
struct RolloutIndexTests {
    private let home = Home()

    @Test func listsWhatIsThere() {
        home.write(1, Lines.turn(from: 10, "one"))
        home.write(2, Array(Lines.turn(from: 20, "two").dropLast()), day: "2026/11/29")
        home.make("home/archived_sessions")
        home.put(home.path + "/archived_sessions/" + home.fileName(3), Lines.meta(Lines.identity(3)) + "\n")
        home.put(home.path + "/sessions/2026/11/30/notes.txt", "x")
        let index = home.index()
        let changes = index.start(now: Lines.time(60))
        #expect(changes.count == 2)
        #expect(index.sessions.map(\.identity) == [Lines.identity(2), Lines.identity(1)])
        #expect(changes.session(1)?.state.preview == "one")
        #expect(changes.session(1)?.originator == "codex_exec")
        #expect(changes.session(2)?.lifecycle == .working)
        #expect(index.statistics.liveFiles == 2)
        #expect(index.statistics.archivedFiles == 1)
        #expect(index.start(now: Lines.time(60)).isEmpty)
    }

    @Test func followsAppends() throws {
        home.write(1, [Lines.started(at: 1)])
        let index = home.index()
        _ = index.start(now: Lines.time(2))
        #expect(index.processEvents(now: Lines.time(2)).isEmpty)
        home.append(1, [Lines.complete(at: 3)])
        let session = try #require(index.processEvents(now: Lines.time(3)).session(1))
        guard case .complete = session.lifecycle else { throw TestFailure() }
        // Half a line says nothing yet.
        let next = Lines.started(at: 4) + "\n"
        home.put(home.file(1), String(next.prefix(50)), flags: O_APPEND)
        _ = index.processEvents(now: Lines.time(4))
        #expect(index.published[Lines.identity(1)]?.lifecycle == session.lifecycle)
        home.put(home.file(1), String(next.dropFirst(50)), flags: O_APPEND)
        #expect(index.processEvents(now: Lines.time(4)).session(1)?.lifecycle == .working)
    }

    @Test func newFilesAndTheFolderOfANewDayAreFollowed() {
        home.write(1, Lines.turn(from: 1))
        let index = home.index()
        _ = index.start(now: Lines.time(9))
        home.write(2, [Lines.started(at: 10)])
        home.write(3, [Lines.started(at: 11)], day: "2026/12/01")
        home.write(4, [Lines.started(at: 12)], day: "2027/01/01")
        let changes = index.processEvents(now: Lines.time(20))
        for number in 2...4 { #expect(changes.session(number)?.lifecycle == .working) }
        home.append(3, [Lines.complete(at: 21)], day: "2026/12/01")
        home.append(4, [Lines.aborted(at: 21)], day: "2027/01/01")
        let more = index.processEvents(now: Lines.time(21))
        #expect(more.session(3)?.activityAt == Lines.time(21))
        #expect(more.session(4)?.lifecycle == .idle)
    }

    @Test func nothingIsListedBeforeItsFirstLineIsThere() {
        let index = home.index()
        home.make("home/sessions/2026/11/30")
        _ = index.start(now: Lines.time(1))
        home.put(home.file(1), "")
        #expect(index.processEvents(now: Lines.time(1)).isEmpty)
        let first = Lines.meta(Lines.identity(1), #""source":{"subagent":"review"}"#) + "\n"
        home.put(home.file(1), String(first.prefix(100)), flags: O_APPEND)
        #expect(index.processEvents(now: Lines.time(1)).isEmpty)
        home.put(home.file(1), first.dropFirst(100) + Lines.started(at: 1) + "\n", flags: O_APPEND)
        #expect(index.processEvents(now: Lines.time(1)).isEmpty)
        #expect(index.statistics.helperSessions == 1)
    }

    @Test func archivedSessionsLeaveTheListAndComeBack() {
        home.write(1, Lines.turn(from: 1))
        home.make("home/archived_sessions")
        let index = home.index()
        _ = index.start(now: Lines.time(9))
        let archived = home.path + "/archived_sessions/" + home.fileName(1)
        rename(home.file(1), archived)
        #expect(index.processEvents(now: Lines.time(9)) == [.gone(Lines.identity(1), .archived)])
        #expect(index.sessions.isEmpty)
        #expect(index.statistics.archivedFiles == 1)
        rename(archived, home.file(1))
        #expect(index.processEvents(now: Lines.time(9)).session(1)?.state.preview == "hello")
        unlink(home.file(1))
        #expect(index.processEvents(now: Lines.time(9)) == [.gone(Lines.identity(1), .deleted)])
        #expect(index.entries.isEmpty)
    }

    @Test func theArchiveMayAppearLater() {
        home.write(1, Lines.turn(from: 1))
        let index = home.index()
        _ = index.start(now: Lines.time(9))
        home.make("home/archived_sessions")
        rename(home.file(1), home.path + "/archived_sessions/" + home.fileName(1))
        #expect(index.processEvents(now: Lines.time(9)) == [.gone(Lines.identity(1), .archived)])
    }

    @Test func aCompressedTwinIsTheSameSession() {
        home.write(1, Lines.turn(from: 1, "words"))
        let index = home.index()
        let before = index.start(now: Lines.time(9)).session(1)
        home.compress(1)
        _ = index.processEvents(now: Lines.time(9))
        #expect(index.sessions.count == 1)
        #expect(index.statistics.compressedFiles == 0)
        unlink(home.file(1))
        _ = index.processEvents(now: Lines.time(9))
        let packed = index.published[Lines.identity(1)]
        #expect(packed?.state == before?.state)
        #expect(index.statistics.compressedFiles == 1)
        // Resumed: the plain file is back, and grows.
        home.write(1, Lines.turn(from: 1, "words"))
        unlink(home.file(1) + ".zst")
        home.append(1, [Lines.started(at: 700)])
        #expect(index.processEvents(now: Lines.time(700)).session(1)?.lifecycle == .working)
        #expect(index.sessions.count == 1)
        #expect(index.statistics.compressedFiles == 0)
    }

    @Test func compressedFilesWaitUntilTheRestIsRead() {
        home.write(1, Lines.turn(from: 1, "packed"))
        home.compress(1)
        unlink(home.file(1))
        home.write(2, Lines.turn(from: 1, "plain"))
        let index = home.index()
        #expect(index.start(now: Lines.time(9)).session(1) == nil)
        #expect(index.nextDeadline(now: Lines.time(9)) == Lines.time(9))
        #expect(index.handleTimeout(now: Lines.time(9)).session(1)?.state.preview == "packed")
        #expect(index.nextDeadline(now: Lines.time(9)) == nil)
    }

    @Test func namesComeFromTheIndexAndTheLastOneCounts() {
        home.write(1, Lines.turn(from: 1))
        let names = home.path + "/session_index.jsonl"
        home.put(names, #"{"id":"\#(Lines.identity(1))","thread_name":"First","updated_at":"x"}"# + "\n")
        let index = home.index()
        #expect(index.start(now: Lines.time(9)).session(1)?.name == "First")
        home.put(names, #"{"id":"\#(Lines.identity(1))","thread_name":" Second\n\u001b[1m name "}"# + "\nnot json\n{}\n", flags: O_APPEND)
        #expect(index.processEvents(now: Lines.time(9)).session(1)?.name == "Second [1m name")
        home.put(names + ".new", #"{"id":"\#(Lines.identity(1))","thread_name":"Third"}"# + "\n")
        rename(names + ".new", names)
        #expect(index.processEvents(now: Lines.time(9)).session(1)?.name == "Third")
        home.put(names, #"{"id":"\#(Lines.identity(1))","thread_name":"Fourth"}"# + "\n", flags: O_APPEND)
        #expect(index.processEvents(now: Lines.time(9)).session(1)?.name == "Fourth")
    }

    @Test func theFirstLineHasTheLastWordOnIdentity() {
        home.make("home/sessions/2026/11/30")
        home.put(home.file(1), Lines.meta(Lines.identity(2)) + "\n")
        let index = home.index()
        #expect(index.start(now: Lines.time(1)).session(2) != nil)
        home.append(1, [Lines.started(at: 1)])
        #expect(index.processEvents(now: Lines.time(1)).session(2)?.lifecycle == .working)
        #expect(index.sessions.count == 1)
    }

    @Test func readsTheNewestAndOthersWhenAsked() {
        for number in 1...6 {
            home.write(number, Lines.turn(from: number))
            var times = [timespec(tv_sec: 1_000_000 + number, tv_nsec: 0), timespec(tv_sec: 1_000_000 + number, tv_nsec: 0)]
            utimensat(AT_FDCWD, home.file(number), &times, 0)
        }
        let index = home.index(options: .init(initialSessions: 2, initialFiles: 4))
        _ = index.start(now: Lines.time(60))
        #expect(index.sessions.map(\.identity) == [Lines.identity(6), Lines.identity(5)])
        #expect(index.statistics.liveFiles == 6)
        #expect(index.load(Lines.identity(1), now: Lines.time(60)).session(1) != nil)
        #expect(index.load(Lines.identity(99), now: Lines.time(60)).isEmpty)
        home.append(3, [Lines.started(at: 61)])
        #expect(index.processEvents(now: Lines.time(61)).session(3)?.lifecycle == .working)
    }

    @Test func limitsAreTheNewestOfAllSessions() {
        home.write(1, [Lines.tokens(1, limits: #"{"primary":{"used_percent":10,"window_minutes":300}}"#, at: 5)])
        home.write(2, [Lines.tokens(1, limits: #"{"primary":{"used_percent":5,"window_minutes":300},"secondary":{"used_percent":7}}"#, at: 4)])
        let index = home.index()
        let changes = index.start(now: Lines.time(9))
        #expect(index.limits.primary?.usedPercent == 10)
        #expect(index.limits.secondary?.usedPercent == 7)
        #expect(changes.contains(.limits(index.limits)))
        home.append(2, [Lines.tokens(1, limits: #"{"primary":null,"secondary":null}"#, at: 8)])
        #expect(!index.processEvents(now: Lines.time(9)).contains { if case .limits = $0 { true } else { false } })
    }

    @Test func aTreeOfHundredsIsFollowed() {
        for number in 1...300 { home.write(number, Lines.turn(from: number), day: "2026/\(10 + number % 3)/\(10 + number % 20)") }
        let index = home.index()
        _ = index.start(now: Lines.time(1000))
        #expect(index.sessions.count == 128)
        #expect(index.statistics.liveFiles == 300)
        for number in stride(from: 1, through: 300, by: 7) {
            home.append(number, [Lines.started(at: 2000)], day: "2026/\(10 + number % 3)/\(10 + number % 20)")
        }
        let changes = index.processEvents(now: Lines.time(2000))
        #expect(changes.count == 43)
        #expect(changes.allSatisfy { if case .session(let session) = $0 { session.lifecycle == .working } else { false } })
    }
}
