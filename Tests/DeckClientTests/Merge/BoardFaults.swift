import RelayProtocol

@testable import DeckClient

/// What is wrong with a board, found by other means than those it was made with.
struct BoardFaults {
    private let deck: RandomDeck
    private let views: [HostView]
    /// Every readable slot: which task it is, on which of ``views``.
    private let copies: [(task: TaskIdentity, view: Int, slot: Slot, meaning: TaskStatus.Meaning)]

    init(_ deck: RandomDeck) {
        self.deck = deck
        let views = deck.hosts.perComputer
        self.views = views
        copies = views.indices.flatMap { view in
            (views[view].report?.index.copies ?? []).compactMap { copy in
                guard let key = copy.key else { return nil }
                let task = copy.isTemporary ? deck.joins.task(behind: key.identity, now: Lab.now) ?? key.identity : key.identity
                return (task, view, copy.slot, copy.meaning)
            }
        }
    }

    func of(_ board: Board) -> [String] {
        var faults: [String] = []
        func check(_ holds: Bool, _ fault: @autoclosure () -> String) { if !holds { faults.append(fault()) } }
        check(board.keys.count == 6, "six keys")
        check(Set(board.tasks.map(\.id)).count == board.tasks.count, "no identity twice")
        check(Set(board.tasks.compactMap(\.identity)) == Set(copies.map(\.task)), "every task that is in a slot, and no other")
        check(board.slots.compactMap { $0 } + board.rest == board.tasks, "keys and rest are all tasks")
        let live = Set(views.lazy.filter(\.isLive).map(\.host.id))
        for task in board.tasks {
            check(task.offline == !live.contains(task.owner), "offline as its owner")
            check((task.target == nil) == (task.offline || task.identity == nil), "a target exactly for what can be commanded")
            check(task.mirrors == Array(Set(task.mirrors).subtracting([task.owner])).sorted(), "mirrors are sorted others")
            guard let identity = task.identity else { continue }
            let owner = owner(of: identity)
            check(owner.map { views[$0].host.id } == task.owner, "the owner of \(identity)")
            if let target = task.target { faults += self.faults(of: target, task, identity) }
        }
        let offline = board.tasks.map(\.offline)
        check(live.isEmpty || offline == offline.filter { !$0 } + offline.filter { $0 }, "live tasks first")
        return faults
    }

    /// A command goes to the owner, with the owner's own key and place where it has one, else with those of a mirror.
    private func faults(of target: CommandTarget, _ task: BoardTask, _ identity: TaskIdentity) -> [String] {
        guard target.host == task.owner else { return ["a command of \(identity) goes to another computer"] }
        let lender = target.mirror ?? target.host
        let own = copies.contains { $0.task == identity && views[$0.view].host.id == task.owner }
        guard own == (target.mirror == nil) else { return ["the owner's own key of \(identity) comes first"] }
        guard let lent = copies.first(where: { $0.task == identity && views[$0.view].host.id == lender && $0.slot.id == target.slot }) else {
            return ["the place of \(identity) holds another task"]
        }
        let spelled = lent.slot.threadKey.flatMap { TaskKey($0) }
        let expected = target.mirror != nil && spelled?.isTemporary == true ? TaskKey(local: identity) : spelled
        return target.key == expected ? [] : ["the key of \(identity) is another one"]
    }

    /// The computer whose sessions hold the task with the newest activity; of equal ones, and without any, the one with the best copy.
    private func owner(of task: TaskIdentity) -> Int? {
        let ranked = copies.filter { $0.task == task }.sorted { left, right in
            let (leftOwned, rightOwned) = (left.slot.ownedByHost == true, right.slot.ownedByHost == true)
            if leftOwned != rightOwned { return leftOwned }
            if left.meaning != right.meaning { return left.meaning > right.meaning }
            if left.slot.selected != right.slot.selected { return left.slot.selected }
            let (leftAt, rightAt) = (activity(left.slot, left.view), activity(right.slot, right.view))
            if leftAt != rightAt { return leftAt > rightAt }
            return (left.view, left.slot.id) < (right.view, right.slot.id)
        }.map(\.view)
        let sessions = views.indices.compactMap { view -> (view: Int, at: Int64)? in
            guard let report = views[view].report else { return nil }
            return report.snapshot.hostSessions?.filter { $0.threadID == task }.map { report.local($0.activityAt).value }.max().map { (view, $0) }
        }
        guard let newest = sessions.map(\.at).max() else { return ranked.first }
        let equal = sessions.filter { $0.at == newest }.map(\.view)
        return ranked.first(where: equal.contains) ?? equal.first
    }

    private func activity(_ slot: Slot, _ view: Int) -> Int64 {
        guard let at = slot.activityAt, let report = views[view].report else { return 0 }
        return report.local(at).value
    }
}
