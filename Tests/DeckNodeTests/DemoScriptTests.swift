import RelayProtocol
import Testing

@testable import DeckNode

struct DemoScriptTests {
    let start = DeckTests.start

    /// Runs the script until `wanted` holds for one task; a minute of its time is enough for all of them.
    func script(until wanted: (DeckTask) -> Bool) throws -> (DemoScript, DeckTask, UnixMilliseconds) {
        var script = DemoScript(seed: 7, now: start)
        var now = start
        while now.milliseconds(since: start) < 60_000 {
            if let task = script.tasks.first(where: wanted) { return (script, task, now) }
            now = try #require(script.nextDeadline)
            #expect(!mutating(&script) { $0.handleTimeout(now: now) }.isEmpty, "something is due at a deadline")
        }
        throw Missing()
    }

    struct Missing: Error {}

    @Test func sameSeedSameLives() {
        #expect(DemoScript(seed: 1, now: start).tasks == DemoScript(seed: 1, now: start).tasks)
        #expect(DemoScript(seed: 1, now: start).tasks.map(\.identity) != DemoScript(seed: 2, now: start).tasks.map(\.identity))
    }

    @Test func sixTasksThatSayWhatTheyAre() {
        let tasks = DemoScript(seed: 1, now: start).tasks
        #expect(tasks.count == 6)
        #expect(Set(tasks.map(\.identity)).count == 6)
        #expect(tasks.allSatisfy { $0.title.hasPrefix("Demo:") && $0.origin == .demo })
    }

    @Test func approvingLetsTheTaskGoOn() throws {
        var (script, task, now) = try script { $0.phase == .awaitingApproval }
        let after = try mutating(&script) { $0.perform(.approve, on: task.identity, now: now) }.get()
        #expect(after.phase == .working)
    }

    @Test func decliningMakesTheTaskFail() throws {
        var (script, task, now) = try script { $0.phase == .awaitingApproval }
        let after = try mutating(&script) { $0.perform(.decline, on: task.identity, now: now) }.get()
        guard case .failed = after.phase else { throw Missing() }
    }

    @Test func nothingIsApprovedThatDoesNotWait() throws {
        var (script, task, now) = try script { $0.phase == .working }
        #expect(mutating(&script) { $0.perform(.approve, on: task.identity, now: now) } == .failure(.init(sentence: RelayError.nothingToApprove)))
        #expect(mutating(&script) { $0.perform(.approve, on: nil, now: now) } == .failure(.init(sentence: RelayError.noOpenTask)))
        #expect(mutating(&script) { $0.perform(.fast, on: task.identity, now: now) } == .failure(.init(sentence: Refusal.demo)))
    }

    @Test func aWeekOfItStaysWithinItsBounds() throws {
        var script = DemoScript(seed: 3, now: start)
        var now = start
        for _ in 0..<20_000 {
            now = try #require(script.nextDeadline)
            _ = script.handleTimeout(now: now)
            let windows = script.usage(now: now).windows
            #expect(windows.allSatisfy { (0...100).contains($0.usedPercent) && $0.usedPercent + $0.remainingPercent >= 99 })
        }
        #expect(script.tasks.allSatisfy { (0...100).contains($0.contextUsedPercent ?? -1) })
    }
}
