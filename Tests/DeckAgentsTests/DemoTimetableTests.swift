import Testing

@testable import DeckAgents

struct DemoTimetableTests {
    /// Many, for what goes wrong at the edges of the chances is rare.
    static let seeds = (0..<40).map { UInt64($0) } + [1_800_000_000_000, .max]
    static let parts = DemoLife.cast.map(\.part)

    /// The turns of a part until an hour has passed.
    func turns(_ part: DemoPart, _ table: DemoTimetable) -> [DemoTimetable.Turn] {
        var turn: DemoTimetable.Turn
        switch table.beginning(of: part) {
        case .working(let first): turn = first
        case .rested(let number): turn = table.next(of: part, after: number, now: .zero)
        }
        var turns = [turn]
        while turn.end < .seconds(3_600) {
            turn = table.next(of: part, after: turn.number, now: turn.end)
            turns.append(turn)
        }
        return turns
    }

    @Test(arguments: seeds) func someoneAlwaysWaitsWorksAndHasFinished(seed: UInt64) {
        let table = DemoTimetable(seed: seed)
        let lives = Self.parts.map { (part: $0, turns: turns($0, table)) }
        for tenths in stride(from: 26, to: 36_000, by: 5) {
            let now = Duration.milliseconds(tenths * 100)
            var waiting = 0, working = 0, finished = 0
            for (part, turns) in lives {
                guard let turn = turns.last(where: { $0.begin <= now }), now < turn.end else {
                    let last = turns.last { $0.end <= now }
                    if !(last.map { $0.mayFail && table.fails(part, $0.number) } ?? false) { finished += 1 }
                    continue
                }
                if let decision = turn.decision, decision <= now, now < decision + DemoTimetable.patience { waiting += 1 } else { working += 1 }
            }
            #expect(waiting > 0 && working > 0 && finished > 0, "at \(now): \(waiting) wait, \(working) work, \(finished) have finished")
        }
    }

    @Test(arguments: seeds) func turnsOfATaskDoNotOverlapAndLeaveARest(seed: UInt64) {
        let table = DemoTimetable(seed: seed)
        for part in Self.parts {
            let turns = turns(part, table)
            #expect(turns.count > 8)
            for (turn, next) in zip(turns, turns.dropFirst()) {
                #expect(next.begin >= turn.end + .seconds(3))
                #expect(next.number > turn.number)
                #expect(turn.decision.map { $0 > turn.begin } ?? true)
                #expect(turn.closing > .zero)
            }
        }
    }

    @Test(arguments: seeds) func someTurnsFailAndMostDoNot(seed: UInt64) {
        let table = DemoTimetable(seed: seed)
        let ends = Self.parts.flatMap { part in turns(part, table).map { $0.mayFail && table.fails(part, $0.number) } }
        let failures = ends.count { $0 }
        #expect(failures > 2 && failures * 4 < ends.count, "\(failures) of \(ends.count)")
    }

    /// A turn is left out only after a person kept it from its time; at the start nobody has.
    @Test(arguments: seeds) func whatRestsAtTheStartBeginsInTime(seed: UInt64) {
        let table = DemoTimetable(seed: seed)
        for part in Self.parts {
            guard case .rested(let number) = table.beginning(of: part) else { continue }
            #expect(table.next(of: part, after: number, now: .milliseconds(500)).number == number + 1)
        }
    }

    @Test func theFirstQuestionComesWithinThreeSeconds() {
        let first = Self.parts.compactMap { part -> Duration? in
            if case .working(let turn) = DemoTimetable(seed: 3).beginning(of: part) { turn.decision } else { nil }
        }.min()
        #expect(first.map { $0 > .zero && $0 <= .seconds(3) } == true)
    }

    @Test func aComputerThatSleptSkipsWhatItMissed() {
        let table = DemoTimetable(seed: 5)
        for part in Self.parts {
            let now = Duration.seconds(86_400)
            let next = table.next(of: part, after: 0, now: now)
            #expect(next.begin > now)
            #expect(next.begin - now < .seconds(720))
        }
    }

    @Test func aGuestBeginsWhenItSaysAndGoesOnAfterRests() {
        let table = DemoTimetable(seed: 5), part = DemoPart.guest(begin: .seconds(100))
        let first = table.next(of: part, after: -1, now: .seconds(95))
        #expect(first.begin == .seconds(100))
        let second = table.next(of: part, after: first.number, now: first.end)
        #expect(second.begin > first.end + .seconds(30))
        #expect(second.number == 1)
    }

    @Test func sameSeedSameTimes() {
        for part in Self.parts {
            #expect(turns(part, DemoTimetable(seed: 9)) == turns(part, DemoTimetable(seed: 9)))
        }
        #expect(Self.parts.map { turns($0, DemoTimetable(seed: 9)) } != Self.parts.map { turns($0, DemoTimetable(seed: 10)) })
    }

    @Test func answersComeAtTheirTimes() {
        let turn = DemoTimetable.Turn(number: 1, begin: .seconds(100), decision: .seconds(118), closing: .seconds(15), mayFail: false)
        #expect(DemoTimetable.deadline(of: .before(index: 0, count: 3), in: turn, now: .seconds(100)) == .seconds(106))
        #expect(DemoTimetable.deadline(of: .before(index: 2, count: 3), in: turn, now: .seconds(112)) == .seconds(118))
        #expect(DemoTimetable.deadline(of: .after(index: 0, count: 2), in: turn, now: .seconds(125)) == .seconds(131))
        let plain = DemoTimetable.Turn(number: 1, begin: .seconds(100), decision: nil, closing: .seconds(40), mayFail: false)
        #expect(DemoTimetable.deadline(of: .before(index: 3, count: 4), in: plain, now: .seconds(130)) == .seconds(140))
    }
}
