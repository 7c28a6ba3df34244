import EventLoop
import Files
import FoundationEssentials
import SQLite

/// Remembers in an SQLite file, searched by its full-text index. Several processes may share it.
public actor SQLiteMemoryStore: AgentMemoryStoring {
    private let path: String
    private let now: @Sendable () -> Date
    private var opened: MemoryCore?

    /// - Parameters:
    ///   - url: The file; it and its folder are made when missing, readable by their owner only.
    ///   - now: The time, for leaving out what has expired.
    public init(url: URL, now: @escaping @Sendable () -> Date = { Date() }) {
        path = url.path
        self.now = now
    }

    private func core() throws -> MemoryCore {
        if let opened { return opened }
        let core = try MemoryCore(path: path)
        opened = core
        return core
    }

    public func save(_ records: [MemoryRecord]) async throws { try await core().save(records) }
    public func records(matching query: MemoryQuery) async throws -> [MemoryRecord] { try await core().records(matching: query, at: now()) }
    public func record(id: String) async throws -> MemoryRecord? { try await core().record(id: id) }
    public func delete(ids: [String]) async throws { try await core().delete(ids: ids) }
    @discardableResult
    public func deleteExpired(at now: Date) async throws -> Int { try await core().deleteExpired(at: now) }
}

/// The open file. Runs on a thread of its own, as it waits for the disk.
private actor MemoryCore {
    private let loop: EventLoop
    private let database: Database

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private static let steps = [
        Migration(
            """
            CREATE TABLE memories (
                number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, namespace TEXT NOT NULL, importance REAL NOT NULL, updated REAL NOT NULL,
                expires REAL, words TEXT NOT NULL, body TEXT NOT NULL
            ) STRICT;
            CREATE INDEX memories_by_namespace ON memories (namespace, importance DESC, updated DESC);
            CREATE VIRTUAL TABLE memory_words USING fts5 (words, content = 'memories', content_rowid = 'number', tokenize = 'porter unicode61');
            CREATE TRIGGER memories_insert AFTER INSERT ON memories BEGIN
                INSERT INTO memory_words (rowid, words) VALUES (new.number, new.words);
            END;
            CREATE TRIGGER memories_delete AFTER DELETE ON memories BEGIN
                INSERT INTO memory_words (memory_words, rowid, words) VALUES ('delete', old.number, old.words);
            END;
            CREATE TRIGGER memories_update AFTER UPDATE ON memories BEGIN
                INSERT INTO memory_words (memory_words, rowid, words) VALUES ('delete', old.number, old.words);
                INSERT INTO memory_words (rowid, words) VALUES (new.number, new.words);
            END;
            """)
    ]

    init(path: String) throws {
        do {
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                let folder = String(path[..<slash])
                if !FileManager.default.fileExists(atPath: folder) { try PrivateDirectory.ensure(folder) }
            }
            database = try Database(path: path)
            try database.migrate(Self.steps)
            loop = try EventLoop(name: "codexkit-memory")
        } catch {
            throw Self.failure(error)
        }
    }

    deinit { loop.shutdown() }

    private static func failure(_ error: any Error) -> AgentRuntimeError {
        let reason =
            switch error {
            case let error as SQLiteError: error.description
            case let error as FileError: error.description
            case let error as SystemError: error.description
            default: "a record has an unexpected form"
            }
        return AgentRuntimeError(code: .memoryFailed, message: "The memory cannot be read or kept: \(reason)")
    }

    private func attempt<Result>(_ body: () throws -> Result) throws(AgentRuntimeError) -> Result {
        do { return try body() } catch { throw Self.failure(error) }
    }

    func save(_ records: [MemoryRecord]) throws {
        try attempt {
            try database.transaction {
                for record in records {
                    try database.run(
                        """
                        INSERT INTO memories (id, namespace, importance, updated, expires, words, body) VALUES (?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT (id) DO UPDATE SET namespace = excluded.namespace, importance = excluded.importance,
                        updated = excluded.updated, expires = excluded.expires, words = excluded.words, body = excluded.body
                        """, .text(record.id), .text(record.namespace), .real(record.importance), .real(record.updatedAt.timeIntervalSince1970),
                        SQLiteValue(record.expiresAt?.timeIntervalSince1970), .text(record.summary + " " + record.tags.joined(separator: " ")),
                        .text(String(decoding: try JSONEncoder().encode(record), as: UTF8.self)))
                }
            }
        }
    }

    func records(matching query: MemoryQuery, at now: Date) throws -> [MemoryRecord] {
        try attempt {
            var sql = "SELECT body FROM memories WHERE namespace = ? ORDER BY importance DESC, updated DESC, id"
            var values: [SQLiteValue] = [.text(query.namespace)]
            if let text = query.text {
                let words = MemoryQuery.words(of: text)
                guard !words.isEmpty else { return [] }
                sql = """
                    SELECT m.body FROM memory_words AS w JOIN memories AS m ON m.number = w.rowid
                    WHERE memory_words MATCH ? AND m.namespace = ? ORDER BY bm25(memory_words) - m.importance, m.updated DESC, m.id
                    """
                // Quoted, a word is a word and never an operator.
                values.insert(.text(words.map { "\"\($0)\"" }.joined(separator: " OR ")), at: 0)
            }
            let statement = try database.prepare(sql)
            try statement.bind(values)
            var records: [MemoryRecord] = []
            while records.count < query.limit, try statement.step() {
                let record = try Self.decode(try statement.text(0))
                if query.admits(record, at: now) { records.append(record) }
            }
            return records
        }
    }

    func record(id: String) throws -> MemoryRecord? {
        try attempt { try database.first("SELECT body FROM memories WHERE id = ?", .text(id)) { try Self.decode(try $0.text(0)) } }
    }

    func delete(ids: [String]) throws {
        try attempt {
            try database.transaction { for id in ids { try database.run("DELETE FROM memories WHERE id = ?", .text(id)) } }
        }
    }

    func deleteExpired(at now: Date) throws -> Int {
        try attempt { try database.run("DELETE FROM memories WHERE expires <= ?", .real(now.timeIntervalSince1970)) }
    }

    private static func decode(_ text: String) throws -> MemoryRecord { try JSONDecoder().decode(MemoryRecord.self, from: Data(text.utf8)) }
}
