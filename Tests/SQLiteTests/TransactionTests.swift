import Testing

@testable import SQLite

struct TransactionTests {
    private struct Refused: Error {}
    private let folder = TemporaryFolder()
    private let database: Database

    init() throws {
        database = try Database(path: folder("a"))
        try database.execute("CREATE TABLE t (x)")
    }

    private func count() throws -> Int? { try database.first("SELECT count(*) FROM t") { try $0.int(0) } }

    @Test func undoesEverythingWhenItThrows() throws {
        #expect(throws: Refused.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES (1)")
                throw Refused()
            }
        }
        #expect(try count() == 0)
        #expect(!database.isInTransaction)
    }

    @Test func anInnerOneCanBeUndoneAlone() throws {
        try database.transaction {
            try database.run("INSERT INTO t VALUES (1)")
            #expect(throws: Refused.self) {
                try database.transaction {
                    try database.run("INSERT INTO t VALUES (2)")
                    throw Refused()
                }
            }
            try database.transaction { _ = try database.run("INSERT INTO t VALUES (3)") }
        }
        #expect(try database.rows("SELECT x FROM t") { try $0.int(0) } == [1, 3])
    }

    @Test func aFailingStatementLeavesTheNextTransactionUsable() throws {
        #expect(throws: SQLiteError.self) { try database.transaction { try database.run("INSERT INTO missing VALUES (1)") } }
        #expect(try database.transaction { try database.run("INSERT INTO t VALUES (1)") } == 1)
    }

    private static let steps = [
        Migration("CREATE TABLE a (x); INSERT INTO a VALUES (1)"),
        Migration { try $0.run("UPDATE a SET x = x + 10") },
    ]

    @Test func migratesEachStepOnce() throws {
        try database.migrate(Array(Self.steps.prefix(1)))
        #expect(try database.userVersion() == 1)
        try database.migrate(Self.steps)
        try database.migrate(Self.steps)
        #expect(try database.userVersion() == 2)
        #expect(try database.first("SELECT x FROM a") { try $0.int(0) } == 11)
    }

    @Test func aStepThatFailsLeavesTheVersionBefore() throws {
        let broken = Migration { database in
            try database.run("UPDATE a SET x = 99")
            throw Refused()
        }
        #expect(throws: Refused.self) { try database.migrate([Self.steps[0], broken]) }
        #expect(try database.userVersion() == 1)
        #expect(try database.first("SELECT x FROM a") { try $0.int(0) } == 1)
    }

    @Test func refusesASchemaFromTheFuture() throws {
        try database.execute("PRAGMA user_version = 3")
        let error = #expect(throws: SQLiteError.self) { try database.migrate(Self.steps) }
        #expect(error?.reason == .newerSchema(found: 3, known: 2))
    }

    @Test func twoConnectionsThatMigrateAtOnceDoItOnce() async throws {
        let path = folder("b")
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { try Database(path: path).migrate(Self.steps) }
            }
            try await group.waitForAll()
        }
        #expect(try Database(path: path).first("SELECT x FROM a") { try $0.int(0) } == 11)
    }
}
