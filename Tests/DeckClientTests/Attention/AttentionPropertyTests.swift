import RelayProtocol
import Testing

@testable import DeckClient

/// Thousands of random stories: what must hold whatever the computers say, in whatever order.
struct AttentionPropertyTests {
    private static let words: [TaskStatus] = [.idle, .working, .complete, .unread, .approval, .awaitingResponse, .error, .off]

    /// One step of a story: what a computer shows, or that it is lost.
    private struct Step {
        var host: Int
        var slots: [Slot]?
        var sessions: [HostSession] = []
        var seconds: Double
    }

    /// - Parameter gaps: Whether tasks are without a slot at times.
    private static func story(_ seed: UInt64, hosts: Int, tasks: Int, length: Int, gaps: Bool = true) -> [Step] {
        var random = SplitMix(state: seed)
        var revisions = [Int64](repeating: 1, count: tasks + 1)
        return (0..<length).map { number in
            let host = Int.random(in: 1...hosts, using: &random)
            let seconds = Double(Int.random(in: 1...4, using: &random))
            if Int.random(in: 0..<8, using: &random) == 0 { return Step(host: host, slots: nil, seconds: seconds) }
            var slots: [Slot] = []
            var sessions: [HostSession] = []
            for task in 1...tasks where !gaps || Int.random(in: 0..<5, using: &random) > 0 {
                let status = words.randomElement(using: &random)!
                if status == .working, Bool.random(using: &random) { revisions[task] += 1 }
                slots.append(Lab.slot(task - 1, task, status, ago: 1000 - Double(number * Int.random(in: 0...3, using: &random))))
                if task % hosts == host - 1 {
                    sessions.append(Lab.session(task, .idle, ago: 1000 - Double(number), revision: revisions[task]))
                }
            }
            return Step(host: host, slots: slots, sessions: sessions, seconds: seconds)
        }
    }

    private static func take(_ step: Step, _ lab: inout AttentionLab) -> [String] {
        step.slots.map { lab.say(step.host, $0, sessions: step.sessions, after: step.seconds) } ?? lab.lose(step.host)
    }

    @Test(arguments: [UInt64(0), 1000, 2000, 3000])
    func everyLedgerIsSound(first: UInt64) {
        for seed in first..<first + 20 {
            var lab = AttentionLab()
            var told = 0
            for step in Self.story(seed, hosts: 3, tasks: 4, length: 40) {
                let new = Self.take(step, &lab)
                told += new.count
                let again = lab.look()
                #expect(again == [], "a second look is no news; seed \(seed)")
                #expect(Self.faults(lab, new) == [], "seed \(seed)")
            }
            #expect(lab.ledger.events.first.map { Int($0.id) } ?? 0 == told, "seed \(seed)")
        }
    }

    private static func faults(_ lab: AttentionLab, _ new: [String]) -> [String] {
        var faults: [String] = []
        func check(_ holds: Bool, _ fault: String) { if !holds { faults.append(fault) } }
        let events = lab.ledger.events
        let board = Lab.board(lab.hosts.keys.sorted().compactMap { lab.hosts[$0] }, at: lab.now)
        check(Set(new).count == new.count, "a task makes one event at a time")
        check(events.map(\.id) == events.map(\.id).sorted(by: >), "newest first")
        check(events.count <= AttentionLedger.capacity, "bounded")
        for task in Set(events.map(\.task)) {
            let open = events.filter { $0.task == task && $0.endedAt == nil }
            check(open.count <= 1, "a task needs one thing at a time")
            guard let present = board.task(task), !present.offline, let event = open.first else { continue }
            let need = AttentionEvent.Kind(present.status).map(TaskTrack.Need.init)
            check(need == TaskTrack.Need(event.kind), "what is open is what the task needs")
        }
        for event in events where event.kind == .completion || event.kind == .unread {
            guard case .number? = event.revision else { continue }
            let same = events.filter { $0.task == event.task && $0.revision == event.revision && TaskTrack.Need($0.kind) == .finished }
            check(same.count == 1, "a completion makes one event")
        }
        return faults
    }

    @Test(arguments: [UInt64(10_000), 11_000])
    func aStateThatIsToldAgainAfterARestartIsNoNews(first: UInt64) {
        for seed in first..<first + 15 {
            var lab = AttentionLab()
            for step in Self.story(seed, hosts: 2, tasks: 4, length: 25) { _ = Self.take(step, &lab) }
            var next = AttentionLab(AttentionLedger(lab.ledger.events, lastID: 1000))
            next.now = lab.now
            for (number, view) in lab.hosts.sorted(by: { $0.key < $1.key }) where view.isLive {
                next.hosts[number] = view
                let events = next.look()
                #expect(events == [], "seed \(seed)")
            }
        }
    }

    @Test(arguments: [UInt64(20_000), 21_000])
    func mirrorsChangeNothing(first: UInt64) {
        for seed in first..<first + 15 {
            var alone = AttentionLab()
            var mirrored = AttentionLab()
            // Every computer is known before anything happens.
            mirrored.say(2, [])
            mirrored.say(3, [])
            for step in Self.story(seed, hosts: 1, tasks: 3, length: 40, gaps: false) {
                guard let slots = step.slots else { continue }
                let sessions = (1...3).map { task in
                    step.sessions.first { $0.threadID == Lab.task(task) } ?? Lab.session(task, .idle, ago: 2000)
                }
                let expected = alone.say(1, slots, sessions: sessions, after: 6)
                let events = mirrored.say(1, slots, sessions: sessions, after: 6)
                #expect(events == expected, "seed \(seed)")
                for copy in [2, 3] {
                    let more = mirrored.say(copy, slots, after: 0)
                    #expect(more == [], "seed \(seed)")
                }
            }
        }
    }

    @Test func aWeekOfChangesStaysSmall() {
        var lab = AttentionLab()
        var random = SplitMix(state: 5)
        for _ in 0..<400 {
            let host = Int.random(in: 1...16, using: &random)
            let slots = (0..<6).map { slot in
                Lab.slot(
                    slot, Int.random(in: 0..<250, using: &random), Self.words.randomElement(using: &random)!,
                    ago: Double(Int.random(in: 0..<100, using: &random)))
            }
            lab.say(host, slots, after: 1500)
            #expect(lab.ledger.events.count <= 100)
        }
        #expect(lab.ledger.events.allSatisfy { lab.now.milliseconds(since: $0.at) <= AttentionLedger.lifetime })
    }
}
