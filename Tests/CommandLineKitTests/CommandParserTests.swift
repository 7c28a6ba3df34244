import Testing

@testable import CommandLineKit

struct CommandParserTests {
    @Test(arguments: [
        "pair --port 80", "pair --port=80", "pair -p 80", "pair -p80", "pair -p=80", "pair -rp80", "pair -ivp 80", "pair --port 1 --port 80",
    ])
    func readsAnOptionInEverySpelling(line: String) { #expect(run(line)?.integer("port") == 80) }

    @Test func groupsShortFlags() {
        let found = run("pair -riv -v")
        #expect(found?.flag("rotate") == true)
        #expect(found?.flag("invert") == true)
        #expect(found?.count("verbose") == 2)
        #expect(run("pair")?.flag("rotate") == false)
    }

    @Test func repeatsWhatMayRepeatAndElseTakesTheLast() {
        let found = run("pair -t a --tag=b --tag c --svg x --svg y")
        #expect(found?.options("tag") == ["a", "b", "c"])
        #expect(found?.options("port") == [])
        #expect(found?.option("svg") == "y")
    }

    @Test func optionsOfTheProgramStandAnywhere() {
        for line in ["--log-level debug relay disable -v", "relay --log-level=debug -v disable", "-v relay disable --log-level debug"] {
            let found = run(line)
            #expect(found?.option("log-level") == "debug")
            #expect(found?.flag("verbose") == true)
            #expect(found?.command == "relay disable")
            #expect(found?.path == ["deck", "relay", "disable"])
        }
    }

    @Test func twoHyphensEndTheOptions() {
        #expect(run("open -- --help -v --")?.arguments("TASK") == ["--help", "-v", "--"])
        #expect(run("pair --")?.argument("NAME") == nil)
        #expect(run("open -")?.arguments("TASK") == ["-"])
    }

    @Test func valuesMayBeEmptyOrHoldAnything() {
        #expect(sample.interpret(["pair", "--tag="]) != sample.interpret(["pair"]))
        #expect(run("pair --tag==a=b")?.options("tag") == ["=a=b"])
        #expect(run("pair --tag=--rotate")?.options("tag") == ["--rotate"])
        #expect(run("pair --tag -")?.options("tag") == ["-"])
        #expect(run("pair --tag -5")?.options("tag") == ["-5"])
    }

    @Test func negativeNumbersAreArguments() {
        #expect(run("move -3")?.integerArgument("STEPS") == -3)
        #expect(refusal("move -10") == "deck: STEPS must be a whole number from -9 to 9.\nTry 'deck move --help'.")
    }

    @Test func distributesWordsOverArguments() {
        #expect(run("relay enable 80")?.argument("ADDRESS") == nil)
        #expect(run("relay enable 80")?.integerArgument("PORT") == 80)
        #expect(run("relay enable ::1 80")?.argument("ADDRESS") == "::1")
        #expect(run("join a b")?.arguments("REST") == [])
        let joined = run("join a b c d")
        #expect(joined?.argument("FIRST") == "a")
        #expect(joined?.arguments("REST") == ["b", "c"])
        #expect(joined?.argument("LAST") == "d")
        #expect(run("open a b")?.arguments("TASK") == ["a", "b"])
    }

    @Test func aCommandThatRunsAloneTakesArgumentsOrSubcommands() {
        #expect(run("follow")?.command == "follow")
        #expect(run("follow stop")?.command == "follow stop")
        #expect(run("follow step")?.argument("TASK") == "step")
        #expect(run("follow -- stop")?.argument("TASK") == "stop")
    }

    @Test(arguments: [
        ("", "a command is missing.", ""), ("relay", "a command is missing.", " relay"),
        ("pari", "There is no command 'pari'; did you mean 'pair'?", ""),
        ("relay enabel", "There is no command 'enabel'; did you mean 'enable'?", " relay"),
        ("xyzzy", "There is no command 'xyzzy'.", ""), ("pair --prot 1", "there is no option --prot; did you mean --port?", " pair"),
        ("pair --verbos", "there is no option --verbos; did you mean --verbose?", " pair"),
        ("pair --xyzzy=1", "there is no option --xyzzy.", " pair"),
        ("pair -x", "there is no option -x.", " pair"), ("pair -rx", "there is no option -x.", " pair"),
        ("pair --port", "--port needs a value: --port PORT.", " pair"), ("pair -p", "-p needs a value: -p PORT.", " pair"),
        ("pair --svg --rotate", "--svg needs a value: --svg FILE.", " pair"), ("pair --port -- 1", "--port needs a value: --port PORT.", " pair"),
        ("pair --rotate=1", "--rotate takes no value.", " pair"), ("pair --svg=", "--svg must not be empty.", " pair"),
        ("pair --port 0", "--port must be a whole number from 1 to 65535.", " pair"),
        ("pair --port 65536", "--port must be a whole number from 1 to 65535.", " pair"),
        ("pair --port 99999999999999999999", "--port must be a whole number from 1 to 65535.", " pair"),
        ("pair -p1x", "-p must be a whole number from 1 to 65535.", " pair"),
        ("pair --log-level loud", "--log-level must be one of debug, info, error.", " pair"),
        ("open", "TASK is missing.", " open"), ("join a", "LAST is missing.", " join"), ("relay enable", "PORT is missing.", " relay enable"),
        ("pair a b", "'b' is one argument too many.", " pair"), ("relay disable now", "'now' is one argument too many.", " relay disable"),
        ("look up", "SIDE must be one of left, right.", " look"),
    ])
    func refusesInOneLineAndAHint(line: String, sentence: String, path: String) {
        #expect(refusal(line) == "deck: \(sentence)\nTry 'deck\(path) --help'.")
    }

    @Test func whatWasTypedIsShownShortAndHarmless() {
        let token = "c2VjcmV0LXRva2VuLXRoYXQtd2FzLXR5cGVkLWluLXRoZS13cm9uZy1wbGFjZQ"
        let text = refusal("pair a \(token)") ?? ""
        #expect(text.contains("'c2VjcmV0LXRva2VuLXRo…'"))
        #expect(!text.contains(token.prefix(21)))
        #expect(refusal("\u{1B}[2J")?.hasPrefix("deck: There is no command '?[2J'") == true)
        #expect(refusal("a\nb")?.split(separator: "\n").count == 2)
    }

    @Test func helpComesBeforeMistakesAndStopsAtTwoHyphens() {
        for line in ["pair --help", "pair --rotate -h", "pair -rh", "help pair", "--log-level=info pair --help --nonsense"] {
            #expect(sample.interpret(words(line)) == .show(try! sample.help(["pair"], columns: 80)))
        }
        #expect(sample.interpret(["--help"]) == .show(try! sample.help([], columns: 80)))
        #expect(sample.interpret(["help", "relay", "enable"]) == .show(try! sample.help(["relay", "enable"], columns: 80)))
        #expect(refusal("help relay enabel") == "deck: There is no command 'enabel'; did you mean 'enable'?\nTry 'deck relay --help'.")
    }

    @Test func tellsItsVersion() {
        #expect(sample.interpret(["--version"]) == .show("deck 1.2.3\n"))
        #expect(sample.interpret(["version"]) == .show("deck 1.2.3\n"))
        #expect(refusal("pair --version") == "deck: there is no option --version.\nTry 'deck pair --help'.")
    }

    @Test func callersCanRefuseToo() {
        let error = run("relay disable")?.refusal("--a and --b exclude each other.")
        #expect(error?.report == "deck: --a and --b exclude each other.\nTry 'deck relay disable --help'.")
    }
}
