import RelayProtocol
import Testing

@testable import DeckClient

/// Ten thousand random decks a run: what must hold whatever the computers say. ``RandomCases`` tells how to see a case again.
///
/// They let others run between two cases: tests that wait for real servers share their few threads.
struct MergePropertyTests {
    @Test(arguments: 0..<RandomCases.shards)
    func whateverComputersSayTheBoardIsSoundAndTheSameInEveryOrder(shard: Int) async {
        for seed in RandomCases.seeds(shard: shard) {
            await Task.yield()
            let deck = RandomDeck(seed: seed)
            let board = deck.board()
            let faults = BoardFaults(deck).of(board) + Self.faultsOfOrder(deck, board, seed)
            if faults.isEmpty { continue }
            // The first one tells enough; thousands would bury it.
            Issue.record("\(faults.joined(separator: "; ")). \(RandomCases.again(seed))")
            return
        }
    }

    /// The hosts in another order, and heard one after the other in two orders.
    private static func faultsOfOrder(_ deck: RandomDeck, _ board: Board, _ seed: UInt64) -> [String] {
        guard deck.hosts.count > 1 else { return [] }
        var random = SplitMix(state: ~seed)
        var faults = deck.board(deck.hosts.shuffled(using: &random)) == board ? [] : ["another order of the hosts makes another board"]
        // What a computer says over another route at another time is a change, which is rightly remembered.
        let computers = deck.hosts.perComputer
        let memory = arrive(computers)
        let other = arrive(computers.shuffled(using: &random))
        if other != memory { faults.append("another order of arrival leaves another memory") }
        if memory.joins != deck.joins { faults.append("who is heard one after the other is heard otherwise than together") }
        return faults
    }

    /// What is remembered when one after the other is heard for the first time.
    private static func arrive(_ hosts: [HostView]) -> MergeMemory {
        var memory = MergeMemory()
        for count in 1...hosts.count { memory.observe(Array(hosts.prefix(count)), now: Lab.now) }
        return memory
    }

    @Test(arguments: 0..<RandomCases.shards)
    func wrongClocksChangeNothing(shard: Int) async {
        for seed in RandomCases.seeds(shard: shard).prefix(RandomCases.count / RandomCases.shards / 10 + 1) {
            await Task.yield()
            guard RandomDeck(seed: seed).board() != RandomDeck(seed: seed, clocks: .right).board() else { continue }
            Issue.record("The clocks count. \(RandomCases.again(seed))")
            return
        }
    }

    @Test(arguments: 0..<RandomCases.shards)
    func sayingTheSameAgainChangesNothing(shard: Int) async {
        for seed in RandomCases.seeds(shard: shard).prefix(RandomCases.count / RandomCases.shards / 20 + 1) {
            await Task.yield()
            let deck = RandomDeck(seed: seed)
            let again = deck.hosts.map { view in
                var view = view
                guard view.isLive, let report = view.report else { return view }
                view.receive(report.snapshot, observedAt: report.observedAt, receivedAt: report.receivedAt)
                return view
            }
            let board = deck.board()
            var memory = MergeMemory(acknowledgements: deck.seen, joins: deck.joins)
            memory.observe(deck.hosts, now: Lab.now)
            let settled = memory
            memory.observe(deck.hosts, now: Lab.now)
            guard deck.board(again) != board || deck.board(deck.hosts + deck.hosts) != board || memory != settled else { continue }
            Issue.record("Saying it again counts. \(RandomCases.again(seed))")
            return
        }
    }

    /// A generator that makes only harmless decks would prove nothing.
    @Test func theDecksAreDifficult() {
        var found: [String: Int] = [:]
        for seed in UInt64(0)..<200 {
            let deck = RandomDeck(seed: seed)
            let board = deck.board()
            for task in board.tasks {
                if !task.mirrors.isEmpty { found["mirrored", default: 0] += 1 }
                if task.target?.mirror != nil { found["owned in no slot", default: 0] += 1 }
                if task.offline { found["offline", default: 0] += 1 }
                if task.identity == nil { found["unreadable", default: 0] += 1 }
            }
            if !deck.joins.isEmpty { found["joined", default: 0] += 1 }
            if let mode = board.mode { found[mode.rawValue, default: 0] += 1 }
            if deck.hosts.count != deck.hosts.perComputer.count { found["two routes", default: 0] += 1 }
        }
        for word in ["mirrored", "owned in no slot", "offline", "unreadable", "joined", "two routes", "pinned", "custom", "priority", "recent"] {
            #expect(found[word, default: 0] >= 10, "\(word)")
        }
    }
}
