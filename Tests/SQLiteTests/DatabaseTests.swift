import Files
import Glibc
import Testing

@testable import SQLite

struct DatabaseTests {
    private let folder = TemporaryFolder()

    @Test func closesItsThreeFilesToOthers() throws {
        let former = umask(0)
        defer { umask(former) }
        let database = try Database(path: folder("a.sqlite"))
        try database.execute("CREATE TABLE t (x)")
        #expect(folder.names == ["a.sqlite", "a.sqlite-shm", "a.sqlite-wal"])
        for name in folder.names { #expect(folder.mode(name) == 0o600, "\(name)") }
    }

    @Test func repairsAFileThatOthersCouldRead() throws {
        try Database(path: folder("a")).execute("CREATE TABLE t (x)")
        chmod(folder("a"), 0o644)
        _ = try Database(path: folder("a"))
        #expect(folder.mode("a") == 0o600)
    }

    @Test func refusesALink() throws {
        try #require(symlink(folder("elsewhere"), folder("a")) == 0)
        #expect(throws: SQLiteError(.file(.symbolicLink(folder("a"))), subject: folder("a"))) { try Database(path: folder("a")) }
        #expect(folder.names == ["a"])
    }

    @Test(arguments: ["", "/no/such/folder/a", "/tmp/with\0zero"])
    func refusesAPathThatCannotBe(path: String) {
        #expect(throws: SQLiteError.self) { try Database(path: path) }
    }

    @Test func tellsADamagedFile() throws {
        try AtomicFile.write([UInt8](repeating: 0x41, count: 8192), to: folder("a"))
        let error = #expect(throws: SQLiteError.self) { try Database(path: folder("a")) }
        #expect(error?.reason == .damaged)
    }

    @Test func keepsWhatWasWritten() throws {
        try Database(path: folder("a")).execute("CREATE TABLE t (x); INSERT INTO t VALUES (7)")
        let database = try Database(path: folder("a"))
        #expect(try database.first("SELECT x FROM t") { try $0.int($0.columnCount - 1) } == 7)
        #expect(try database.isIntact())
        try database.checkpoint()
    }

    @Test func waitsNoLongerThanItsTimeoutForAnotherWriter() throws {
        let first = try Database(path: folder("a"))
        let second = try Database(path: folder("a"), busyTimeout: .zero)
        try first.execute("CREATE TABLE t (x)")
        try first.transaction {
            let error = #expect(throws: SQLiteError.self) { try second.run("INSERT INTO t VALUES (1)") }
            #expect(error?.reason == .busy)
        }
        #expect(try second.run("INSERT INTO t VALUES (1)") == 1)
    }

    @Test func foreignKeysHold() throws {
        let database = try Database.inMemory()
        try database.execute("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a ON DELETE CASCADE)")
        let error = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO b VALUES (?)", 5) }
        #expect(error?.reason == .constraint)
        try database.execute("INSERT INTO a VALUES (5); INSERT INTO b VALUES (5); DELETE FROM a")
        #expect(try database.first("SELECT count(*) FROM b") { try $0.int(0) } == 0)
    }

    @Test func errorsShowNoBoundValue() throws {
        let database = try Database.inMemory()
        try database.execute("CREATE TABLE t (x UNIQUE); CREATE VIRTUAL TABLE f USING fts5(x)")
        try database.run("INSERT INTO t VALUES (?)", "hush")
        for (sql, value) in [("INSERT INTO t VALUES (?)", "hush"), ("SELECT * FROM f WHERE f MATCH ?", "\"hush")] {
            let error = #expect(throws: SQLiteError.self) { try database.rows(sql, .text(value)) { _ in } }
            #expect(error.map { "\($0)".contains("hush") } == false)
            #expect(error?.subject == sql)
        }
    }

    @Test(arguments: ["SELEKT 1", "SELECT 1; SELECT 2", "", "   ", "SELECT nothing", "-- only a comment"])
    func refusesAnythingButOneStatement(sql: String) throws {
        let database = try Database.inMemory()
        #expect(throws: SQLiteError.self) { try database.run(sql) }
    }

    @Test(arguments: ["SELECT 1;", "SELECT 1 ; \n"])
    func allowsASemicolonAtTheEnd(sql: String) throws {
        let database = try Database.inMemory()
        #expect(try database.first(sql) { try $0.int(0) } == 1)
    }
}
