import RelayProtocol
import Testing

@testable import DeckClient

struct IdentityMergeTests {
    @Test func mirroredCopiesAreOneTask() {
        let board = Lab.board([
            Lab.view(1, [Lab.slot(0, 7, .working)], sessions: [Lab.session(7, .working)]),
            Lab.view(2, [Lab.slot(3, 7, .idle)]),
            Lab.view(3, [Lab.slot(5, 7, .idle)]),
        ])
        #expect(board.keyNumbers == [7, 0, 0, 0, 0, 0])
        #expect(board[7].ownerNumber == 1)
        #expect(board[7].mirrorNumbers == [2, 3])
        #expect(board.rest.isEmpty)
    }

    @Test func identityIsTheUUIDWhateverThePrefixAndCase() {
        let upper = "REMOTE:" + Lab.task(0xabc).uuid.uppercased()
        let board = Lab.board([Lab.view(1, [Lab.slot(0, 0xabc)]), Lab.view(2, [Lab.slot(0, 0xabc, key: upper)], sessions: [Lab.session(0xabc)])])
        #expect(board.tasks.count == 1)
        #expect(board.tasks[0].target == CommandTarget(host: Lab.hostID(2), slot: 0, key: TaskKey(upper)!))
        #expect(board.tasks[0].target?.key.rawValue == upper)
    }

    @Test func unreadableKeyIsShownAndCannotBeCommanded() {
        let board = Lab.board([Lab.view(1, [Lab.slot(2, 1, .awaitingApproval, key: "what is this")]), Lab.view(2, [Lab.slot(0, 2)])])
        let task = board.tasks.first { $0.identity == nil }
        #expect(task?.id == .unreadable(host: Lab.hostID(1), slot: 2))
        #expect(task?.status == .awaitingApproval)
        #expect(task?.target == nil)
        #expect(task?.offline == false)
    }

    @Test func equalUnreadableKeysOfTwoHostsStayTwoTasks() {
        let board = Lab.board([Lab.view(1, [Lab.slot(0, 1, key: "x")]), Lab.view(2, [Lab.slot(0, 1, key: "x")])])
        #expect(board.tasks.count == 2)
    }

    @Test func sessionsWithoutSlotMakeNoTask() {
        #expect(Lab.board([Lab.view(1, sessions: [Lab.session(1), Lab.session(2)])]).tasks.isEmpty)
    }

    @Test func oneIdentityInTwoSlotsOfAHostIsOneTask() {
        let board = Lab.board([Lab.view(1, [Lab.slot(1, 4, .idle), Lab.slot(3, 4, .working)])])
        #expect(board.keyNumbers == [0, 4, 0, 0, 0, 0])
        #expect(board[4].status == .working)
    }

    @Test func vanishedTaskLeavesTheBoard() {
        var view = Lab.view(1, [Lab.slot(0, 1), Lab.slot(1, 2)])
        view.receive(Lab.snapshot([Lab.slot(1, 2)]), observedAt: Lab.now, receivedAt: Lab.now)
        let board = Lab.board([view])
        #expect(board.keyNumbers == [0, 2, 0, 0, 0, 0])
        #expect(board.task(Lab.task(1)) == nil)
    }

    @Test func twoRoutesOfOneComputerAreOneHost() {
        let nearby = Lab.view(1, [Lab.slot(0, 1, .working)])
        let remote = Lab.view(1, [Lab.slot(0, 1, .idle), Lab.slot(1, 2)], route: .remote)
        for hosts in [[nearby, remote], [remote, nearby]] {
            let board = Lab.board(hosts)
            #expect(board.computers.map(\.route) == [.nearby])
            #expect(board.tasks.map(\.number) == [1])
        }
    }

    @Test func theOtherRouteTakesOverAndHandsBack() {
        var nearby = Lab.view(1, [Lab.slot(0, 1)])
        let remote = Lab.view(1, [Lab.slot(0, 1), Lab.slot(1, 2)], route: .remote)
        nearby.disconnect(.offline(reason: "timeout"))
        let taken = Lab.board([nearby, remote])
        #expect(taken.computers.map(\.route) == [.remote])
        #expect(taken[1].target != nil)
        nearby.health = .ready
        // Connected, but nothing heard over that connection yet: the other route goes on carrying.
        #expect(Lab.board([nearby, remote]).computers.map(\.route) == [.remote])
        nearby.receive(Lab.snapshot([Lab.slot(0, 1)]), observedAt: Lab.now, receivedAt: Lab.now)
        #expect(Lab.board([nearby, remote]).computers.map(\.route) == [.nearby])
    }

    @Test(arguments: [
        ("linux" as String?, Host.Platform.mac, HostBadge.linux), ("Linux", .windows, .linux), (nil, .mac, .mac), (nil, .windows, .windows),
        ("windows", .mac, .windows), ("freebsd", .windows, .windows),
    ])
    func badgeGoesByOSAndThenByPlatform(os: String?, platform: Host.Platform, badge: HostBadge) {
        #expect(HostBadge(Host(id: Lab.hostID(1), name: "x", platform: platform, os: os)) == badge)
    }

    @Test func noHostMakesAnEmptyBoard() {
        #expect(Board.empty.tasks.isEmpty)
        #expect(Board.empty.slots.count == 6)
        #expect(Board.empty.selectedHost == nil)
        #expect(Board.empty.usage == nil)
    }
}
