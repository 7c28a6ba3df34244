import RelayProtocol
import Testing

@testable import DeckClient

/// Thousands of random decks: what must hold whatever the hosts say.
struct MergePropertyTests {
    /// The same numbers for the same seed, on every machine.
    struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    /// One deck: hosts, what was seen, what was joined, and who was chosen.
    struct Deck {
        var hosts: [HostView]
        var authority: HostID?
        var seen = Acknowledgements()
        var joins = TemporaryKeyJoins()

        func board(_ hosts: [HostView]? = nil) -> Board {
            DeckMerge.merge(hosts: hosts ?? self.hosts, authority: authority, acknowledgements: seen, joins: joins, now: Lab.now)
        }
    }

    private static let words: [TaskStatus] = [
        .off, .idle, .working, .thinking, .unread, .complete, .completed, .done, .approval, .awaitingApproval, .awaitingResponse, .error,
        TaskStatus(rawValue: "new-word"),
    ]

    private static func slot(_ id: Int, _ random: inout SplitMix) -> Slot? {
        guard Int.random(in: 0..<5, using: &random) > 0 else { return nil }
        let number = Int.random(in: 1...14, using: &random)
        let keys = [Lab.key(number), Lab.key(number), "remote:" + Lab.task(number).uuid.uppercased(), Lab.temporaryKey(200 + number), "no key"]
        return Lab.slot(
            id, number, words.randomElement(using: &random)!, key: keys.randomElement(using: &random)!,
            title: Bool.random(using: &random) ? "Title \(number % 5)" : nil, selected: Int.random(in: 0..<6, using: &random) == 0,
            ago: Bool.random(using: &random) ? Double(Int.random(in: 0...20, using: &random)) : nil,
            owned: [nil, true, false].randomElement(using: &random)!,
            context: Bool.random(using: &random) ? Int.random(in: 0...100, using: &random) : nil)
    }

    private static func host(_ number: Int, clock: Double, _ random: inout SplitMix) -> HostView {
        let slots = (0..<6).compactMap { slot($0, &random) }
        let sessions = (1...14).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }.map { task in
            Lab.session(
                task, [.idle, .working, .complete].randomElement(using: &random)!, ago: Double(Int.random(in: 0...20, using: &random)),
                revision: Bool.random(using: &random) ? Int64.random(in: 0...3, using: &random) : nil)
        }
        let usage = Usage(windows: [], observedAt: Lab.ago(Double(Int.random(in: 0...5, using: &random))))
        return Lab.view(
            number, slots, sessions: Bool.random(using: &random) ? sessions : nil,
            active: Bool.random(using: &random) ? Lab.key(Int.random(in: 1...14, using: &random)) : nil,
            mode: Snapshot.AgentSource.allCases.randomElement(using: &random)!, live: Int.random(in: 0..<4, using: &random) > 0,
            heard: Double(Int.random(in: 0...8, using: &random)), clock: clock, paired: Int.random(in: 0...3, using: &random),
            route: Bool.random(using: &random) ? .nearby : .remote, usage: Bool.random(using: &random) ? usage : nil)
    }

    private static func deck(_ seed: UInt64, skewed: Bool = false) -> Deck {
        var random = SplitMix(state: seed)
        let count = Int.random(in: 1...5, using: &random)
        var deck = Deck(hosts: [], authority: Bool.random(using: &random) ? Lab.hostID(Int.random(in: 1...6, using: &random)) : nil)
        for number in 1...count {
            // Each host draws from its own stream, so that a skewed deck differs by its clocks only.
            var stream = SplitMix(state: seed &* 31 &+ UInt64(number))
            let clock = Double(Int.random(in: -18_000...18_000, using: &random))
            deck.hosts.append(host(number, clock: skewed ? clock : 0, &stream))
        }
        for task in 1...14 where Bool.random(using: &random) {
            deck.seen.record(Lab.task(task), .init(completion: .number(Int64.random(in: 0...3, using: &random)), error: .unnumbered), at: Lab.now)
        }
        deck.joins.learn(from: deck.hosts, now: Lab.now)
        return deck
    }

    @Test(arguments: [UInt64(0), 1000, 2000, 3000])
    func theOrderOfTheHostsChangesNothing(first: UInt64) {
        for seed in first..<first + 400 {
            let deck = Self.deck(seed)
            var random = SplitMix(state: seed)
            let board = deck.board()
            #expect(deck.board(deck.hosts.reversed()) == board, "seed \(seed)")
            #expect(deck.board(deck.hosts.shuffled(using: &random)) == board, "seed \(seed)")
        }
    }

    @Test(arguments: [UInt64(10_000), 11_000])
    func theOrderOfArrivalChangesNoJoin(first: UInt64) {
        for seed in first..<first + 400 {
            let deck = Self.deck(seed)
            var random = SplitMix(state: seed)
            var results: [[TemporaryKeyJoins.Join]] = []
            for order in [deck.hosts, deck.hosts.shuffled(using: &random)] {
                var joins = TemporaryKeyJoins()
                for count in 1...order.count { joins.learn(from: Array(order.prefix(count)), now: Lab.now) }
                results.append(joins.all)
            }
            #expect(results[0] == results[1], "seed \(seed)")
        }
    }

    @Test(arguments: [UInt64(20_000), 21_000, 22_000, 23_000])
    func everyBoardIsSound(first: UInt64) {
        for seed in first..<first + 400 {
            let deck = Self.deck(seed)
            let board = deck.board()
            #expect(Self.faults(of: board, deck) == [], "seed \(seed)")
        }
    }

    private static func faults(of board: Board, _ deck: Deck) -> [String] {
        var faults: [String] = []
        func check(_ holds: Bool, _ fault: String) { if !holds { faults.append(fault) } }
        check(board.slots.count == 6, "six slots")
        check(Set(board.tasks.map(\.id)).count == board.tasks.count, "each task once")
        check(board.slots.compactMap { $0 } + board.rest == board.tasks, "slots and rest are all tasks")
        let live = Set(deck.hosts.filter(\.isLive).map(\.host.id))
        for task in board.tasks {
            check(task.offline == !live.contains(task.owner), "offline as its owner")
            check((task.target == nil) == (task.offline || task.identity == nil), "a target exactly for what can be commanded")
            check(task.target.map { $0.host == task.owner && live.contains($0.host) } ?? true, "commands go to the owner")
            check(!task.mirrors.contains(task.owner) && task.mirrors == task.mirrors.sorted(), "mirrors are sorted others")
        }
        let offline = board.tasks.map(\.offline)
        check(live.isEmpty || offline == offline.filter { !$0 } + offline.filter { $0 }, "live tasks first")
        return faults
    }

    @Test(arguments: [UInt64(30_000), 31_000])
    func everySlotOfEveryHostIsOnTheBoardOnce(first: UInt64) {
        for seed in first..<first + 400 {
            let deck = Self.deck(seed)
            let board = deck.board()
            var expected: Set<BoardTask.ID> = []
            for view in deck.hosts {
                for slot in view.report?.snapshot.slots ?? [] where slot.threadKey != nil {
                    guard let identity = slot.identity else {
                        expected.insert(.unreadable(host: view.host.id, slot: slot.id))
                        continue
                    }
                    let temporary = slot.threadKey.flatMap { TaskKey($0) }?.isTemporary == true
                    expected.insert(.task(temporary ? deck.joins.task(behind: identity, now: Lab.now) ?? identity : identity))
                }
            }
            #expect(Set(board.tasks.map(\.id)) == expected, "seed \(seed)")
        }
    }

    @Test(arguments: [UInt64(40_000), 41_000])
    func wrongClocksChangeNothing(first: UInt64) {
        for seed in first..<first + 400 {
            let right = Self.deck(seed)
            let wrong = Self.deck(seed, skewed: true)
            #expect(wrong.board() == right.board(), "seed \(seed)")
        }
    }

    @Test(arguments: [UInt64(50_000)])
    func sayingTheSameAgainChangesNothing(first: UInt64) {
        for seed in first..<first + 400 {
            let deck = Self.deck(seed)
            let again = deck.hosts.map { view in
                var view = view
                guard view.isLive, let report = view.report else { return view }
                view.receive(report.snapshot, observedAt: report.observedAt, receivedAt: report.receivedAt)
                return view
            }
            #expect(deck.board(again) == deck.board(), "seed \(seed)")
            #expect(deck.board(deck.hosts + deck.hosts) == deck.board(), "seed \(seed)")
            var memory = MergeMemory(acknowledgements: deck.seen, joins: deck.joins)
            memory.observe(deck.hosts, now: Lab.now)
            let settled = memory
            memory.observe(deck.hosts, now: Lab.now)
            #expect(memory == settled, "seed \(seed)")
        }
    }
}
