import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer
@testable import DeckNode

/// Which threads the book shows, subscribes to and asks for.
struct AppServerBookTests {
    static func book(_ threads: JSONValue...) -> ThreadBook {
        var book = ThreadBook()
        for thread in threads { book.note(Wire.record(thread)) }
        return book
    }

    static func opened(_ thread: JSONValue) throws -> OpenedThread {
        let answer = Wire.opened(thread)
        return try #require(AppServerCall<OpenedThread>.startThread(in: "/").read(answer))
    }

    // MARK: Wishes

    @Test(arguments: [
        (Wire.idle, true), (Wire.active(), true), (Wire.active("waitingOnApproval"), true), (Wire.systemError, true), (Wire.notLoaded, false),
        (["type": "hibernating"], false), (.null, false),
    ] as [(JSONValue, Bool)])
    func onlyTasksTheDaemonHoldsAreSubscribedTo(status: JSONValue, isWished: Bool) {
        var book = Self.book(Wire.thread(1, status))
        #expect(book.takeWishes() == (isWished ? [.subscribe(Wire.id(1))] : []))
        #expect(book.takeWishes().isEmpty)
    }

    @Test(arguments: [
        Wire.thread(2, Wire.active(), ["ephemeral": true]), Wire.thread(2, Wire.active(), ["source": ["subAgent": "review"]]),
        Wire.helper(2, of: 1, Wire.active()), Wire.thread(2, Wire.active("waitingOnApproval"), ["ephemeral": true]),
    ])
    func helpersAreNeitherSubscribedToNorShown(helper: JSONValue) {
        var book = Self.book(helper)
        #expect(book.takeWishes().isEmpty)
        #expect(book.facts(Wire.id(2)) == nil)
    }

    @Test(arguments: ["waitingOnApproval", "waitingOnUserInput"])
    func aHelperThatWaitsForSomebodyIsSubscribedTo(flag: String) {
        var book = Self.book(Wire.thread(1), Wire.helper(2, of: 1))
        _ = book.takeWishes()
        book.apply(Wire.event(Wire.status(2, Wire.active(flag))), now: Wire.start)
        #expect(book.takeWishes() == [.subscribe(Wire.id(2))])
        let facts = book.facts(Wire.id(1))
        #expect((facts?.waitsForApproval, facts?.waitsForResponse) == (flag == "waitingOnApproval", flag == "waitingOnUserInput"))
    }

    @Test func aSubscriptionIsWishedOnceAndAgainAfterItFailed() {
        var book = Self.book(Wire.thread(1))
        _ = book.takeWishes()
        book.apply(Wire.event(Wire.status(1, Wire.active())), now: Wire.start)
        #expect(book.takeWishes().isEmpty, "the first one is under way")
        book.subscriptionFailed(Wire.id(1))
        #expect(book.takeWishes().isEmpty, "not at once")
        book.apply(Wire.event(Wire.status(1, Wire.idle)), now: Wire.start)
        #expect(book.takeWishes() == [.subscribe(Wire.id(1))])
    }

    @Test func aThreadThatIsLoadedAnewIsSubscribedToAnew() throws {
        var book = Self.book(Wire.thread(1))
        book.noteOpened(try Self.opened(Wire.thread(1)))
        _ = book.takeWishes()
        book.apply(Wire.event(Wire.status(1, Wire.active())), now: Wire.start)
        #expect(book.takeWishes().isEmpty)
        book.apply(Wire.event(Wire.note("thread/closed", 1)), now: Wire.start)
        #expect(book.takeWishes().isEmpty, "never one that is not loaded")
        book.apply(Wire.event(Wire.status(1, Wire.idle)), now: Wire.start)
        #expect(book.takeWishes() == [.subscribe(Wire.id(1))])
    }

    @Test(arguments: [
        (Wire.status(9, Wire.active()), true), (Wire.status(9, Wire.idle), true), (Wire.status(9, Wire.notLoaded), false),
        (Wire.request(0, of: 9), true), (Wire.note("thread/unarchived", 9), true), (Wire.note("thread/archived", 9), false),
        (Wire.note("thread/name/updated", 9, ["threadName": "x"]), false), (Wire.turnStarted(9), false), (Wire.resolved(0, of: 9), false),
        (Wire.note("thread/readState/changed", 9, ["readState": Wire.readState(unread: true)]), false),
    ])
    func aThreadNobodyAnnouncedIsRead(message: JSONValue, isRead: Bool) {
        var book = ThreadBook()
        book.apply(Wire.event(message), now: Wire.start)
        #expect(book.takeWishes() == (isRead ? [.read(Wire.id(9))] : []))
        let (changed, removed) = book.takeChanges()
        #expect(changed.isEmpty && removed.isEmpty)
    }

    @Test func aWordOfALaterVersionDoesNotUnloadAThread() throws {
        var book = Self.book(Wire.thread(1, Wire.active()))
        book.noteOpened(try Self.opened(Wire.thread(1, Wire.active())))
        book.apply(Wire.event(Wire.request(0, of: 1)), now: Wire.start)
        _ = book.takeWishes()
        book.apply(Wire.event(Wire.status(1, ["type": "pondering"])), now: Wire.start)
        book.note(Wire.record(Wire.thread(1, ["type": "pondering"])))
        #expect(book.facts(Wire.id(1))?.status.isActive == true)
        #expect(book.pending(of: Wire.id(1)).count == 1)
        #expect(book.takeWishes().isEmpty)
    }

    // MARK: Side chats

    @Test(arguments: [true, false]) func aSideChatIsShown(isAnnouncedFirst: Bool) throws {
        let chat = Wire.thread(2, Wire.idle, ["ephemeral": true, "forkedFromId": .string(Wire.id(1).uuid)])
        var book = Self.book(Wire.thread(1))
        if isAnnouncedFirst { book.apply(Wire.event(Wire.started(chat)), now: Wire.start) }
        #expect(book.facts(Wire.id(2)) == nil)
        book.noteOpened(try Self.opened(chat), sideChatOf: Wire.id(1))
        if !isAnnouncedFirst { book.apply(Wire.event(Wire.started(chat)), now: Wire.start) }
        #expect(book.facts(Wire.id(2))?.sideChatOf == Wire.id(1))
        #expect(book.facts(Wire.id(1))?.sideChatOf == nil)
        // What is read of it later does not say where it came from.
        book.note(Wire.record(Wire.thread(2, Wire.idle, ["ephemeral": true])))
        #expect(book.facts(Wire.id(2))?.sideChatOf == Wire.id(1))
        #expect(book.entries[Wire.id(2)]?.record.forkedFrom == Wire.id(1))
    }

    @Test func aSideChatThatIsClosedIsGoneForGood() throws {
        var book = ThreadBook()
        book.noteOpened(try Self.opened(Wire.thread(2, Wire.idle, ["ephemeral": true])), sideChatOf: Wire.id(1))
        _ = book.takeChanges()
        book.apply(Wire.event(Wire.note("thread/closed", 2)), now: Wire.start)
        let (changed, removed) = book.takeChanges()
        #expect(changed.isEmpty)
        #expect(removed == [Wire.id(2)])
        #expect(book.sideChats.isEmpty)
    }

    @Test func anotherConnectionKnowsTheSideChatsOfTheOneBefore() throws {
        var old = ThreadBook()
        old.noteOpened(try Self.opened(Wire.thread(2, Wire.idle, ["ephemeral": true])), sideChatOf: Wire.id(1))
        var book = ThreadBook(sideChats: old.sideChats)
        #expect(book.facts(Wire.id(2)) == nil)
        book.note(Wire.record(Wire.thread(2, Wire.idle, ["ephemeral": true])))
        #expect(book.facts(Wire.id(2))?.sideChatOf == Wire.id(1))
        #expect(book.takeWishes() == [.subscribe(Wire.id(2))])
    }

    @Test func aForkThatOpensIsSubscribedToAlready() throws {
        var book = Self.book(Wire.thread(1))
        _ = book.takeWishes()
        book.noteOpened(try Self.opened(Wire.thread(2, Wire.idle, ["forkedFromId": .string(Wire.id(1).uuid)])))
        book.note(Wire.record(Wire.thread(2)))
        #expect(book.takeWishes().isEmpty)
        #expect(book.facts(Wire.id(2))?.sideChatOf == nil)
        #expect(book.entries[Wire.id(2)]?.settings?.model == "gpt-5.5")
    }

    // MARK: Families

    @Test func helpersOfHelpersBelongToTheTask() {
        let book = Self.book(Wire.thread(1), Wire.helper(2, of: 1), Wire.helper(3, of: 2))
        #expect(book.root(of: Wire.id(3)) == Wire.id(1))
        #expect(book.root(of: Wire.id(1)) == Wire.id(1))
        #expect(book.root(of: Wire.id(9)) == Wire.id(9))
    }

    @Test func aChangeOfAHelperIsAChangeOfItsTask() {
        var book = Self.book(Wire.thread(1), Wire.helper(2, of: 1))
        _ = book.takeChanges()
        book.apply(Wire.event(Wire.request(7, of: 2)), now: Wire.start)
        #expect(book.takeChanges().changed == [Wire.id(1)])
        #expect(book.facts(Wire.id(1))?.waitsForApproval == true)
        #expect(book.pending(of: Wire.id(1)).map(\.id) == [.integer(7)])
        #expect(book.pending(of: Wire.id(2)).map(\.id) == [.integer(7)])
    }

    @Test func theOldestRequestOfATaskAndItsHelpersIsFirst() {
        var book = Self.book(Wire.thread(1), Wire.helper(2, of: 1), Wire.helper(3, of: 1), Wire.thread(4))
        for (request, thread) in [(9, 3), (4, 1), (6, 2), (5, 1), (9, 3), (0, 4)] as [(Int, UInt8)] {
            book.apply(Wire.event(Wire.request(request, of: thread)), now: Wire.start)
        }
        #expect(book.pending(of: Wire.id(1)).map { "\($0.id)" } == ["9", "4", "6", "5"])
    }

    @Test func aHelperThatEndsWaitsForNothingMore() {
        var book = Self.book(Wire.thread(1), Wire.helper(2, of: 1))
        book.apply(Wire.event(Wire.request(7, of: 2)), now: Wire.start)
        _ = book.takeChanges()
        book.apply(Wire.event(Wire.status(2, Wire.notLoaded)), now: Wire.start)
        let (changed, removed) = book.takeChanges()
        #expect(changed == [Wire.id(1)])
        #expect(removed.isEmpty, "nobody was shown it")
        #expect(book.facts(Wire.id(1))?.waitsForApproval == false)
        #expect(!book.knows(Wire.id(2)))
    }

    @Test(arguments: [
        [Wire.helper(1, of: 1)], [Wire.helper(1, of: 2), Wire.helper(2, of: 1)],
        [Wire.helper(1, of: 2), Wire.helper(2, of: 3), Wire.helper(3, of: 1)],
    ])
    func aRingOfHelpersIsShownNowhere(ring: [JSONValue]) {
        var book = ThreadBook()
        for thread in ring { book.note(Wire.record(thread)) }
        book.apply(Wire.event(Wire.request(0, of: 1)), now: Wire.start)
        for number in 1...3 { #expect(book.facts(Wire.id(UInt8(number))) == nil) }
        _ = book.takeChanges()
        book.apply(Wire.event(Wire.note("thread/deleted", 1)), now: Wire.start)
        #expect(!book.knows(Wire.id(1)))
    }

    @Test func aHelperWhoseTaskIsUnknownChangesNothingThatIsShown() {
        var book = Self.book(Wire.helper(2, of: 1))
        let (changed, removed) = book.takeChanges()
        #expect(changed == [Wire.id(1)])
        #expect(removed.isEmpty)
        #expect(book.facts(Wire.id(1)) == nil)
    }
}
