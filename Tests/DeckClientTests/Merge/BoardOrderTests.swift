import RelayProtocol
import Testing

@testable import DeckClient

struct BoardOrderTests {
    // MARK: - One host

    @Test(arguments: Snapshot.AgentSource.allCases)
    func oneHostAloneKeepsItsSlots(mode: Snapshot.AgentSource) {
        let board = Lab.board([Lab.view(1, [Lab.slot(1, 11, .idle), Lab.slot(3, 12, .working), Lab.slot(5, 13, .error)], mode: mode)])
        #expect(board.keyNumbers == [0, 11, 0, 12, 0, 13])
        #expect(board.tasks.map(\.number) == [11, 12, 13])
        #expect(board.mode == mode)
    }

    @Test func oneHostThatIsNotLiveKeepsItsSlotsToo() {
        let board = Lab.board([Lab.view(1, [Lab.slot(1, 11), Lab.slot(3, 12)], live: false)])
        #expect(board.keyNumbers == [0, 11, 0, 12, 0, 0])
        #expect(board.tasks.allSatisfy { $0.offline && $0.target == nil })
    }

    @Test func tasksOfAnOfflineHostFollowThoseOfTheOnlyLiveOne() {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 21, .awaitingApproval, ago: 1), Lab.slot(1, 22, ago: 90)], live: false, heard: 60),
            Lab.view(2, [Lab.slot(0, 11), Lab.slot(2, 12)]),
        ]
        let board = Lab.board(hosts)
        #expect(board.keyNumbers == [11, 0, 12, 21, 22, 0])
        #expect(board.slots.map { $0?.offline } == [false, nil, false, true, true, nil])
        #expect(board[21].target == nil)
        #expect(board.orderingHost == Lab.hostID(2))
        #expect(board.selectedHost == Lab.hostID(1))
    }

    @Test func aMirroredTaskOfAnOfflineOwnerLeavesItsKey() {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 11), Lab.slot(1, 21), Lab.slot(2, 12)]), Lab.view(2, [], sessions: [Lab.session(21)], live: false, heard: 60),
        ]
        let board = Lab.board(hosts)
        #expect(board.keyNumbers == [11, 0, 12, 21, 0, 0])
        #expect(board[21].ownerNumber == 2)
    }

    @Test func offlineTasksWithoutAKeyAreInTheRest() {
        let hosts = [Lab.view(1, (0..<6).map { Lab.slot($0, 11 + $0) }), Lab.view(2, [Lab.slot(0, 21), Lab.slot(1, 22, ago: 5)], live: false)]
        let board = Lab.board(hosts)
        #expect(board.keyNumbers == [11, 12, 13, 14, 15, 16])
        #expect(board.restNumbers == [22, 21])
    }

    // MARK: - Several hosts

    @Test func priorityRanksWhoNeedsTheUserFirst() {
        let hosts = [
            Lab.view(
                1,
                [
                    Lab.slot(0, 11, .idle, ago: 1), Lab.slot(1, 12, .working, ago: 2), Lab.slot(2, 13, .unread, ago: 50),
                    Lab.slot(
                        3, 14,
                        .off, ago: 1),
                ]),
            Lab.view(
                2, [Lab.slot(0, 21, .awaitingResponse, ago: 99), Lab.slot(1, 22, .error, ago: 40), Lab.slot(2, 23, .thinking, ago: 1)],
                mode: .recent),
        ]
        let board = Lab.board(hosts)
        #expect(board.keyNumbers == [21, 22, 13, 23, 12, 11])
        #expect(board.restNumbers == [14])
        #expect(board.mode == .priority)
    }

    @Test func recentPutsTheSelectedTaskFirst() {
        let hosts = [
            Lab.view(
                1, [Lab.slot(0, 11, .idle, selected: true, ago: 900), Lab.slot(1, 12, .working, ago: 20), Lab.slot(2, 13, .complete, ago: 5)],
                mode: .recent),
            Lab.view(2, [Lab.slot(0, 21, .approval, ago: 30), Lab.slot(1, 22, .idle, ago: 1), Lab.slot(2, 23, .error, ago: 4)]),
        ]
        #expect(Lab.board(hosts).keyNumbers == [11, 12, 21, 23, 13, 22])
    }

    @Test func theChosenHostGivesTheModeElseTheFirstPaired() {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 11, .idle, selected: true)], mode: .priority, paired: 5),
            Lab.view(2, [Lab.slot(0, 21, .working)], mode: .recent, paired: 2),
        ]
        #expect(Lab.board(hosts).keyNumbers.prefix(2) == [11, 21])
        #expect(Lab.board(hosts, authority: 1).keyNumbers.prefix(2) == [21, 11])
        #expect(Lab.board(hosts, authority: 1).selectedHost == Lab.hostID(1))
        // One that is not there is as good as none.
        #expect(Lab.board(hosts, authority: 9).selectedHost == Lab.hostID(2))
    }

    @Test func anAuthorityThatIsNotLiveArrangesNothing() {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 11)], mode: .custom, live: false), Lab.view(2, [Lab.slot(4, 21, .idle)]),
            Lab.view(3, [Lab.slot(0, 31, .working)], mode: .recent),
        ]
        let board = Lab.board(hosts, authority: 1)
        #expect(board.keyNumbers == [31, 21, 11, 0, 0, 0])
        #expect(board.selectedHost == Lab.hostID(1))
        #expect(board.orderingHost == Lab.hostID(2))
    }

    @Test func tiesFallToActivityThenHostThenSlot() {
        let hosts = [
            Lab.view(2, [Lab.slot(0, 21, ago: 10), Lab.slot(1, 22, ago: 10), Lab.slot(2, 23)]),
            Lab.view(1, [Lab.slot(3, 11, ago: 10), Lab.slot(5, 12, ago: 9)]),
        ]
        #expect(Lab.board(hosts).keyNumbers == [12, 11, 21, 22, 23, 0])
        #expect(Lab.board(hosts.reversed()).keyNumbers == [12, 11, 21, 22, 23, 0])
    }

    @Test(arguments: [5.0 * 3600, -5.0 * 3600])
    func wrongClocksOrderNothingWrongly(clock: Double) {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 11, ago: 10), Lab.slot(1, 12, ago: 30)], clock: clock),
            Lab.view(2, [Lab.slot(0, 21, ago: 20), Lab.slot(1, 22, ago: 40)]),
        ]
        #expect(Lab.board(hosts).keyNumbers == [11, 21, 12, 22, 0, 0])
    }

    @Test func pinnedInterleavesPinnedHostsSlotBySlot() {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 11), Lab.slot(1, 12), Lab.slot(3, 13)], mode: .pinned),
            Lab.view(2, [Lab.slot(0, 21, .awaitingApproval), Lab.slot(1, 11), Lab.slot(2, 22)], mode: .pinned),
            Lab.view(3, [Lab.slot(0, 31, .awaitingApproval)], mode: .priority),
        ]
        let board = Lab.board(hosts)
        #expect(board.keyNumbers == [11, 21, 12, 22, 13, 0])
        #expect(board.restNumbers == [31])
        #expect(Lab.board(hosts, authority: 2).keyNumbers == [21, 11, 12, 22, 13, 0])
    }

    @Test func pinnedTasksBeyondSixAreInTheRest() {
        let hosts = [
            Lab.view(1, (0..<4).map { Lab.slot($0, 11 + $0, ago: Double($0)) }, mode: .pinned),
            Lab.view(2, (0..<4).map { Lab.slot($0, 21 + $0) }, mode: .pinned),
        ]
        let board = Lab.board(hosts)
        #expect(board.keyNumbers == [11, 21, 12, 22, 13, 23])
        #expect(board.restNumbers == [14, 24])
    }

    @Test func customKeepsThePositionsAndFillsEmptyOnes() {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 11), Lab.slot(3, 12)], mode: .custom),
            Lab.view(2, [Lab.slot(0, 21), Lab.slot(1, 22), Lab.slot(5, 12)], mode: .custom),
            Lab.view(3, [Lab.slot(2, 31, .awaitingApproval)], mode: .priority), Lab.view(4, [Lab.slot(1, 41), Lab.slot(4, 42)], mode: .custom),
        ]
        let board = Lab.board(hosts)
        // 22 is there before 41 by its host; 21 and 41 found their own keys taken.
        #expect(board.keyNumbers == [11, 22, 21, 12, 42, 41])
        #expect(board.restNumbers == [31])
    }

    @Test func customLeavesEmptyWhatNoCustomHostFills() {
        let hosts = [Lab.view(1, [Lab.slot(2, 11)], mode: .custom), Lab.view(2, [Lab.slot(0, 21)], mode: .recent)]
        #expect(Lab.board(hosts).keyNumbers == [0, 0, 11, 0, 0, 0])
        #expect(Lab.board(hosts).restNumbers == [21])
    }

    @Test func offlineTasksDoNotPassLiveOnesWithoutAKey() {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 11)], mode: .custom), Lab.view(2, [Lab.slot(0, 21)], mode: .recent),
            Lab.view(3, [Lab.slot(0, 31)], mode: .custom, live: false),
        ]
        let board = Lab.board(hosts)
        #expect(board.keyNumbers == [11, 0, 0, 0, 0, 0])
        #expect(board.restNumbers == [21, 31])
    }

    @Test func severalHostsOfWhichNoneIsLiveAreOrderedAsIfTheyWere() {
        let hosts = [Lab.view(1, [Lab.slot(0, 11, .idle)], live: false), Lab.view(2, [Lab.slot(0, 21, .error)], live: false)]
        let board = Lab.board(hosts)
        #expect(board.keyNumbers == [21, 11, 0, 0, 0, 0])
        #expect(board.tasks.allSatisfy { $0.offline })
    }

    @Test func aHostWithoutSnapshotIsListedAndOrdersNothing() {
        let silent = HostView(host: Lab.view(1).host, profileID: "p", pairedOrder: 0)
        let board = Lab.board([silent, Lab.view(2, [Lab.slot(4, 21)])])
        #expect(board.computers.count == 2)
        #expect(board.keyNumbers == [0, 0, 0, 0, 21, 0])
        #expect(board.selectedHost == Lab.hostID(1))
        #expect(board.layout == nil)
    }

    @Test func theLayoutIsTheSelectedHosts() {
        var snapshot = Lab.snapshot([])
        snapshot.layout.slots[.act06] = .init(.git)
        var view = Lab.view(2)
        view.receive(snapshot, observedAt: Lab.now, receivedAt: Lab.now)
        #expect(Lab.board([Lab.view(1), view], authority: 2).layout?.slots[.act06]?.keycap == .git)
        #expect(Lab.board([Lab.view(1), view]).layout == .standard)
    }
}
