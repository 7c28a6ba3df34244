import EventLoop
import JSON
import Log
import RelayProtocol

@testable import CodexAppServer
@testable import DeckNode

/// A source and the daemon it is connected to.
final class AppServerLab: Sendable {
    let script: AppServerScript
    let source: AppServerSource
    /// What the source reported, one by one and as it came.
    let changes: Journal<AppServerChange>
    let reports: Journal<[AppServerChange]>
    private let folder: TestFolder
    private let loops: [EventLoop]

    /// Long where a test waits for what comes, so that no slow computer makes it fail, and longer than a test may take.
    static let patient: AppServerLimits = {
        var limits = AppServerLimits()
        limits.confirmation = .seconds(120)
        limits.contradiction = .milliseconds(5)
        limits.refusal = .milliseconds(5)
        limits.arrival = .seconds(120)
        limits.settings = .seconds(120)
        limits.turn = .seconds(120)
        limits.play = .seconds(120)
        limits.retry = .milliseconds(5)
        return limits
    }()

    /// - Parameters:
    ///   - threads: What the daemon lists; those whose status says so are loaded.
    ///   - prepare: Changes what the daemon says before anybody asks.
    init(
        _ threads: [JSONValue] = [], readStates: [String: JSONValue] = [:], limits: AppServerLimits = patient,
        prepare: (AppServerScript) -> Void = { _ in }
    ) async throws {
        let (folder, loop, scriptLoop) = (TestFolder(), try EventLoop(name: "source"), try EventLoop(name: "script"))
        let (changes, reports) = (Journal<AppServerChange>(), Journal<[AppServerChange]>())
        script = try await AppServerScript(codexHome: folder, loop: scriptLoop)
        source = AppServerSource(codexHome: folder.path, version: "0", limits: limits, loop: loop, logger: .silent, now: { Wire.start }) { new in
            reports.add(new)
            for change in new { changes.add(change) }
        }
        (self.folder, self.changes, self.reports, loops) = (folder, changes, reports, [loop, scriptLoop])
        Self.play(script, threads, readStates)
        prepare(script)
        await source.start()
        await changes.take { if case .condition(let condition) = $0 { condition.isConnected } else { false } }
    }

    deinit { for loop in loops { loop.shutdown() } }

    private static func play(_ script: AppServerScript, _ threads: [JSONValue], _ readStates: [String: JSONValue]) {
        let byID = Dictionary(uniqueKeysWithValues: threads.map { ($0["id"]?.string ?? "", $0) })
        let loaded = threads.filter { $0["status"]?["type"] != "notLoaded" }.compactMap { $0["id"] }
        script.on("thread/list") { [$0.result(["data": .array(threads), "readStates": .object(readStates)])] }
        script.on("thread/loaded/list") { [$0.result(["data": .array(loaded)])] }
        script.on("thread/read") { call in
            guard let thread = byID[call.thread] else { return [call.error("no thread")] }
            return [call.result(["thread": thread, "readState": readStates[call.thread] ?? .null])]
        }
        script.on("thread/resume") { call in
            guard let thread = byID[call.thread] else { return [call.error("no rollout found")] }
            return [call.result(Wire.opened(thread))]
        }
        let efforts = JSONValue.array(["low", "medium", "high"].map { ["reasoningEffort": .string($0)] })
        script.on("model/list") {
            [$0.result(["data": [["model": "gpt-5.5", "supportedReasoningEfforts": efforts, "serviceTiers": [["id": "priority"]]]]])]
        }
        script.on("account/rateLimits/read") { [$0.error("codex account authentication required to read rate limits")] }
        script.on("thread/settings/update") { [$0.result()] }
    }

    // MARK: Waiting

    /// Waits for facts of a thread that match.
    @discardableResult
    func facts(_ number: UInt8, _ matches: @escaping @Sendable (ThreadFacts) -> Bool = { _ in true }) async -> ThreadFacts {
        let change = await changes.take { change in
            if case .thread(let facts) = change { facts.identity == Wire.id(number) && matches(facts) } else { false }
        }
        guard case .thread(let facts) = change else { preconditionFailure("took another change") }
        return facts
    }

    /// Waits until the source has taken all that the daemon said so far.
    func settle() async {
        await script.say(Wire.started(Wire.thread(250, Wire.notLoaded)), Wire.note("thread/deleted", 250))
        await changes.take { if case .gone(Wire.id(250), _) = $0 { true } else { false } }
    }

    /// Waits until the source listens to the thread and knows how it is set up.
    func subscribed(_ number: UInt8) async {
        await script.calls.take { $0.method == "thread/resume" && $0.thread == Wire.id(number).uuid }
        await settle()
    }

    /// Has the daemon ask for an approval of thread 1, and waits until the source knows.
    func asked(_ requests: JSONValue...) async {
        await subscribed(1)
        await script.say(Wire.turnStarted(1), Wire.status(1, Wire.active("waitingOnApproval")))
        for request in requests { await script.say(request) }
        await settle()
    }

    func answerToApprove(_ number: UInt8 = 1) async -> ActionOutcome { await source.answer(Wire.id(number), .approve) }
}

extension ActionOutcome {
    /// The sentence of a refusal; `nil` for everything else.
    var refusal: String? { if case .refused(let sentence) = self { sentence } else { nil } }
    var isDone: Bool { if case .done = self { true } else { false } }
}
