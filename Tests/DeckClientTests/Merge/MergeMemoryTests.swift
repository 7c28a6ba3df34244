import RelayProtocol
import Testing

@testable import DeckClient

struct MergeMemoryTests {
    private static func completed(_ number: Int = 7, revision: Int64? = 40, active: String? = nil, word: TaskStatus = .complete) -> HostView {
        Lab.view(1, [Lab.slot(0, number, word)], sessions: [Lab.session(number, revision: revision)], active: active)
    }

    private func status(_ hosts: [HostView], _ memory: MergeMemory) -> TaskStatus {
        Lab.board(hosts, seen: memory.acknowledgements, joins: memory.joins)[7].status
    }

    @Test func openingFromHereAcknowledges() {
        let hosts = [Self.completed()]
        var memory = MergeMemory()
        let first = memory.acknowledge(Lab.task(7), in: hosts, now: Lab.now)
        let again = memory.acknowledge(Lab.task(7), in: hosts, now: Lab.now)
        #expect(first && !again)
        #expect(status(hosts, memory) == .idle)
        #expect(status([Self.completed(word: .unread)], memory) == .idle)
        #expect(status([Self.completed(revision: 41)], memory) == .complete)
    }

    @Test func whatIsOpenWhenAHostIsFirstHeardIsNoNews() {
        let hosts = [Self.completed(active: Lab.key(7))]
        var memory = MergeMemory()
        #expect(memory.observe(hosts, now: Lab.now) == [])
        #expect(status(hosts, memory) == .complete)
    }

    @Test func openingOnTheComputerAcknowledges() {
        var memory = MergeMemory()
        memory.observe([Self.completed()], now: Lab.now)
        let hosts = [Self.completed(active: Lab.key(7))]
        #expect(memory.observe(hosts, now: Lab.now) == [Lab.task(7)])
        #expect(memory.observe(hosts, now: Lab.now) == [])
        #expect(status(hosts, memory) == .idle)
    }

    @Test func openingOnAMirrorAcknowledgesTheOwnersCompletion() {
        let mirror = Lab.view(2, [Lab.slot(0, 7)])
        var memory = MergeMemory()
        memory.observe([Self.completed(), mirror], now: Lab.now)
        let hosts = [Self.completed(), Lab.view(2, [Lab.slot(0, 7, selected: true)])]
        #expect(memory.observe(hosts, now: Lab.now) == [Lab.task(7)])
        #expect(status(hosts, memory) == .idle)
    }

    /// A title is ambiguous as soon as a further computer is heard; nobody opened anything by that.
    @Test func aJoinThatIsTakenBackOpensNothing() {
        let key = Lab.temporaryKey(200)
        let desktop = Lab.view(
            1, [Lab.slot(0, 200, key: key, title: "New", selected: true)], sessions: [Lab.session(7, .complete, revision: 40), Lab.session(8)],
            active: key)
        let mirror = Lab.view(2, [Lab.slot(0, 7, .complete, title: "New")])
        let other = Lab.view(3, [Lab.slot(0, 8, title: "New")])
        var memory = MergeMemory()
        memory.observe([desktop, mirror], now: Lab.now)
        #expect(memory.joins.task(behind: Lab.task(200), now: Lab.now) == Lab.task(7))
        #expect(memory.observe([desktop, mirror, other], now: Lab.now) == [])
        #expect(memory.joins.task(behind: Lab.task(200), now: Lab.now) == nil)
        #expect(memory.observe([desktop, mirror], now: Lab.now) == [])
        #expect(memory.acknowledgements == Acknowledgements())
    }

    @Test func aTemporaryKeyThatIsJoinedIsNotNewlyOpen() {
        let key = Lab.temporaryKey(200)
        func desktop(_ active: String) -> HostView {
            Lab.view(1, [Lab.slot(0, 200, key: key, selected: true)], sessions: [Lab.session(7, .complete, revision: 40)], active: active)
        }
        var memory = MergeMemory()
        memory.observe([desktop(key)], now: Lab.now)
        // Its real key is the open one now, and the selected slot tells that both are one.
        #expect(memory.observe([desktop(Lab.key(7))], now: Lab.now) == [])
        #expect(memory.joins.task(behind: Lab.task(200), now: Lab.now) == Lab.task(7))
    }

    @Test func aReconnectIsNoFirstTime() {
        var memory = MergeMemory()
        memory.observe([Self.completed()], now: Lab.now)
        var silent = Self.completed(active: Lab.key(7))
        silent.disconnect(.offline(reason: nil))
        #expect(memory.observe([silent], now: Lab.now) == [])
        #expect(memory.observe([Self.completed(active: Lab.key(7))], now: Lab.now) == [Lab.task(7)])
    }

    @Test func aForgottenHostIsHeardForTheFirstTimeAgain() {
        var memory = MergeMemory()
        memory.observe([Self.completed()], now: Lab.now)
        memory.forget(Lab.hostID(1))
        #expect(memory.observe([Self.completed(active: Lab.key(7))], now: Lab.now) == [])
    }

    @Test func aTaskThatCompletesWhileOpenIsNotSeenByThat() {
        var memory = MergeMemory()
        memory.observe([Self.completed(active: nil)], now: Lab.now)
        memory.observe([Self.completed(active: Lab.key(7), word: .working)], now: Lab.now)
        let hosts = [Self.completed(revision: 41, active: Lab.key(7))]
        #expect(memory.observe(hosts, now: Lab.now) == [])
        #expect(status(hosts, memory) == .complete)
    }

    @Test func aTemporaryKeyThatGetsItsIdentityIsNotNewlyOpen() {
        func view(_ active: String) -> HostView {
            Lab.view(1, [Lab.slot(0, 90, key: Lab.temporaryKey(90), selected: true)], sessions: [Lab.session(7)], active: active)
        }
        var memory = MergeMemory()
        memory.observe([view(Lab.temporaryKey(90))], now: Lab.now)
        #expect(memory.observe([view(Lab.key(7))], now: Lab.now) == [])
        #expect(memory.joins.task(behind: Lab.task(90), now: Lab.now) == Lab.task(7))
    }

    @Test func aSeenErrorReturnsWhenItFailsAgain() {
        let failed = Lab.view(1, [Lab.slot(0, 7, .error)])
        var memory = MergeMemory()
        memory.acknowledge(Lab.task(7), in: [failed], now: Lab.now)
        memory.observe([failed], now: Lab.now)
        #expect(status([failed], memory) == .idle)
        memory.observe([Lab.view(1, [Lab.slot(0, 7, .working)])], now: Lab.now)
        #expect(status([failed], memory) == .error)
        #expect(memory.acknowledgements.isEmpty)
    }

    @Test func silenceOfTheOwnerEndsNoMark() {
        let mirror = Lab.view(2, [Lab.slot(0, 7, .idle)])
        let failed = Lab.view(1, [Lab.slot(0, 7, .error, owned: true)])
        var memory = MergeMemory()
        memory.acknowledge(Lab.task(7), in: [failed, mirror], now: Lab.now)
        let silent = Lab.view(1, [Lab.slot(0, 7, .error, owned: true)], live: false, heard: 60)
        memory.observe([silent, mirror], now: Lab.now)
        // Connected still, but nothing came for a while.
        memory.observe([Lab.view(1, [Lab.slot(0, 7, .error, owned: true)], heard: 6), mirror], now: Lab.now)
        #expect(status([failed, mirror], memory) == .idle)
    }

    @Test func aMirrorDoesNotEndAMarkWhileTheOwnerIsAway() {
        func hosts(_ word: TaskStatus, live: Bool) -> [HostView] {
            [Lab.view(1, sessions: [Lab.session(7)], live: live), Lab.view(2, [Lab.slot(0, 7, word)])]
        }
        var memory = MergeMemory()
        memory.acknowledge(Lab.task(7), in: hosts(.error, live: true), now: Lab.now)
        memory.observe(hosts(.idle, live: false), now: Lab.now)
        #expect(status(hosts(.error, live: true), memory) == .idle)
        memory.observe(hosts(.idle, live: true), now: Lab.now)
        #expect(status(hosts(.error, live: true), memory) == .error)
    }

    @Test func anUnnumberedCompletionReturnsAfterTheNextTurn() {
        var memory = MergeMemory()
        let unread = Lab.view(1, [Lab.slot(0, 7, .unread)])
        memory.acknowledge(Lab.task(7), in: [unread], now: Lab.now)
        #expect(status([unread], memory) == .idle)
        memory.observe([Lab.view(1, [Lab.slot(0, 7, .working)])], now: Lab.now)
        #expect(status([unread], memory) == .unread)
    }

    @Test func nothingKnownIsNothingAcknowledged() {
        var memory = MergeMemory()
        let news = memory.acknowledge(Lab.task(7), in: [Lab.view(1, [Lab.slot(0, 8)])], now: Lab.now)
        #expect(!news)
        #expect(memory.acknowledgements.isEmpty)
    }
}
