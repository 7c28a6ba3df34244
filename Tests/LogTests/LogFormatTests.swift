import Log
import Testing

struct LogFormatTests {
    private func record(_ message: String, _ level: LogLevel = .warning, _ category: String = "") -> LogRecord {
        LogRecord(level: level, category: category, message: message)
    }

    @Test func peopleReadTheProgramAndTheLevel() {
        let format = LogFormat.human(program: "decknode")
        #expect(format.line(record("Disk full.")) == "decknode: warning: Disk full.")
        #expect(format.line(record("Gone.", .error, "relay")) == "decknode: error: relay: Gone.")
    }

    @Test(arguments: zip(LogLevel.allCases, ["<7>", "<6>", "<5>", "<4>", "<3>"]))
    func journaldReadsThePriority(level: LogLevel, prefix: String) {
        #expect(LogFormat.journal.line(record("x", level, "relay")) == prefix + "relay: x")
    }

    @Test(arguments: [
        ("a\nb", "a\\nb"), ("a\r\n<3>b", "a\\r\\n<3>b"), ("\u{1B}[2J", "\\u{1b}[2J"), ("\u{9B}31m", "\\u{9b}31m"), ("a\tb", "a\\tb"),
        ("\u{7F}", "\\u{7f}"), ("\0", "\\u{0}"), ("\u{202E}x", "\\u{202e}x"), ("\u{2066}x", "\\u{2066}x"), ("\u{2028}", "\\u{2028}"),
        ("größe 標題 👍🏽", "größe 標題 👍🏽"), ("", ""),
    ])
    func foreignTextCannotLeaveItsLine(text: String, shown: String) {
        #expect(LogFormat.journal.line(record(text)) == "<4>" + shown)
    }

    @Test func longLinesEnd() {
        let line = LogFormat.journal.line(record(String(repeating: "é", count: 100_000)))
        #expect(line.hasSuffix("é…"))
        #expect(line.utf8.count <= LogFormat.maximumLength)
        #expect(line.utf8.count > LogFormat.maximumLength - 32)
    }
}
