import CSQLite

/// A compiled statement: bind its values, then step through its rows.
///
/// Columns and parameters count from 0 and 1, as in SQLite. It keeps its connection open, and goes back to it when it ends.
public struct Statement: ~Copyable {
    private let raw: OpaquePointer
    private let sql: String
    private let database: Database

    init(_ raw: OpaquePointer, sql: String, of database: Database) {
        self.raw = raw
        self.sql = sql
        self.database = database
    }

    deinit { database.recycle(raw, sql: sql) }

    // MARK: Values

    /// Binds all parameters.
    ///
    /// - Throws: ``SQLiteError`` `.misuse` unless there are as many values as parameters.
    public func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        guard values.count == Int(sqlite3_bind_parameter_count(raw)) else {
            throw SQLiteError(.misuse, subject: sql, detail: "\(values.count) values for \(sqlite3_bind_parameter_count(raw)) parameters")
        }
        for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
    }

    /// Binds one parameter; the value is copied.
    ///
    /// - Parameter index: 1 for the first.
    /// - Throws: ``SQLiteError`` `.misuse` when there is no such parameter or the statement is between its rows.
    public func bind(_ value: SQLiteValue, at index: Int) throws(SQLiteError) {
        let index = Int32(clamping: index)
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(raw, index)
        case .integer(let value): code = sqlite3_bind_int64(raw, index, value)
        case .real(let value): code = sqlite3_bind_double(raw, index, value)
        case .text(var text):
            code = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { Self.bindText(raw, index, $0) }
            }
        case .blob(let bytes):
            code = bytes.withUnsafeBytes { bytes in
                // A null pointer would bind NULL instead of no bytes.
                bytes.baseAddress.map { deck_sqlite_bind_blob(raw, index, $0, UInt64(bytes.count)) } ?? sqlite3_bind_zeroblob(raw, index, 0)
            }
        }
        guard code == SQLITE_OK else { throw SQLiteError(code: code, subject: sql) }
    }

    private static func bindText(_ raw: OpaquePointer, _ index: Int32, _ bytes: UnsafeBufferPointer<CChar>) -> Int32 {
        guard let start = bytes.baseAddress else { return deck_sqlite_bind_text(raw, index, "", 0) }
        return deck_sqlite_bind_text(raw, index, start, UInt64(bytes.count))
    }

    // MARK: Rows

    /// Goes to the next row; `false` when there is none.
    ///
    /// - Throws: ``SQLiteError``.
    public func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(raw)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            sqlite3_reset(raw)
            throw SQLiteError(code: code, subject: sql)
        }
    }

    /// Makes the statement ready for another run; the values stay bound.
    public func reset() { sqlite3_reset(raw) }

    /// Columns of a row; 0 for a statement that has none.
    public var columnCount: Int { Int(sqlite3_column_count(raw)) }

    /// Any column as what it holds; `.null` outside the columns, or when there is no row.
    public func value(_ column: Int) -> SQLiteValue {
        guard let index = index(column) else { return .null }
        return switch sqlite3_column_type(raw, index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(raw, index))
        case SQLITE_FLOAT: .real(sqlite3_column_double(raw, index))
        case SQLITE_TEXT: .text(text(at: index))
        case SQLITE_BLOB: .blob(blob(at: index))
        default: .null
        }
    }

    private func index(_ column: Int) -> Int32? {
        // Without a row there are no columns, whatever `columnCount` says.
        (0..<Int(sqlite3_data_count(raw))).contains(column) ? Int32(column) : nil
    }

    private func text(at index: Int32) -> String {
        guard let start = sqlite3_column_text(raw, index) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, index))), as: UTF8.self)
    }

    private func blob(at index: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(raw, index) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, index))))
    }

    private func wrongType(_ column: Int, _ wanted: String) -> SQLiteError {
        SQLiteError(.misuse, subject: sql, detail: "column \(column) is no \(wanted)")
    }
}

extension Statement {
    /// - Throws: ``SQLiteError`` `.misuse` when the column holds anything else.
    public func int64(_ column: Int) throws(SQLiteError) -> Int64 {
        guard case .integer(let value) = value(column) else { throw wrongType(column, "integer") }
        return value
    }

    /// - Throws: ``SQLiteError`` `.misuse` when the column holds anything else.
    public func int(_ column: Int) throws(SQLiteError) -> Int { Int(try int64(column)) }

    /// Any integer but 0 is true.
    ///
    /// - Throws: ``SQLiteError`` `.misuse` when the column holds anything else.
    public func bool(_ column: Int) throws(SQLiteError) -> Bool { try int64(column) != 0 }

    /// Integers count as numbers, as SQLite stores whole ones in a REAL column so.
    ///
    /// - Throws: ``SQLiteError`` `.misuse` when the column holds anything else.
    public func double(_ column: Int) throws(SQLiteError) -> Double {
        switch value(column) {
        case .real(let value): return value
        case .integer(let value): return Double(value)
        default: throw wrongType(column, "number")
        }
    }

    /// Invalid UTF-8, which only another program can have stored, is repaired.
    ///
    /// - Throws: ``SQLiteError`` `.misuse` when the column holds anything else.
    public func text(_ column: Int) throws(SQLiteError) -> String {
        guard case .text(let value) = value(column) else { throw wrongType(column, "text") }
        return value
    }

    /// - Throws: ``SQLiteError`` `.misuse` when the column holds anything else.
    public func blob(_ column: Int) throws(SQLiteError) -> [UInt8] {
        guard case .blob(let value) = value(column) else { throw wrongType(column, "blob") }
        return value
    }

    /// Whether the column is NULL, or missing.
    public func isNull(_ column: Int) -> Bool { value(column) == .null }

    /// The text, or `nil` for NULL.
    ///
    /// - Throws: ``SQLiteError`` `.misuse` when the column holds anything else.
    public func optionalText(_ column: Int) throws(SQLiteError) -> String? { isNull(column) ? nil : try text(column) }

    /// The number, or `nil` for NULL.
    ///
    /// - Throws: ``SQLiteError`` `.misuse` when the column holds anything else.
    public func optionalDouble(_ column: Int) throws(SQLiteError) -> Double? { isNull(column) ? nil : try double(column) }

    /// The integer, or `nil` for NULL.
    ///
    /// - Throws: ``SQLiteError`` `.misuse` when the column holds anything else.
    public func optionalInt64(_ column: Int) throws(SQLiteError) -> Int64? { isNull(column) ? nil : try int64(column) }
}
