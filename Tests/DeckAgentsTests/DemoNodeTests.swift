import CodexKit
import RelayProtocol
import Testing

@testable import DeckAgents

/// The demo as its host tells it, through hours that take no time.
struct DemoNodeTests {
    // MARK: Unattended

    @Test func sixTasksAreThereWhenItHasStarted() async throws {
        let stand = try await DemoStand()
        let tasks = stand.tasks
        #expect(tasks.count == 6)
        #expect(Set(tasks.map { DemoNode.title(of: $0) }) == Set(DemoLife.cast.map(\.life.title)))
        #expect(tasks.contains { $0.phase == .working } && tasks.contains { $0.phase.isFinished })
        #expect(tasks.allSatisfy { $0.contextUsedPercent.map { (1...100).contains($0) } == true })
        #expect(tasks.allSatisfy { $0.start != nil })
        stand.demo.stop()
    }

    @Test func aPersonIsAskedWithinThreeSeconds() async throws {
        let stand = try await DemoStand()
        _ = try await stand.find("an approval", within: .seconds(3)) { $0.phase == .awaitingApproval }
        stand.demo.stop()
    }

    @Test func hoursOfItStayWithinTheirBounds() async throws {
        let stand = try await DemoStand(seed: 11)
        let identities = stand.tasks.map(\.identity)
        var usage = stand.demo.usage(now: stand.now)
        var lacking: [String] = []
        await stand.live(until: .seconds(2 * 3_600)) {
            let tasks = stand.tasks
            #expect(tasks.map(\.identity) == identities)
            #expect(tasks.allSatisfy { (0...100).contains($0.contextUsedPercent ?? -1) })
            let phases = tasks.map(\.phase)
            let isComplete = phases.contains(where: \.isWaiting) && phases.contains(.working) && phases.contains(where: \.isFinished)
            if stand.time.now > .seconds(3), !isComplete {
                lacking.append("\(stand.time.now): \(phases)")
            }
            let new = stand.demo.usage(now: stand.now)
            for (old, new) in zip(usage.windows, new.windows) {
                #expect((0...100).contains(new.usedPercent) && new.usedPercent + new.remainingPercent == 100)
                #expect(new.resetsAt == old.resetsAt && new.usedPercent >= old.usedPercent || (old.resetsAt ?? stand.now) <= stand.now)
                #expect((new.resetsAt ?? stand.now) > stand.now)
            }
            usage = new
        }
        #expect(lacking.prefix(3) == [], "\(lacking.count) times not everything was there")
        #expect(stand.illegal.prefix(5) == [])
        let phases = stand.lives.values.flatMap { $0.map(\.phase) }
        for (what, found) in [
            ("approvals", phases.contains(.awaitingApproval)), ("questions", phases.contains(.awaitingResponse)),
            ("failures", phases.contains(where: \.isFailed)), ("completions", phases.contains(where: \.isFinished)),
        ] { #expect(found, "\(what) belong to a life") }
        stand.demo.stop()
    }

    @Test func usageMovesWithTheWork() async throws {
        let stand = try await DemoStand()
        let before = stand.demo.usage(now: stand.now).windows.map(\.usedPercent)
        await stand.live(until: .seconds(1_200))
        let after = stand.demo.usage(now: stand.now).windows.map(\.usedPercent)
        #expect(zip(before, after).allSatisfy { $0 < $1 }, "\(before) \(after)")
        stand.demo.stop()
    }

    @Test func sameSeedSameLives() async throws {
        let first = try await DemoStand(seed: 5), second = try await DemoStand(seed: 5), other = try await DemoStand(seed: 6)
        for stand in [first, second, other] { await stand.live(until: .seconds(900)) }
        // Not told in full: a difference would be pages long.
        let (isSame, differs) = (first.lives == second.lives, Set(first.lives.values) != Set(other.lives.values))
        #expect(isSame)
        #expect(differs && Set(first.lives.keys) != Set(other.lives.keys))
        for stand in [first, second, other] { stand.demo.stop() }
    }

    @Test func whatIsPastIsForgotten() async throws {
        let stand = try await DemoStand()
        await stand.live(until: .seconds(2_400))
        let runtime = try #require(await stand.host.runtime)
        for task in stand.tasks {
            let records = try await runtime.history(of: task.identity.uuid)
            #expect((1..<120).contains(records.count), "\(records.count)")
        }
        stand.demo.stop()
    }

    @Test func resetsStayPutUntilTheyPass() {
        var meter = DemoMeter(now: DemoStand.start)
        var random = SplitMix64(state: 1)
        let first = meter.usage(now: DemoStand.start)
        for _ in 0..<500 { _ = meter.answered(TaskIdentity(bytes: [UInt8](repeating: 1, count: 16)), random: &random) }
        let later = meter.usage(now: DemoStand.start.advanced(byMilliseconds: 3_600_000))
        #expect(later.windows.map(\.resetsAt) == first.windows.map(\.resetsAt))
        #expect(later.windows[0].usedPercent > first.windows[0].usedPercent)
        let passed = meter.usage(now: DemoStand.start.advanced(byMilliseconds: 8 * 3_600_000))
        #expect(passed.windows[0].usedPercent == 0)
        #expect(passed.windows[0].resetsAt == first.windows[0].resetsAt?.advanced(byMilliseconds: 2 * 5 * 3_600_000))
        #expect(passed.windows[1].resetsAt == first.windows[1].resetsAt)
    }
}
