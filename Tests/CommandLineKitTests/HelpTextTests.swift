import Testing

@testable import CommandLineKit

struct HelpTextTests {
    @Test func explainsACommand() throws {
        let expected = """
            Pair a phone.

            Usage: deck pair [OPTIONS] [NAME]

            Arguments:
              NAME  What to call it.

            Options:
              -r, --rotate     Make a new token.
              -i, --invert     Swap dark and light.
              -p, --port PORT  The port. (1 to 65535; default: 8790)
                  --svg FILE   Write the code to a file.
              -t, --tag TAG    A tag. (may be repeated)
              -h, --help       Show this help.

            Options of every command:
              -v, --verbose          Say more.
                  --log-level LEVEL  Print this and what is worse. (debug, info, error;
                                     default: info)

            Examples:
              deck pair --svg code.svg
                  Write the code as a picture.

            """
        let text = try sample.help(["pair"], columns: 80)
        #expect(text == expected)
    }

    @Test func explainsTheProgram() throws {
        let text = try sample.help([], columns: 80)
        #expect(text.hasPrefix("Watch over tasks.\n\nUsage: deck [OPTIONS] COMMAND …\n\nFirst paragraph of two lines.\n\nSecond paragraph"))
        for name in ["pair", "relay", "open", "help", "version"] { #expect(text.contains("\n  \(name) ")) }
        #expect(text.hasSuffix("'deck COMMAND --help' says more about a command.\n"))
    }

    @Test func showsBothFormsOfACommandThatRunsAlone() throws {
        #expect(try sample.help(["follow"], columns: 80).contains("Usage: deck follow [TASK]\n       deck follow COMMAND …\n"))
    }

    @Test(arguments: [0, 1, 39, 40, 60, 80, 100, 101, 5000], [[], ["pair"], ["relay", "enable"]])
    func staysWithinTheWidth(columns: Int, path: [String]) throws {
        let width = min(max(columns, 40), 100)
        for line in try sample.help(path, columns: columns).split(separator: "\n") {
            #expect(TextWidth.columns(line) <= width, "\(line)")
            #expect(line.last != " ")
        }
    }

    @Test(arguments: [
        ("", 10, ""), ("a", 1, "a"), ("aa bb cc", 5, "aa bb\ncc"), ("aa bb cc", 8, "aa bb cc"), ("aa bb cc", 7, "aa bb\ncc"),
        ("longword a", 3, "longword\na"), ("標題 標題", 8, "標題\n標題"), ("標題 標題", 9, "標題 標題"), ("  a b", 3, "  a\nb"),
    ])
    func breaksLinesBetweenWords(text: String, width: Int, expected: String) {
        #expect(TextFill.wrap(text, width: width) == expected)
    }

    @Test func hangsFurtherLines() { #expect(TextFill.wrap("aa bb cc", width: 5, hanging: 2) == "aa bb\n  cc") }

    @Test func joinsTheLinesOfAParagraph() {
        #expect(TextFill.paragraphs("\n a\nb\n\n  \nc\n") == [" a b", "c"])
        #expect(TextFill.paragraphs("") == [])
    }
}
