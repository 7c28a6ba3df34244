import JSON
import RelayProtocol
import Testing

@testable import DeckClient

struct WidgetTests {
    private static func age(_ milliseconds: Int64) -> String { "\(milliseconds / 1000) s" }

    private static func usage(five: Double? = 12, week: Double? = 81, resetIn seconds: Double = 600) -> Usage {
        let windows = [(five, Usage.Window.Kind.fiveHour, "5h"), (week, .weekly, "week")].compactMap { used, kind, id in
            used.map {
                Usage.Window(id: id, kind: kind, usedPercent: $0, remainingPercent: 100 - $0, durationMinutes: nil, resetsAt: Lab.ago(-seconds))
            }
        }
        return Usage(windows: windows, observedAt: Lab.ago(30))
    }

    private static func state(_ views: [HostView], authority: Int? = nil, follow: Follow? = nil) -> WidgetState {
        var frame = EngineFrame()
        frame.follow = follow
        let board = Lab.board(views, authority: authority)
        return WidgetState(ClientState(frame, board: board, now: Lab.now), now: Lab.now)
    }

    private static let board = state([
        Lab.view(
            1,
            [
                Lab.slot(0, 1, .approval, title: "Fix <login> & \"out\"", ago: 5, context: 41),
                Lab.slot(1, 2, .working, title: "#[fg=red]Port #{pid}", ago: 9, context: 93),
                Lab.slot(2, 3, .complete, title: "", ago: 20), Lab.slot(4, 4, .idle, title: "四", selected: true, ago: 90),
            ], mode: .pinned, usage: usage()),
        Lab.view(2, [], live: false),
    ])

    private static func face(_ widget: Widget, _ state: WidgetState? = board, now: UnixMilliseconds = Lab.now) -> WidgetFace {
        WidgetFace(widget, state, now: now, age: age)
    }

    private static func line(_ widget: Widget, _ format: WidgetFormat, _ state: WidgetState? = board) -> String {
        WidgetText.render(face(widget, state), widget, state, as: format)
    }

    @Test func boardsShowThreeOrSix() {
        #expect(Self.line(.board(count: 3), .plain) == "1 approve? Fix <login> & \"out\"  2 working #[fg=red]Port #{pid}  3 done untitled")
        #expect(Self.line(.board(count: 6), .plain).hasSuffix("5 idle 四"))
        #expect(Self.face(.board(count: 6)).short == "1 waiting")
    }

    @Test func theCurrentTaskIsTheWorkingThenTheSelectedThenTheLatest() {
        #expect(Self.board.current?.title == "#[fg=red]Port #{pid}")
        let selected = Self.state([Lab.view(1, [Lab.slot(0, 1, ago: 1), Lab.slot(1, 2, selected: true, ago: 50)])])
        #expect(selected.current?.title == "Task 2")
        let latest = Self.state([Lab.view(1, [Lab.slot(0, 1, ago: 9), Lab.slot(1, 2, .complete, ago: 3), Lab.slot(2, 3, ago: nil)])])
        #expect(latest.current?.title == "Task 2")
        let offline = Self.state([Lab.view(1, [Lab.slot(0, 1, .working, ago: 1)], live: false), Lab.view(2, [Lab.slot(0, 2, ago: 90)])])
        #expect(offline.current?.title == "Task 2")
        #expect(Self.line(.agent, .plain, Self.state([Lab.view(1, [])])) == "no task")
    }

    @Test func agentsTellTheirState() {
        #expect(Self.line(.agent, .plain) == "working #[fg=red]Port #{pid} · L Host 1 93 %")
        let offline = Self.state([Lab.view(1, [Lab.slot(0, 1, .approval)], live: false)])
        #expect(Self.line(.agent, .plain, offline) == "approve? (last known) Task 1 · L Host 1")
        #expect(Self.face(.agent, offline).parts[0].tone == .quiet)
    }

    @Test func limitsAreToldAndMissingOnesAreNotZero() {
        #expect(Self.line(.capacity(both: false), .plain) == "week 81 %")
        #expect(Self.line(.capacity(both: true), .plain) == "5 h 12 %  week 81 %")
        #expect(Self.face(.capacity(both: false)).percent == 81)
        #expect(Self.face(.capacity(both: false)).tone == .warning)
        let none = Self.state([Lab.view(1, [], usage: Self.usage(five: nil, week: nil))])
        #expect(Self.line(.capacity(both: true), .plain, none) == "5 h –  week –")
        #expect(Self.face(.capacity(both: true), none).percent == nil)
        let over = Self.state([Lab.view(1, [], usage: Self.usage(resetIn: -5))])
        #expect(Self.line(.capacity(both: false), .plain, over) == "week 81 %?")
        #expect(Self.face(.capacity(both: false), over).details[1] == "Weekly: 81 % used before its reset")
    }

    @Test func keysNameTheirComputer() {
        #expect(Self.line(.command(.fast, .selected), .plain) == "FAST · L Host 1")
        #expect(Self.line(.deck([.fast, .approve], .named("host 2")), .plain) == "FAST APPR · L Host 2 offline")
        #expect(Self.line(.command(.fast, .named("x\u{1b}y")), .plain) == "FAST · xy offline")
        #expect(Self.face(.command(.fast, .selected), Self.board, now: Lab.ago(-91)).classes.contains("offline"))
    }

    @Test func theFollowedTaskIsTold() {
        let view = Lab.view(1, [Lab.slot(0, 1, .working, ago: 5, context: 41)])
        var follow = Follow(Lab.task(1), since: Lab.now)
        _ = follow.observe(Lab.board([view]), now: Lab.now)
        #expect(Self.line(.follow, .plain, Self.state([view], follow: follow)) == "Task 1: working · L Host 1 41 %")
        let lost = Self.state([Lab.view(1, [Lab.slot(0, 1, .working)], live: false)], follow: follow)
        #expect(Self.line(.follow, .plain, lost).hasSuffix("· Last known"))
        #expect(Self.line(.follow, .plain) == "following nothing")
    }

    @Test(arguments: [(Int64(90_000), false), (90_001, true)])
    func anOldStateSaysHowOldItIs(after milliseconds: Int64, isOld: Bool) {
        let face = Self.face(.agent, Self.board, now: Lab.now.advanced(byMilliseconds: milliseconds))
        #expect(face.text.hasSuffix("(90 s old)") == isOld)
        #expect(face.classes.contains("stale") == isOld)
    }

    @Test(arguments: WidgetFormat.allCases)
    func withoutAStateEveryFormatSaysSo(format: WidgetFormat) { #expect(Self.line(.agent, format, nil).contains("nothing known")) }

    // MARK: - Formats

    @Test func waybarReadsNoMarkupFromTitles() throws {
        let json = try parse(Self.line(.board(count: 3), .waybar))
        #expect(json["text"]?.string?.hasPrefix("1 approve? Fix &lt;login&gt; &amp; &quot;out&quot;") == true)
        #expect(json["tooltip"]?.string?.contains("<") == false)
        #expect(json["class"]?.array?.contains("waiting") == true)
        #expect(!Self.line(.board(count: 3), .waybar).contains("\n"))
    }

    /// Polybar and lemonbar take plain text, and `%{…}` in it for instructions.
    @Test func noBarReadsInstructionsFromPlainTitles() {
        let hostile = Self.state([Lab.view(1, [Lab.slot(0, 1, .working, title: "%{A1:reboot:}%%{{x", ago: 1)])])
        #expect(!Self.line(.agent, .plain, hostile).contains("%{"))
        #expect(Self.line(.agent, .plain, hostile).hasPrefix("working % {A1:reboot:}%% {{x"))
    }

    @Test func i3blocksHasThreeLines() {
        let lines = Self.line(.agent, .i3blocks).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3)
        #expect(lines[2].hasPrefix("#"))
    }

    @Test func tmuxExpandsNothingOfATitle() {
        let line = Self.line(.agent, .tmux)
        #expect(line.hasPrefix("#[fg=colour33]working#[default] ##[fg=red]Port ##{pid}"))
    }

    @Test func jsonHoldsWhatTheWidgetShows() throws {
        let json = try parse(Self.line(.capacity(both: true), .json))
        #expect(json["weekly"]?["used"]?.int == 81)
        #expect(try parse(Self.line(.board(count: 3), .json))["tasks"]?.array?.count == 3)
    }

    // MARK: - The file

    @Test func theFileHoldsEverythingAndNothingElse() throws {
        let bytes = Self.board.encoded()
        #expect(WidgetState(decoding: bytes) == Self.board)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("10.0.0"))
        #expect(!text.contains("profile"))
    }

    @Test(arguments: ["", "{}", "[1]", #"{"version":2}"#, #"{"version":1,"writtenAt":1,"slots":[],"unread":0,"computers":[]}"#])
    func aFileThatMakesNoSenseIsNone(text: String) { #expect(WidgetState(decoding: Array(text.utf8)) == nil) }

    @Test func theLargestStateFits() {
        let long = String(repeating: "\u{1F469}\u{200D}\u{1F4BB}", count: 200)
        let views = (1...30).map { host in Lab.view(host, (0..<6).map { Lab.slot($0, host * 6 + $0, .working, title: long, ago: 1) }) }
        #expect(Self.state(views).encoded().count <= WidgetState.maximumBytes)
    }

    @Test func timeAloneIsNoMaterialChange() {
        func state(ago: Double, status: TaskStatus = .working) -> WidgetState {
            Self.state([Lab.view(1, [Lab.slot(0, 1, status, ago: ago)], usage: Self.usage())])
        }
        #expect(state(ago: 5) != state(ago: 3))
        #expect(state(ago: 5).material == state(ago: 3).material)
        #expect(state(ago: 5).material != state(ago: 5, status: .approval).material)
    }
}
