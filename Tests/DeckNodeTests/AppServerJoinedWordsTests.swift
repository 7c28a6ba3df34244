import CodexAppServer
import CodexRollouts
import RelayProtocol
import Testing

@testable import DeckNode

/// Titles, times and numbers of a task that two sources know, and who told them.
struct AppServerJoinedWordsTests {
    typealias Join = AppServerJoinTests

    static func title(
        name: String? = nil, preview: String? = nil, fileName: String? = nil, filePreview: String? = nil, status: ThreadStatus = .idle,
        titles: NodeSettings.Titles = .shown
    ) -> (String?, DeckTask.Origin?) {
        let facts = Join.facts(status) { ($0.name, $0.preview) = (name, preview) }
        let session = RolloutSession(
            identity: Wire.id(1), name: fileName, state: SessionState(preview: filePreview), modifiedAt: Wire.start)
        let task = Join.join(facts, session, titles: titles)?.task
        return (task?.title, task?.provenance.title)
    }

    static let plain = "Codex task 01a22b92"

    @Test func theNameIsTheUsersThenTheFirstWords() {
        #expect(Self.title(name: "Live", preview: "p", fileName: "File", filePreview: "q") == ("Live", .appServer))
        #expect(Self.title(preview: "p", fileName: "File", filePreview: "q") == ("File", .rollout))
        #expect(Self.title(preview: "p", filePreview: "q") == ("p", .appServer))
        #expect(Self.title(filePreview: "q") == ("q", .rollout))
        #expect(Self.title() == (Self.plain, .appServer))
    }

    @Test func aTaskTheDaemonOnlyListsMayBorrowItsName() {
        #expect(Self.title(name: "Live", status: .notLoaded) == ("Live", .appServer))
        #expect(Self.title(name: "Live", fileName: "File", status: .notLoaded) == ("File", .rollout))
        #expect(Self.title(preview: "p", filePreview: "q", status: .notLoaded) == ("q", .rollout))
    }

    @Test(arguments: [ThreadStatus.idle, .notLoaded]) func hiddenTitlesShowNothing(status: ThreadStatus) {
        #expect(Self.title(name: "Secret", preview: "s", fileName: "s", filePreview: "s", status: status, titles: .hidden).0 == Self.plain)
    }

    @Test func firstWordsAreOneShortLine() {
        #expect(Self.title(preview: "\n  one\ntwo").0 == "one")
        #expect(Self.title(preview: String(repeating: "a", count: 400)).0?.count == 80)
        #expect(Self.title(name: "a\u{1B}[31mb\nc").0?.contains("\u{1B}") == false)
    }

    @Test(arguments: [(NodeSettings.Titles.shown, "Side chat: Fix it"), (.hidden, "Side chat: Codex task 01a22b92")])
    func aSideChatSaysSo(titles: NodeSettings.Titles, title: String) {
        let facts = Join.facts(.idle) { ($0.name, $0.sideChatOf) = ("Fix it", Wire.id(2)) }
        #expect(Join.join(facts, nil, titles: titles)?.task.title == title)
    }

    @Test func aSideChatWithALongNameFits() {
        let facts = Join.facts(.idle) { ($0.name, $0.sideChatOf) = (String(repeating: "x", count: 3_000), Wire.id(2)) }
        #expect((Join.join(facts, nil)?.task.title.count ?? 0) <= RelayLimits.maximumTitleCharacters)
    }

    // MARK: Context

    @Test(arguments: [
        (30, 40, 30, DeckTask.Origin.appServer), (nil, 40, 40, .rollout), (0, 40, 0, .appServer), (nil, nil, nil, nil),
    ] as [(Int?, Int?, Int?, DeckTask.Origin?)])
    func theDaemonsContextCountsFirst(live: Int?, file: Int?, shown: Int?, origin: DeckTask.Origin?) {
        let session = RolloutSession(identity: Wire.id(1), state: SessionState(contextUsedPercent: file), modifiedAt: Wire.start)
        let task = Join.join(Join.facts(.idle) { $0.contextUsedPercent = live }, session)?.task
        #expect(task?.contextUsedPercent == shown)
        #expect(task?.provenance == .init(status: .appServer, title: .appServer, context: origin))
    }

    @Test func aWatchedTasksFactsAreTheFiles() {
        let session = RolloutSession(identity: Wire.id(1), state: SessionState(contextUsedPercent: 12), modifiedAt: Wire.start)
        #expect(Join.join(nil, session)?.task.provenance == .init(status: .rollout, title: .rollout, context: .rollout))
    }

    // MARK: Times

    @Test func workStartIsTheFilesWhereItHasOne() {
        let live = DeckTask.WorkStart(at: Wire.later(5), revision: 1)
        let facts = Join.facts(Join.working) { $0.turnStart = live }
        let state = SessionState(lifecycle: .working, workStart: .init(at: Wire.later(3), revision: 4_000))
        let session = RolloutSession(identity: Wire.id(1), state: state, modifiedAt: Wire.start)
        #expect(Join.join(facts, session)?.task.workStart == .init(at: Wire.later(3), revision: 4_000))
        #expect(Join.join(facts, Join.session(.working))?.task.workStart == live)
        #expect(Join.join(facts, nil)?.task.workStart == live)
        #expect(Join.join(Join.facts(Join.working), nil)?.task.workStart == nil)
    }

    @Test func activityIsTheNewerOfBothAndNeverAhead() {
        func activity(_ live: UnixMilliseconds?, _ file: UnixMilliseconds?) -> UnixMilliseconds? {
            let session = file.map { RolloutSession(identity: Wire.id(1), state: SessionState(activityAt: $0), modifiedAt: Wire.start) }
            return Join.join(Join.facts(.idle) { $0.activityAt = live }, session)?.task.activityAt
        }
        #expect(activity(Wire.later(10), Wire.later(20)) == Wire.later(20))
        #expect(activity(Wire.later(30), Wire.later(20)) == Wire.later(30))
        #expect(activity(nil, Wire.later(20)) == Wire.later(20))
        #expect(activity(nil, nil) == Join.now)
        #expect(activity(Join.now.advanced(byMilliseconds: 60_000), nil) == Join.now)
    }
}
