import CSQLite

extension Database {
    /// Runs `body` as one change: all of it is on the disk when this returns, none of it when it throws.
    ///
    /// Inside another transaction it is a part of that one, which can be undone alone.
    /// - Throws: What `body` throws, or ``SQLiteError``, `.busy` when another connection writes for longer than the timeout.
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        let depth = transactionDepth
        let name = "deck_\(depth)"
        // A transaction that begins as a reader can fail in its middle when it wants to write.
        try execute(depth == 0 ? "BEGIN IMMEDIATE" : "SAVEPOINT \(name)")
        transactionDepth += 1
        defer { transactionDepth = depth }
        do {
            let result = try body()
            try execute(depth == 0 ? "COMMIT" : "RELEASE \(name)")
            return result
        } catch {
            rollBack(depth: depth, name: name)
            throw error
        }
    }

    /// After some errors, such as a full disk, SQLite has rolled back by itself.
    private func rollBack(depth: Int, name: String) {
        guard sqlite3_get_autocommit(handle) == 0 else { return }
        // What went wrong is reported already; a rollback that fails leaves the journal, which undoes it at the next opening.
        sqlite3_exec(handle, depth == 0 ? "ROLLBACK" : "ROLLBACK TO \(name); RELEASE \(name)", nil, nil, nil)
    }

    /// Whether a transaction is under way.
    public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The version of the schema that the file carries; 0 in a new one.
    ///
    /// - Throws: ``SQLiteError``.
    public func userVersion() throws(SQLiteError) -> Int {
        let statement = try prepare("PRAGMA user_version")
        return try statement.step() ? try statement.int(0) : 0
    }

    /// Brings the schema up to date: the list holds every step since the first version, in order, and only ever grows.
    ///
    /// Each step and its version are one transaction, so that a crash leaves the file between two versions, never within one.
    /// - Throws: ``SQLiteError`` `.newerSchema` when the file has more steps behind it than the list; what a step throws.
    public func migrate(_ steps: [Migration]) throws {
        while true {
            // Read inside the transaction: another process may be migrating the same file.
            let isDone = try transaction {
                let version = try userVersion()
                guard version <= steps.count, version >= 0 else {
                    throw SQLiteError(.newerSchema(found: version, known: steps.count), subject: path)
                }
                guard version < steps.count else { return true }
                try steps[version].apply(self)
                try execute("PRAGMA user_version = \(version + 1)")
                return false
            }
            if isDone { return }
        }
    }

    /// Reads the whole file and tells whether its pages agree with each other; takes time in proportion to its size.
    ///
    /// - Throws: ``SQLiteError``.
    public func isIntact() throws(SQLiteError) -> Bool {
        let statement = try prepare("PRAGMA quick_check(1)")
        return try statement.step() && statement.value(0) == .text("ok")
    }

    /// Moves the write-ahead log into the main file and empties it, as far as other connections allow.
    ///
    /// - Throws: ``SQLiteError``.
    public func checkpoint() throws(SQLiteError) {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw SQLiteError(code: code, subject: path) }
    }
}

/// One step from a version of a schema to the next.
public struct Migration: Sendable {
    let apply: @Sendable (Database) throws -> Void

    public init(_ apply: @escaping @Sendable (Database) throws -> Void) { self.apply = apply }

    /// A step made of SQL alone.
    public init(_ script: String) { apply = { database in try database.execute(script) } }
}
