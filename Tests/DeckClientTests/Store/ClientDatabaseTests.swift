import EventLoop
import Foundation
import Log
import RelayProtocol
import SQLite
import Testing

@testable import DeckClient

struct ClientDatabaseTests {
    /// A folder with a database that is opened as often as a test likes.
    private final class Shelf {
        let folder: String
        let loop: EventLoop
        let log = LogLines()

        init() throws {
            folder = FileManager.default.temporaryDirectory.path + "/deck-db-" + UUID().uuidString.prefix(8)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            loop = try EventLoop(name: "files")
        }

        deinit {
            loop.shutdown()
            try? FileManager.default.removeItem(atPath: folder)
        }

        var path: String { folder + "/events.db" }
        func database() -> ClientDatabase {
            ClientDatabase(path: path, loop: loop, logger: Logger(threshold: .info, sink: log), now: { Lab.now })
        }

        /// Bytes of the database with all that lies beside it.
        var bytes: Int {
            ["", "-wal", "-shm"].reduce(0) { sum, suffix in
                sum + ((try? FileManager.default.attributesOfItem(atPath: path + suffix))?[.size] as? Int ?? 0)
            }
        }
    }

    private static func event(_ id: Int64, _ kind: AttentionEvent.Kind = .approval, revision: Acknowledgements.Revision? = nil, read: Bool = false)
        -> AttentionEvent
    {
        AttentionEvent(
            id: id, kind: kind, task: Lab.task(Int(id)), revision: revision, title: "Zeile 'eins' 猫", host: Lab.hostID(1), hostName: "vm",
            badge: .linux, at: Lab.ago(Double(id)), activityAt: id.isMultiple(of: 2) ? Lab.now : nil, isRead: read, endedAt: read ? Lab.now : nil)
    }

    @Test func whatIsWrittenIsThereAfterAnAbruptEnd() async throws {
        let shelf = try Shelf()
        let first = shelf.database()
        #expect(try await first.open() == ClientDatabase.Kept())
        let receipt = ReceiptRecord(
            id: 8, action: "open", title: "t", hostName: "vm", step: .finished(.failure, word: "timeout", sentence: "s"), at: Lab.now)
        let follow = Follow(Lab.task(3), since: Lab.now, endsAt: Lab.ago(-60))
        try await first.apply(
            .init(
                events: [
                    Self.event(1), Self.event(2, .completion, revision: .number(4_000_000_000), read: true),
                    Self.event(3, .error, revision: .unnumbered),
                ],
                receipts: [receipt], follow: follow))
        // The first one is never closed, as after SIGKILL.
        let kept = try await shelf.database().open()
        #expect(
            kept.events == [
                Self.event(3, .error, revision: .unnumbered), Self.event(2, .completion, revision: .number(4_000_000_000), read: true), Self.event(1),
            ])
        #expect(kept.receipts == [receipt])
        #expect(kept.follow == follow)
        #expect(kept.lastEvent == 3)
        withExtendedLifetime(first) {}
    }

    @Test func changesReplaceAndRemove() async throws {
        let shelf = try Shelf()
        let database = shelf.database()
        _ = try await database.open()
        try await database.apply(.init(events: [Self.event(1), Self.event(2)], follow: Follow(Lab.task(1), since: Lab.now)))
        try await database.apply(.init(events: [Self.event(1, read: true)], removedEvents: [2], follow: .some(nil)))
        let kept = try await shelf.database().open()
        #expect(kept.events == [Self.event(1, read: true)])
        #expect(kept.follow == nil)
        // A number is never given twice, not even that of an event that is gone.
        #expect(kept.lastEvent == 2)
    }

    @Test func onlyAsManyReceiptsAndEventsAsAreShownAreKept() async throws {
        let shelf = try Shelf()
        let database = shelf.database()
        _ = try await database.open()
        for id in Int64(1)...30 {
            try await database.apply(.init(receipts: [ReceiptRecord(id: id, action: "open", step: .sending, at: Lab.now)]))
        }
        try await database.apply(.init(events: (1...130).map { Self.event($0) }))
        let kept = try await shelf.database().open()
        #expect(kept.receipts.map(\.id) == Array((11...30).reversed()).map(Int64.init))
        #expect(kept.events.map(\.id) == Array((31...130).reversed()).map(Int64.init))
    }

    @Test func anEventIsClaimedOnce() async throws {
        let shelf = try Shelf()
        let database = shelf.database()
        _ = try await database.open()
        try await database.apply(.init(events: [Self.event(1), Self.event(2)]))
        #expect(try await database.claim([1, 7]) == [1])
        #expect(try await database.claim([1, 2]) == [2])
        try await database.apply(.init(events: [Self.event(1, read: true)]))
        let next = shelf.database()
        _ = try await next.open()
        #expect(try await next.claim([1, 2]) == [])
    }

    @Test(arguments: ["not a database", ""])
    func aDamagedFileIsSetAside(content: String) async throws {
        let shelf = try Shelf()
        try Data((content + String(repeating: "x", count: content.isEmpty ? 0 : 9000)).utf8).write(to: URL(fileURLWithPath: shelf.path))
        let kept = try await shelf.database().open()
        #expect(kept == ClientDatabase.Kept())
        let names = try FileManager.default.contentsOfDirectory(atPath: shelf.folder)
        #expect(names.contains { $0.hasPrefix("events.db.damaged-") } == !content.isEmpty)
        #expect(shelf.log.all.isEmpty == content.isEmpty)
    }

    @Test func rowsOfAnotherProgramAreLeftOut() async throws {
        let shelf = try Shelf()
        let database = shelf.database()
        _ = try await database.open()
        try await database.apply(.init(events: [Self.event(1)]))
        try Self.spoil(shelf.path)
        let kept = try await shelf.database().open()
        #expect(kept.events.map(\.id) == [1])
        #expect(kept.follow == nil)
        #expect(kept.receipts == [])
    }

    private static func spoil(_ path: String) throws {
        let other = try Database(path: path)
        try other.execute(
            """
            INSERT INTO event SELECT 2, 'party', task, revision, title, host, host_name, badge, at, activity_at, read, ended_at, 0 FROM event WHERE id = 1;
            INSERT INTO event SELECT 3, kind, 'no id', revision, title, host, host_name, badge, at, activity_at, read, ended_at, 0 FROM event WHERE id = 1;
            INSERT INTO event SELECT 4, kind, task, revision, title, host, host_name, badge, -5, activity_at, read, ended_at, 0 FROM event WHERE id = 1;
            INSERT INTO setting VALUES ('follow', '{"task":1}');
            INSERT INTO receipt VALUES (1, '[');
            """)
    }

    @Test func theFileStaysSmallHoweverMuchHappens() async throws {
        let shelf = try Shelf()
        let database = shelf.database()
        _ = try await database.open()
        var ledger: [AttentionEvent] = []
        var largest = 0
        for id in Int64(1)...800 {
            let old = ledger
            ledger.insert(Self.event(id), at: 0)
            if ledger.count > 100 { ledger.removeLast() }
            try await database.apply(.init(from: old, to: ledger))
            if id.isMultiple(of: 50) { largest = max(largest, shelf.bytes) }
        }
        #expect(largest < ClientDatabase.maximumBytes)
        #expect(try await shelf.database().open().events.count == 100)
    }

    @Test func onlyDifferencesAreWritten() {
        let old = [Self.event(3), Self.event(2), Self.event(1)]
        let new = [Self.event(4), Self.event(3), Self.event(2, read: true)]
        #expect(
            ClientDatabase.Change(from: old, to: new)
                == ClientDatabase.Change(events: [Self.event(2, read: true), Self.event(4)], removedEvents: [1]))
        #expect(ClientDatabase.Change(from: old, to: old).isEmpty)
    }
}
