import EventLoop
import Files
import FoundationEssentials
import Glibc
import SQLite

/// The open database of ``SQLiteRuntimeStateStore``. Runs on a thread of its own, as it waits for the disk.
actor SQLiteStateCore {
    private let lock: AdvisoryLock
    private let loop: EventLoop
    private let attachments: AttachmentFolder
    private let database: Database
    private var notices: [String]

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(path: String) throws {
        lock = try StatePreparation.lock(path)
        attachments = AttachmentFolder(path: path + ".attachments")
        do {
            (database, notices) = try Self.open(path)
            try database.migrate(SQLiteStateSchema.steps)
            attachments.removeAll(except: Set(try database.rows("SELECT name FROM attachments") { try $0.text(0) }))
            loop = try EventLoop(name: "codexkit-state")
        } catch {
            throw Self.failure(error)
        }
    }

    deinit { loop.shutdown() }

    private static func open(_ path: String) throws -> (Database, [String]) {
        do throws(SQLiteError) {
            return (try Database(path: path), [])
        } catch {
            guard error.reason == .damaged else { throw error }
            // Its log belongs to the damaged file and would be taken for the new one's.
            let now = Duration.seconds(Int64(Date().timeIntervalSince1970))
            for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 { try DamagedFile.setAside(path + suffix, now: now) }
            let kept = try DamagedFile.setAside(path, now: now)
            return (try Database(path: path), ["The file of the threads was damaged; it is kept as \(kept), and a new one was begun."])
        }
    }

    private static func failure(_ error: any Error) -> AgentRuntimeError {
        switch error {
        case let error as SQLiteError: StatePreparation.failed(error)
        case let error as FileError: StatePreparation.failed(error)
        case let error as SystemError: StatePreparation.failed(error)
        default: AgentRuntimeError.wrapping(error, as: .stateStoreFailed, "The kept threads have an unexpected form.")
        }
    }

    private func attempt<Result>(_ body: () throws -> Result) throws(AgentRuntimeError) -> Result {
        do { return try body() } catch { throw Self.failure(error) }
    }

    // MARK: Reading

    func summary() throws -> RuntimeStateSummary {
        try attempt {
            var summary = RuntimeStateSummary(notices: notices)
            summary.threads = try database.rows("SELECT body FROM threads") { try Self.decode(AgentThread.self, try $0.text(0)) }
            let last = """
                SELECT body FROM turns AS t WHERE position = (SELECT max(position) FROM turns WHERE thread = t.thread)
                """
            for turn in try database.rows(last, read: { try Self.decode(AgentTurn.self, try $0.text(0)) }) { summary.lastTurns[turn.threadID] = turn }
            notices = []
            return summary
        }
    }

    func turns(of threadID: String) throws -> [AgentTurn] {
        try attempt {
            try database.rows("SELECT body FROM turns WHERE thread = ? ORDER BY position", .text(threadID)) {
                try Self.decode(AgentTurn.self, try $0.text(0))
            }
        }
    }

    func contextState(of threadID: String) throws -> AgentContextState? {
        try attempt {
            try database.first("SELECT body FROM contexts WHERE thread = ?", .text(threadID)) {
                try Self.decode(AgentContextState.self, try $0.text(0))
            }
        }
    }

    func history(of threadID: String, matching query: AgentHistoryQuery) throws -> [AgentHistoryRecord] {
        try attempt {
            let (sql, values) = Self.select(threadID, query)
            let statement = try database.prepare(sql)
            try statement.bind(values)
            var records: [AgentHistoryRecord] = []
            while records.count < query.limit ?? .max, try statement.step() {
                var record = try Self.decode(AgentHistoryRecord.self, try statement.text(1))
                record.sequence = try statement.int(0)
                if query.matches(record) { records.append(attachments.load(record)) }
            }
            return records
        }
    }

    /// The conditions that have columns; the others are looked at row by row.
    private static func select(_ threadID: String, _ query: AgentHistoryQuery) -> (String, [SQLiteValue]) {
        var sql = "SELECT sequence, body FROM history WHERE thread = ?"
        var values: [SQLiteValue] = [.text(threadID)]
        func add(_ condition: String, _ value: SQLiteValue) {
            sql += " AND " + condition
            values.append(value)
        }
        if let after = query.after { add("sequence > ?", .integer(Int64(after))) }
        if let before = query.before { add("sequence < ?", .integer(Int64(before))) }
        if let turn = query.turnID { add("turn = ?", .text(turn)) }
        if let role = query.role { add("role = ?", .text(role.rawValue)) }
        if let kinds = query.kinds, kinds.count == 1, let kind = kinds.first { add("kind = ?", .text(kind.rawValue)) }
        return (sql + " ORDER BY sequence" + (query.newestFirst ? " DESC" : ""), values)
    }

    // MARK: Changing

    func apply(_ changes: [RuntimeStateChange]) throws {
        try attempt {
            let stored = try attachments.store(changes)
            let unnamed = try database.transaction { try stored.flatMap(apply) }
            for name in unnamed { unlink(attachments.path + "/" + name) }
        }
    }

    /// - Returns: The files that nothing names any longer.
    private func apply(_ change: RuntimeStateChange) throws -> [String] {
        switch change {
        case .saveThread(let thread):
            try database.run(
                """
                INSERT INTO threads (id, updated, body) VALUES (?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET updated = excluded.updated, body = excluded.body
                """, .text(thread.id), .real(thread.updatedAt.timeIntervalSince1970), .text(try Self.encode(thread)))
        case .saveTurn(let turn):
            try requireThread(turn.threadID)
            try database.run(
                """
                INSERT INTO turns (id, thread, position, body)
                VALUES (?1, ?2, (SELECT coalesce(max(position), 0) + 1 FROM turns WHERE thread = ?2), ?3)
                ON CONFLICT (thread, id) DO UPDATE SET body = excluded.body
                """, .text(turn.id), .text(turn.threadID), .text(try Self.encode(turn)))
        case .append(let records): for record in records { try append(record) }
        case .saveContextState(let context):
            try requireThread(context.threadID)
            try database.run(
                "INSERT OR REPLACE INTO contexts (thread, covered, body) VALUES (?, ?, ?)",
                .text(context.threadID), .integer(Int64(context.coveredThrough)), .text(try Self.encode(context)))
        case .clearContextState(let id):
            try requireThread(id)
            try database.run("DELETE FROM contexts WHERE thread = ?", .text(id))
        case .deleteRecords(let id, let ids): return try deleteRecords(ids, of: id)
        case .deleteThread(let id):
            let names = try database.rows("SELECT name FROM attachments WHERE thread = ?", .text(id)) { try $0.text(0) }
            try database.run("DELETE FROM threads WHERE id = ?", .text(id))
            return names
        }
        return []
    }

    private func requireThread(_ id: String) throws {
        guard try database.first("SELECT 1 FROM threads WHERE id = ?", .text(id), read: { _ in true }) != nil else {
            throw AgentRuntimeError.threadNotFound(id)
        }
    }

    private func append(_ record: AgentHistoryRecord) throws {
        try requireThread(record.threadID)
        let thread = SQLiteValue.text(record.threadID)
        let next = try database.first(
            "UPDATE threads SET last_sequence = last_sequence + 1 WHERE id = ? RETURNING last_sequence", thread) { try $0.int64(0) }
        guard let next else { throw AgentRuntimeError.threadNotFound(record.threadID) }
        try database.run(
            "INSERT INTO history (thread, sequence, id, turn, kind, role, created, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            thread, .integer(next), .text(record.id), SQLiteValue(record.turnID), .text(record.item.kind.rawValue),
            SQLiteValue(record.item.message?.role.rawValue), .real(record.createdAt.timeIntervalSince1970), .text(try Self.encode(record)))
        for name in AttachmentFolder.names(of: [record]) {
            try database.run("INSERT INTO attachments (name, thread, sequence) VALUES (?, ?, ?)", .text(name), thread, .integer(next))
        }
    }

    private func deleteRecords(_ ids: Set<String>, of thread: String) throws -> [String] {
        try requireThread(thread)
        var names: [String] = []
        for id in ids {
            let found = try database.rows("SELECT sequence FROM history WHERE thread = ? AND id = ?", .text(thread), .text(id)) { try $0.int64(0) }
            for sequence in found {
                names += try database.rows(
                    "SELECT name FROM attachments WHERE thread = ? AND sequence = ?", .text(thread), .integer(sequence)) { try $0.text(0) }
                try database.run("DELETE FROM history WHERE thread = ? AND sequence = ?", .text(thread), .integer(sequence))
                // The summary may tell what was to be forgotten.
                try database.run("DELETE FROM contexts WHERE thread = ? AND covered >= ?", .text(thread), .integer(sequence))
            }
        }
        return names
    }

    // MARK: JSON

    private static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
