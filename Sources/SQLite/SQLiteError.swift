import CSQLite
import Files

/// Why a database could not do what it was asked. Holds SQL at most, never a bound value, so it can be logged.
public struct SQLiteError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// Another connection held the database for longer than the busy timeout.
        case busy
        /// The disk, or the quota, is full.
        case full
        /// The file or its file system cannot be written.
        case readOnly
        /// The file is no database, or a damaged one.
        case damaged
        /// A uniqueness, foreign key, not-null or check rule of the schema forbids the change.
        case constraint
        /// The file cannot be opened.
        case cannotOpen
        /// The file was written by a newer version of the program: its schema is `found`, the newest known one `known`.
        case newerSchema(found: Int, known: Int)
        /// The file is not ours alone, or cannot be made so.
        case file(FileError)
        /// A parameter or column that the statement does not have, or a value of another type than asked for.
        case misuse
        /// The SQL is wrong, or the disk failed; the code tells.
        case other
    }

    public let reason: Reason
    /// SQLite's extended result code; 0 when SQLite was not asked.
    public let code: Int32
    /// The SQL, without values, or the path.
    public let subject: String
    /// What SQLite says of wrong SQL; empty otherwise.
    public let detail: String

    init(_ reason: Reason, code: Int32 = 0, subject: String, detail: String = "") {
        self.reason = reason
        self.code = code
        self.subject = subject
        self.detail = detail
    }

    init(code: Int32, subject: String, detail: String = "") {
        self.init(Self.reason(of: code), code: code, subject: subject, detail: detail)
    }

    private static func reason(of code: Int32) -> Reason {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .full
        case SQLITE_READONLY: .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
        case SQLITE_MISUSE, SQLITE_RANGE, SQLITE_MISMATCH: .misuse
        default: .other
        }
    }
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .busy: "The database is in use by another program for too long; try again (\(subject))."
        case .full: "There is no space left for the database; nothing was changed. Free some and try again (\(subject))."
        case .readOnly: "The database cannot be written; check the permissions of the file and of its folder (\(subject))."
        case .damaged: "The database is damaged or is no SQLite file (\(subject))."
        case .constraint: "The database refuses the change: \(Self.text(code)) (\(subject))."
        case .cannotOpen: "The database cannot be opened; check that its folder exists and is yours (\(subject))."
        case .newerSchema(let found, let known):
            "The database was written by a newer version of this program (schema \(found), known is \(known)); update the program (\(subject))."
        case .file(let error): error.description
        case .misuse: "The statement was used wrongly: \(detail.isEmpty ? Self.text(code) : detail) (\(subject))."
        case .other: "The database failed: \(detail.isEmpty ? Self.text(code) : detail) (code \(code), \(subject))."
        }
    }

    /// The text for a code, which unlike the message of the connection never quotes what was bound.
    private static func text(_ code: Int32) -> String {
        sqlite3_errstr(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
