import Testing

@testable import Log

struct LogLevelTests {
    @Test func levelsAreOrderedBySeverity() {
        #expect(LogLevel.allCases.sorted() == [.debug, .info, .notice, .warning, .error])
        #expect(LogLevel.allCases.map(\.priority) == [7, 6, 5, 4, 3])
    }

    @Test func theOptionCountsBeforeTheEnvironment() throws {
        let environment = ["CODEX_DECK_LOG": "error"]
        #expect(try LogLevel.chosen(option: "Debug", environment: environment) == .debug)
        #expect(try LogLevel.chosen(option: nil, environment: environment) == .error)
        #expect(try LogLevel.chosen(option: nil, environment: ["CODEX_DECK_LOG": ""]) == .notice)
        #expect(try LogLevel.chosen(option: nil, environment: [:], fallback: .info) == .info)
    }

    @Test func anUnknownLevelNamesItsSourceButNotItsText() {
        #expect(throws: LogLevelError(source: "--log-level")) { try LogLevel.chosen(option: "loud", environment: [:]) }
        #expect(throws: LogLevelError(source: "CODEX_DECK_LOG")) {
            try LogLevel.chosen(option: nil, environment: ["CODEX_DECK_LOG": "7"])
        }
        #expect(LogLevelError(source: "--log-level").description == "--log-level must be one of debug, info, notice, warning, error.")
    }
}
