import Testing

@testable import SQLite

struct StatementTests {
    private let database: Database

    init() throws {
        database = try Database.inMemory()
        try database.execute("CREATE TABLE t (x)")
    }

    @Test(arguments: [
        SQLiteValue.null, .integer(.min), .integer(.max), 0, .real(-0.5), .real(1e300), .text(""), .text("a\0b"), .text("äöü 🙂"),
        .blob([]), .blob([0, 255, 0]), true,
    ])
    func givesBackWhatWasBound(value: SQLiteValue) throws {
        try database.run("INSERT INTO t VALUES (?)", value)
        #expect(try database.first("SELECT x FROM t") { $0.value(0) } == value)
    }

    @Test func typedColumnsRefuseAnotherType() throws {
        try database.run("INSERT INTO t VALUES (?)", "text")
        let wrong: [(borrowing Statement) throws -> Void] = [
            { _ = try $0.int(0) }, { _ = try $0.double(0) }, { _ = try $0.blob(0) }, { _ = try $0.text(1) }, { _ = try $0.text(-1) },
        ]
        for read in wrong {
            let error = #expect(throws: SQLiteError.self) { try database.first("SELECT x FROM t", read: read) }
            #expect(error?.reason == .misuse)
        }
        #expect(try database.first("SELECT x FROM t") { try $0.optionalText(0) } == .some("text"))
        #expect(try database.first("SELECT x FROM t") { try $0.optionalText(1) } == .some(nil))
    }

    @Test func wholeNumbersAreNumbers() throws {
        let number = try database.first("SELECT 3") { try $0.double(0) }
        #expect(number == 3)
    }

    @Test(arguments: [[], [1, 2]] as [[SQLiteValue]])
    func wantsAsManyValuesAsParameters(values: [SQLiteValue]) {
        let error = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO t VALUES (?)", values: values) }
        #expect(error?.reason == .misuse)
    }

    @Test func columnsWithoutARowAreNull() throws {
        let statement = try database.prepare("SELECT 1")
        let before = statement.value(0)
        #expect(before == .null)
        let hasRow = try statement.step()
        let during = statement.value(0)
        #expect(hasRow)
        #expect(during == 1)
    }

    @Test func theSameTextCanBeInUseTwice() throws {
        try database.execute("INSERT INTO t VALUES (1), (2)")
        var pairs: [[Int]] = []
        _ = try database.rows("SELECT x FROM t ORDER BY x") { outer in
            let first = try outer.int(0)
            pairs += try database.rows("SELECT x FROM t ORDER BY x") { [first, try $0.int(0)] }
        }
        #expect(pairs == [[1, 1], [1, 2], [2, 1], [2, 2]])
    }

    @Test func aReusedStatementForgetsItsValues() throws {
        try database.run("INSERT INTO t VALUES (?)", 9)
        let statement = try database.prepare("INSERT INTO t VALUES (?)")
        _ = try statement.step()
        #expect(try database.rows("SELECT x FROM t ORDER BY rowid") { $0.value(0) } == [9, .null])
    }

    @Test func aStatementOutlivesItsOwnersName() throws {
        var mine: Database? = try Database.inMemory()
        let statement = try #require(mine).prepare("SELECT 5")
        mine = nil
        let hasRow = try statement.step()
        let value = statement.value(0)
        #expect(hasRow && value == 5)
    }

    @Test func manyDifferentTextsDoNotPileUp() throws {
        for number in 0..<500 {
            #expect(try database.first("SELECT \(number)") { try $0.int(0) } == number)
        }
    }
}
