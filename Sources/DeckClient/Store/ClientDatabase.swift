import EventLoop
import Files
import JSON
import Log
import RelayProtocol
import SQLite

/// What has to survive a crash: events, which of them were told, receipts and the followed task.
///
/// A change is on the disk, whole, when its call returns. The file never grows past ``maximumBytes``, its log included. Lives on the loop
/// for files, as writing may wait for the disk.
actor ClientDatabase {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What an earlier run left.
    struct Kept: Sendable, Equatable {
        var events: [AttentionEvent] = []
        /// The highest id ever given to an event.
        var lastEvent: Int64 = 0
        var receipts: [ReceiptRecord] = []
        var follow: Follow?
    }

    /// A change of what is kept.
    struct Change: Sendable, Equatable {
        /// New or different events.
        var events: [AttentionEvent] = []
        var removedEvents: [Int64] = []
        var receipts: [ReceiptRecord] = []
        /// Set when the followed task changed; the inner `nil` is none.
        var follow: Follow??

        var isEmpty: Bool { events.isEmpty && removedEvents.isEmpty && receipts.isEmpty && follow == nil }
    }

    static let maximumBytes = 5 << 20
    private static let pageBytes = 4096
    private static let mainPages = 512
    /// Pages the log may gather before they are moved into the main file.
    private static let logPages = 256

    private let path: String
    private let loop: EventLoop
    private let logger: Logger
    private let now: @Sendable () -> UnixMilliseconds
    private var database: Database?

    init(path: String, loop: EventLoop, logger: Logger, now: @escaping @Sendable () -> UnixMilliseconds) {
        self.path = path
        self.loop = loop
        self.logger = logger
        self.now = now
    }

    /// Opens the file and reads what it keeps. One that is damaged is set aside and named in the log.
    ///
    /// - Throws: ``SQLiteError`` when there can be no file: the client then works without a memory of events.
    func open() throws -> Kept {
        do {
            return try openOnce()
        } catch {
            guard error is DatabaseDamage || (error as? SQLiteError)?.reason == .damaged else { throw error }
            database = nil
            let moved = try DamagedFile.setAside(path, now: .milliseconds(now().value))
            for suffix in ["-wal", "-shm"] { try File.remove(path + suffix) }
            logger.warning("\(error) It is now \(moved).")
            return try openOnce()
        }
    }

    private func openOnce() throws -> Kept {
        let database = try Database(path: path)
        // A page size counts only for a file that is made now; the log is bounded by moving it early and by cutting it then.
        try database.execute(
            """
            PRAGMA wal_autocheckpoint = \(Self.logPages);
            PRAGMA journal_size_limit = \(Self.logPages * Self.pageBytes);
            PRAGMA max_page_count = \(Self.mainPages);
            """)
        guard try database.isIntact() else { throw DatabaseDamage() }
        try database.migrate(Self.steps)
        try database.run(
            "DELETE FROM event WHERE id NOT IN (SELECT id FROM event ORDER BY id DESC LIMIT ?)", .integer(Int64(AttentionLedger.capacity)))
        self.database = database
        return try Kept(
            events: Self.events(database), lastEvent: Self.lastEvent(database), receipts: Self.receipts(database), follow: Self.follow(database))
    }

    /// Makes a change, all of it or nothing.
    ///
    /// - Throws: ``SQLiteError``.
    func apply(_ change: Change) throws {
        guard let database, !change.isEmpty else { return }
        try database.transaction {
            for event in change.events { try Self.put(event, in: database) }
            for id in change.removedEvents { try database.run("DELETE FROM event WHERE id = ?", .integer(id)) }
            for receipt in change.receipts { try Self.put(receipt, in: database) }
            if !change.receipts.isEmpty {
                try database.run(
                    "DELETE FROM receipt WHERE id NOT IN (SELECT id FROM receipt ORDER BY id DESC LIMIT ?)", .integer(Int64(ReceiptLog.capacity)))
            }
            if let follow = change.follow { try Self.put(follow, in: database) }
        }
    }

    /// Marks events as told, and says which of them were not yet: those are the ones to tell.
    func claim(_ events: [Int64]) throws -> [Int64] {
        guard let database else { return events }
        return try database.transaction {
            try events.filter { try database.run("UPDATE event SET notified = 1 WHERE id = ? AND notified = 0", .integer($0)) == 1 }
        }
    }

    func close() { database = nil }
}

/// The pages of the file do not agree with each other.
private struct DatabaseDamage: Error, CustomStringConvertible {
    var description: String { "The file of events is damaged." }
}

extension ClientDatabase {
    private static let steps = [
        Migration(
            """
            CREATE TABLE event (
                id INTEGER PRIMARY KEY, kind TEXT NOT NULL, task TEXT NOT NULL, revision INTEGER, title TEXT NOT NULL, host TEXT NOT NULL,
                host_name TEXT NOT NULL, badge TEXT NOT NULL, at INTEGER NOT NULL, activity_at INTEGER, read INTEGER NOT NULL,
                ended_at INTEGER, notified INTEGER NOT NULL DEFAULT 0) STRICT;
            CREATE TABLE receipt (id INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT;
            CREATE TABLE setting (name TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT, WITHOUT ROWID;
            """)
    ]

    /// Stands for a completion or an error without a number.
    private static let unnumbered: Int64 = -1

    private static func put(_ event: AttentionEvent, in database: Database) throws {
        let revision: SQLiteValue =
            switch event.revision {
            case .number(let number): .integer(number)
            case .unnumbered: .integer(unnumbered)
            case nil: .null
            }
        try database.run(
            """
            INSERT INTO event (id, kind, task, revision, title, host, host_name, badge, at, activity_at, read, ended_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET task = excluded.task, revision = excluded.revision, read = excluded.read, ended_at = excluded.ended_at
            """,
            values: [
                .integer(event.id), .text(event.kind.rawValue), .text(event.task.uuid), revision, .text(event.title), .text(event.host.uuid),
                .text(event.hostName), .text(event.badge.rawValue), .integer(event.at.value), time(event.activityAt), SQLiteValue(event.isRead),
                time(event.endedAt),
            ])
        try database.run(
            "INSERT INTO setting (name, content) VALUES ('last-event', ?1) ON CONFLICT (name) DO UPDATE SET content = ?1 WHERE CAST(content AS INTEGER) < ?2",
            .text(String(event.id)), .integer(event.id))
    }

    private static func time(_ time: UnixMilliseconds?) -> SQLiteValue { time.map { .integer($0.value) } ?? .null }

    private static func put(_ receipt: ReceiptRecord, in database: Database) throws {
        try database.run(
            "INSERT INTO receipt (id, content) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET content = ?2", .integer(receipt.id),
            .text(String(decoding: receipt.json.encoded(), as: UTF8.self)))
    }

    private static func put(_ follow: Follow?, in database: Database) throws {
        guard let follow else {
            try database.run("DELETE FROM setting WHERE name = 'follow'")
            return
        }
        try database.run(
            "INSERT INTO setting (name, content) VALUES ('follow', ?1) ON CONFLICT (name) DO UPDATE SET content = ?1",
            .text(String(decoding: follow.json.encoded(), as: UTF8.self)))
    }

    // MARK: - Reading

    /// Rows that make no sense are left out: they can only come from another program.
    private static func events(_ database: Database) throws -> [AttentionEvent] {
        let rows = try database.prepare(
            "SELECT id, kind, task, revision, title, host, host_name, badge, at, activity_at, read, ended_at FROM event ORDER BY id DESC LIMIT ?")
        try rows.bind([.integer(Int64(AttentionLedger.capacity))])
        var events: [AttentionEvent] = []
        while try rows.step() {
            guard let kind = AttentionEvent.Kind(rawValue: try rows.text(1)), let task = TaskIdentity(try rows.text(2)),
                let host = HostID(try rows.text(5)), let badge = HostBadge(rawValue: try rows.text(7)), let at = UnixMilliseconds(try rows.int64(8))
            else { continue }
            let revision = try rows.optionalInt64(3).map { $0 == unnumbered ? Acknowledgements.Revision.unnumbered : .number($0) }
            events.append(
                AttentionEvent(
                    id: try rows.int64(0), kind: kind, task: task, revision: revision, title: try rows.text(4), host: host,
                    hostName: try rows.text(6),
                    badge: badge, at: at, activityAt: try rows.optionalInt64(9).flatMap { UnixMilliseconds($0) }, isRead: try rows.bool(10),
                    endedAt: try rows.optionalInt64(11).flatMap { UnixMilliseconds($0) }))
        }
        return events
    }

    private static func lastEvent(_ database: Database) throws -> Int64 { try content("last-event", database).flatMap { Int64($0) } ?? 0 }

    private static func receipts(_ database: Database) throws -> [ReceiptRecord] {
        let rows = try database.prepare("SELECT content FROM receipt ORDER BY id DESC LIMIT ?")
        try rows.bind([.integer(Int64(ReceiptLog.capacity))])
        var receipts: [ReceiptRecord] = []
        while try rows.step() {
            if let value = try? JSONParser(maximumDepth: 4).parse(Array(try rows.text(0).utf8)), let receipt = ReceiptRecord(json: value) {
                receipts.append(receipt)
            }
        }
        return receipts
    }

    private static func follow(_ database: Database) throws -> Follow? {
        guard let text = try content("follow", database), let value = try? JSONParser(maximumDepth: 4).parse(Array(text.utf8)) else { return nil }
        return Follow(json: value)
    }

    private static func content(_ name: String, _ database: Database) throws -> String? {
        let rows = try database.prepare("SELECT content FROM setting WHERE name = ?")
        try rows.bind([.text(name)])
        return try rows.step() ? try rows.text(0) : nil
    }
}
