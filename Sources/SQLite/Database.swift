import CSQLite
import Files
import Glibc

/// One connection to an SQLite file.
///
/// The file, and the `-wal` and `-shm` files beside it, are readable by their owner only. Foreign keys are on, the journal is a
/// write-ahead log, and what ``transaction(_:)`` returned from is on the disk. Not `Sendable`: one actor or one thread owns it.
public final class Database {
    /// The file; `:memory:` for a database without one.
    public let path: String
    let handle: OpaquePointer
    private var idleStatements: [String: OpaquePointer] = [:]
    var transactionDepth = 0

    /// Statements kept compiled for their next use.
    private static let cacheCapacity = 64

    /// Opens the file and creates it, 0600, when it is missing.
    ///
    /// - Parameters:
    ///   - path: The file, in a folder that exists. A mode that lets others in is repaired.
    ///   - busyTimeout: How long to wait for another connection that writes, 0 … 10 minutes.
    /// - Throws: ``SQLiteError`` `.file` when the file belongs to somebody else or is a link, `.cannotOpen`, `.damaged`, `.busy`,
    ///   `.readOnly` or `.full`.
    public convenience init(path: String, busyTimeout: Duration = .seconds(5)) throws(SQLiteError) {
        try Self.makePrivate(path)
        try self.init(opening: path, flags: SQLITE_OPEN_NOFOLLOW, busyTimeout: busyTimeout)
        try switchToWriteAheadLog(busyTimeout)
    }

    /// A database in memory that goes with this object.
    ///
    /// - Throws: ``SQLiteError`` when there is no memory for it.
    public static func inMemory() throws(SQLiteError) -> Database {
        try Database(opening: ":memory:", flags: SQLITE_OPEN_MEMORY, busyTimeout: .zero)
    }

    private init(opening path: String, flags: Int32, busyTimeout: Duration) throws(SQLiteError) {
        // SQLite reads some relative names, such as `file:…`, in a way of its own.
        let name = path.hasPrefix("/") || flags & SQLITE_OPEN_MEMORY != 0 ? path : "./" + path
        var opened: OpaquePointer?
        // No mutex: whoever owns this object uses it from one place at a time.
        let all = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | flags
        let code = sqlite3_open_v2(name, &opened, all, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code, subject: path)
        }
        self.path = path
        handle = opened
        let milliseconds = min(max(busyTimeout / .milliseconds(1), 0), 600_000)
        sqlite3_busy_timeout(handle, Int32(milliseconds))
        deck_sqlite_foreign_keys(handle, 1)
        deck_sqlite_defensive(handle)
    }

    deinit {
        for statement in idleStatements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// SQLite gives the files that it puts beside this one the same mode.
    private static func makePrivate(_ path: String) throws(SQLiteError) {
        guard !path.utf8.contains(0), !path.isEmpty else { throw SQLiteError(.misuse, subject: "", detail: "the path is empty or holds a zero byte") }
        do throws(FileError) {
            if try PrivateFile.check(path) == .missing {
                do throws(FileError) {
                    try File.createExclusively(path)
                } catch {
                    // Another process may have been faster.
                    guard case .alreadyExists = error, try PrivateFile.check(path) != .missing else { throw error }
                }
            }
            for suffix in ["-wal", "-shm"] { _ = try PrivateFile.check(path + suffix) }
        } catch {
            throw SQLiteError(.file(error), subject: path)
        }
    }

    /// Of two connections that switch a new file at once SQLite refuses one without waiting.
    private func switchToWriteAheadLog(_ busyTimeout: Duration) throws(SQLiteError) {
        let deadline = ContinuousClock.now + busyTimeout
        while true {
            do throws(SQLiteError) {
                try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
                return
            } catch {
                guard error.reason == .busy, ContinuousClock.now < deadline else { throw error }
                usleep(2_000)
            }
        }
    }

    // MARK: Statements

    /// A compiled statement; one that was used before with the same SQL is compiled already.
    ///
    /// - Parameter sql: One statement, with `?` or `?1` for values. Never put values into it: errors show it.
    /// - Throws: ``SQLiteError``.
    public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        if let raw = idleStatements.removeValue(forKey: sql) { return Statement(raw, sql: sql, of: self) }
        return Statement(try compile(sql), sql: sql, of: self)
    }

    private func compile(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        var raw: OpaquePointer?
        var hasMore = false
        var sql = sql
        let code = sql.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                var rest: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(handle, text.baseAddress, Int32(clamping: text.count), UInt32(SQLITE_PREPARE_PERSISTENT), &raw, &rest)
                if let rest, let start = text.baseAddress {
                    hasMore = text[(rest - start)...].contains { !" \t\r\n;".utf8.contains(UInt8(bitPattern: $0)) }
                }
                return code
            }
        }
        // Of SQL alone the message is safe to show: no value is bound yet.
        guard code == SQLITE_OK else { throw SQLiteError(code: code, subject: sql, detail: message) }
        guard let raw, !hasMore else {
            sqlite3_finalize(raw)
            throw SQLiteError(.misuse, subject: sql, detail: "exactly one statement was expected")
        }
        return raw
    }

    private var message: String { sqlite3_errmsg(handle).map { String(cString: $0) } ?? "" }

    func recycle(_ raw: OpaquePointer, sql: String) {
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
        guard idleStatements.count < Self.cacheCapacity, idleStatements[sql] == nil else {
            sqlite3_finalize(raw)
            return
        }
        idleStatements[sql] = raw
    }

    /// Runs statements that take no values and of which no row matters.
    ///
    /// - Throws: ``SQLiteError``.
    public func execute(_ script: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, subject: script, detail: code & 0xFF == SQLITE_ERROR ? message : "") }
    }

    /// Runs one statement to its end, with the values in the order of its parameters.
    ///
    /// - Returns: How many rows it changed.
    /// - Throws: ``SQLiteError``.
    @discardableResult
    public func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> Int { try run(sql, values: values) }

    /// See ``run(_:_:)``.
    @discardableResult
    public func run(_ sql: String, values: [SQLiteValue]) throws(SQLiteError) -> Int {
        let statement = try prepare(sql)
        try statement.bind(values)
        while try statement.step() {}
        return changes
    }

    /// The rows of one query, each made into a value by `read`.
    ///
    /// - Throws: ``SQLiteError``, or what `read` throws.
    public func rows<Value>(_ sql: String, _ values: SQLiteValue..., read: (borrowing Statement) throws -> Value) throws -> [Value] {
        try rows(sql, values: values, read: read)
    }

    /// See ``rows(_:_:read:)``.
    public func rows<Value>(_ sql: String, values: [SQLiteValue], read: (borrowing Statement) throws -> Value) throws -> [Value] {
        let statement = try prepare(sql)
        try statement.bind(values)
        var result: [Value] = []
        while try statement.step() { result.append(try read(statement)) }
        return result
    }

    /// The first row of a query, or `nil` when it has none.
    ///
    /// - Throws: ``SQLiteError``, or what `read` throws.
    public func first<Value>(_ sql: String, _ values: SQLiteValue..., read: (borrowing Statement) throws -> Value) throws -> Value? {
        let statement = try prepare(sql)
        try statement.bind(values)
        return try statement.step() ? try read(statement) : nil
    }

    /// Rows that the last finished INSERT, UPDATE or DELETE changed, not counting triggers.
    public var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The row id of the last INSERT of this connection; 0 before the first.
    public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
}

@available(*, unavailable, message: "a connection belongs to one actor or thread")
extension Database: Sendable {}
