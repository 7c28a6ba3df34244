import CommandLineKit
import Testing

struct TerminalTests {
    @Test(arguments: [
        (["TERM": "xterm"], true, true), (["TERM": "xterm"], false, false), (["TERM": "dumb"], true, false), ([:], true, false),
        (["TERM": ""], true, false),
        (["TERM": "xterm", "NO_COLOR": "1"], true, false), (["TERM": "xterm", "NO_COLOR": ""], true, true),
        (["TERM": "dumb", "CLICOLOR_FORCE": "1"], false, true), (["TERM": "xterm", "CLICOLOR_FORCE": "0"], false, false),
        (["TERM": "xterm", "CLICOLOR_FORCE": ""], false, false), (["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], true, false),
    ])
    func colorFollowsTheEnvironment(environment: [String: String], isTerminal: Bool, expected: Bool) {
        #expect(ColorPolicy.automatic.allowsColor(environment: environment, isTerminal: isTerminal) == expected)
        #expect(ColorPolicy.always.allowsColor(environment: environment, isTerminal: isTerminal))
        #expect(!ColorPolicy.never.allowsColor(environment: environment, isTerminal: isTerminal))
    }

    @Test func paintLeavesNothingBehind() {
        #expect(Paint(isColored: true).red("x") == "\u{1B}[31mx\u{1B}[0m")
        let plain = Paint(isColored: false)
        #expect(
            [plain.bold("x"), plain.dim("x"), plain.red("x"), plain.green("x"), plain.yellow("x"), plain.cyan("x")] == Array(repeating: "x", count: 6)
        )
    }

    @Test(arguments: [("1", 1), ("132", 132), ("10000", 10000), ("0", 80), ("-5", 80), ("10001", 80), ("wide", 80), ("", 80)])
    func columnsComeFromTheEnvironmentWhenSensible(text: String, expected: Int) {
        #expect(Terminal.columns(environment: ["COLUMNS": text], descriptor: -1) == expected)
    }

    @Test func columnsComeFromTheTerminalElse() throws {
        let pair = try PseudoTerminal()
        pair.resize(columns: 57)
        #expect(Terminal.columns(environment: [:], descriptor: pair.terminal) == 57)
        #expect(Terminal.columns(environment: ["COLUMNS": "40"], descriptor: pair.terminal) == 40)
        #expect(Terminal.isTerminal(pair.terminal))
        #expect(!Terminal.isTerminal(-1))
    }

    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "de_DE.utf-8@euro"], true), (["LANG": "C"], false), ([:], false),
        (["LANG": "de_DE.UTF-8", "LC_ALL": "C"], false), (["LANG": "C", "LC_CTYPE": "en_US.UTF-8"], true),
        (["LANG": "de_DE.UTF-8", "LC_ALL": ""], true),
        (["LANG": "de_DE.ISO-8859-1"], false),
    ])
    func theLocaleTellsTheEncoding(environment: [String: String], expected: Bool) {
        #expect(Terminal.isUTF8(environment: environment) == expected)
    }
}
