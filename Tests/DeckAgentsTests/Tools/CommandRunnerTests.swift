import FoundationEssentials
import Glibc
import JSON
import Testing

@testable import DeckAgents

/// Commands for real. Those that need the sandbox say what they found when the computer has none.
@Suite(.timeLimit(.minutes(2)))
struct CommandRunnerTests {
    private static let commands = CommandLoop()
    private static let probe = SandboxProbe(variables: [:], commands: commands)
    private let variables = ["PATH": "/usr/bin:/bin", "HOME": "/root", "OPENAI_API_KEY": "sk-secret", "DECK_TOKEN": "secret", "LC_ALL": "C"]

    enum Way: String, CaseIterable, Sendable { case confined, open }

    private func finding(_ way: Way) async -> SandboxProbe.Finding? {
        guard way == .confined else { return .missing("a test wants it so") }
        let found = await Self.probe.finding()
        if case .bubblewrap = found { return found }
        return nil
    }

    private func run(
        _ script: String, _ folder: TemporaryFolder, _ way: Way, seconds: Int = 60, hidden: [String] = []
    ) async throws -> CommandRunner.Report? {
        guard let finding = await finding(way) else { return nil }
        let runner = CommandRunner(commands: Self.commands, variables: variables, hidden: HiddenPlaces(hidden))
        let call = try CommandCall(["command": .string(script), "timeout_seconds": .number(Double(seconds))])
        return try await runner.run(call, in: folder.work, sandbox: finding)
    }

    @Test(arguments: Way.allCases)
    func tellsOutputAndEnd(way: Way) async throws {
        let folder = try TemporaryFolder()
        guard let good = try await run("pwd; echo bad >&2; echo hi > made", folder, way) else { return }
        #expect(good.succeeded && good.text == "exit code 0\nstdout:\n\(folder.work)\n\nstderr:\nbad\n")
        #expect(folder.read("work/made") == "hi\n")
        let failed = try await run("exit 3", folder, way)
        #expect(failed == .init(text: "exit code 3", succeeded: false))
    }

    @Test("No secret of the environment reaches a command", arguments: Way.allCases)
    func environment(way: Way) async throws {
        guard let report = try await run("env", try TemporaryFolder(), way) else { return }
        #expect(!report.text.contains("secret") && report.text.contains("LC_ALL=C") && report.text.contains("PATH="))
    }

    @Test("A flood is cut, and the command still ends", arguments: Way.allCases)
    func flood(way: Way) async throws {
        guard let report = try await run("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo done >&2", try TemporaryFolder(), way) else { return }
        #expect(report.succeeded && report.text.utf8.count < 140_000 && report.text.contains("cut after"))
    }

    @Test("Time is over for a command that does not end, and for its children", arguments: Way.allCases)
    func timeLimit(way: Way) async throws {
        let folder = try TemporaryFolder()
        let script = "(trap '' TERM; while :; do sleep 1; date > beat; done) & while :; do sleep 1; done"
        guard let report = try await run(script, folder, way, seconds: 1) else { return }
        #expect(!report.succeeded && report.text.hasPrefix("killed after 1 s"))
        try await expectNoBeat(folder)
    }

    @Test("Cancelling ends a command at once", arguments: Way.allCases)
    func cancel(way: Way) async throws {
        let folder = try TemporaryFolder()
        guard await finding(way) != nil else { return }
        let task = Task { try await run("echo > started; while :; do sleep 1; date > beat; done", folder, way) }
        try await eventually { folder.exists("work/started") }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await expectNoBeat(folder)
    }

    @Test("What a command leaves running ends with it, sessions of its own included")
    func leftovers() async throws {
        let folder = try TemporaryFolder()
        let script = "setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1; date > beat; done' >/dev/null 2>&1 & echo over"
        guard let report = try await run(script, folder, .confined) else { return }
        #expect(report.text.contains("over"))
        try await expectNoBeat(folder)
        let open = try await run("(while :; do sleep 1; date > beat; done) >/dev/null 2>&1 & echo over", folder, .open)
        #expect(open?.succeeded == true)
        try await expectNoBeat(folder)
    }

    /// A loop that still ran would write again within the two seconds that this waits for.
    private func expectNoBeat(_ folder: TemporaryFolder) async throws {
        try? FileManager.default.removeItem(atPath: folder.work + "/beat")
        try await Task.sleep(for: .seconds(2))
        #expect(!folder.exists("work/beat"))
    }

    // MARK: Confinement

    @Test("Nothing outside the folder is written")
    func writing() async throws {
        let folder = try TemporaryFolder()
        let spot = "/var/deck-sandbox-\(UUID().uuidString)"
        let script = """
            for f in \(folder.path)/escaped \(spot) /etc/deck-escaped inside; do echo x > $f; done
            mkdir -p /tmp/y && echo x > /tmp/y/z && echo private
            """
        guard let report = try await run(script, folder, .confined) else { return }
        #expect(report.text.contains("private"))
        #expect(folder.exists("work/inside") && !folder.exists("escaped"))
        #expect(access(spot, F_OK) != 0 && access("/etc/deck-escaped", F_OK) != 0 && access("/tmp/y/z", F_OK) != 0)
    }

    @Test("There is no network, no process of others, no socket of a service")
    func isolation() async throws {
        let script = "ls /sys/class/net; grep -c : /proc/net/dev; ls /run; ls -d /proc/[0-9]* | wc -l; test -e /proc/\(getpid())/exe && echo seen"
        guard let report = try await run(script, try TemporaryFolder(), .confined) else { return }
        #expect(!report.text.contains("seen") && !report.text.contains("systemd") && !report.text.contains("user"))
    }

    @Test func hiddenPlacesAreEmptyAndStaySo() async throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.work + "/.ssh", 0o700) == 0)
        try folder.write("key", "work/.ssh/id")
        try folder.write("token", "work/.netrc")
        try folder.write("outside", "beside")
        let places = [folder.work + "/.ssh", folder.work + "/.netrc", folder.work + "/absent", folder.path + "/beside", "/run"]
        let script = "cat .ssh/id .netrc ../beside; echo x > .ssh/new; echo x > .netrc; ls -a .ssh"
        guard let report = try await run(script, folder, .confined, hidden: places) else { return }
        #expect(!report.text.contains("key") && !report.text.contains("token") && !report.text.contains("outside"))
        #expect(folder.read("work/.netrc") == "token" && !folder.exists("work/.ssh/new"))
    }

    @Test("A hidden place within another one is no obstacle, as the socket of an agent in the folder of a session")
    func hiddenWithinHidden() async throws {
        let folder = try TemporaryFolder()
        for name in ["/run", "/run/keyring"] { #expect(mkdir(folder.path + name, 0o700) == 0) }
        try folder.write("token", "run/keyring/ssh")
        let places = [folder.path + "/run", folder.path + "/run/keyring/ssh"]
        guard let report = try await run("cat ../run/keyring/ssh; echo over", folder, .confined, hidden: places) else { return }
        #expect(report.succeeded && report.text.contains("over") && !report.text.contains("token"))
    }

    @Test("A folder that leads elsewhere than it did is not worked in", arguments: Way.allCases, ["work", "up"])
    func swappedFolder(way: Way, swapped: String) async throws {
        guard let finding = await finding(way) else { return }
        let folder = try TemporaryFolder()
        for name in ["/up", "/up/work", "/victim", "/victim/work"] { #expect(mkdir(folder.path + name, 0o700) == 0) }
        let place = swapped == "up" ? "/up/work" : "/work"
        let runner = CommandRunner(commands: Self.commands, variables: variables, hidden: HiddenPlaces([]))
        let call = try CommandCall(["command": "echo x > made"])
        #expect(try await runner.run(call, in: folder.path + place, sandbox: finding).succeeded)
        #expect(rename(folder.path + "/" + swapped, folder.path + "/aside") == 0 && symlink("victim", folder.path + "/" + swapped) == 0)
        await #expect(throws: CommandRunner.Failure(description: "The working folder leads elsewhere now.")) {
            try await runner.run(call, in: folder.path + place, sandbox: finding)
        }
        #expect(!folder.exists("victim/made") && !folder.exists("victim/work/made"))
    }

    @Test("The first word is a program, whatever the shell would make of it", arguments: Way.allCases, ["exec", "eval", "exit", "."])
    func wordsOfTheShell(way: Way, word: String) async throws {
        guard let finding = await finding(way) else { return }
        let folder = try TemporaryFolder()
        let runner = CommandRunner(commands: Self.commands, variables: variables, hidden: HiddenPlaces([]))
        let report = try await runner.run(try CommandCall(["argv": [.string(word), "touch", "made"]]), in: folder.work, sandbox: finding)
        #expect(!report.succeeded && !folder.exists("work/made"))
    }

    @Test("That the sandbox works is remembered, that it does not is looked up again")
    func probeRemembersSuccess() async throws {
        let folder = try TemporaryFolder()
        let program = folder.path + "/bwrap"
        try folder.write("#!/bin/sh\n[ -e \(folder.path)/works ]\n", "bwrap")
        #expect(chmod(program, 0o700) == 0)
        let probe = SandboxProbe(variables: ["CODEX_DECK_BWRAP": program], commands: Self.commands)
        #expect(await probe.finding() == .missing("bubblewrap does not work on this computer"))
        try folder.write("", "works")
        #expect(await probe.finding() == .bubblewrap(program))
        #expect(unlink(folder.path + "/works") == 0)
        #expect(await probe.finding() == .bubblewrap(program))
    }

    @Test("A folder within a hidden one is all that shows of it")
    func folderWithinHidden() async throws {
        let folder = try TemporaryFolder()
        try folder.write("token", "auth.json")
        let script = "cat ../auth.json; ls ..; echo x > ../new; echo fine > made"
        guard let report = try await run(script, folder, .confined, hidden: [folder.path]) else { return }
        #expect(!report.text.contains("token") && folder.read("work/made") == "fine\n" && !folder.exists("new"))
    }

    @Test("A program that cannot be started is told, not a crash", arguments: Way.allCases)
    func missing(way: Way) async throws {
        guard let finding = await finding(way) else { return }
        let runner = CommandRunner(commands: Self.commands, variables: variables, hidden: HiddenPlaces([]))
        let folder = try TemporaryFolder()
        let report = try await runner.run(try CommandCall(["argv": ["no-such-program-x"]]), in: folder.work, sandbox: finding)
        #expect(!report.succeeded)
        await #expect(throws: CommandRunner.Failure.self) {
            try await runner.run(try CommandCall(["argv": ["ls"]]), in: "/nowhere", sandbox: finding)
        }
        await #expect(throws: (any Error).self) {
            try await runner.run(try CommandCall(["argv": ["ls"]]), in: "/", sandbox: .bubblewrap("/nowhere/bwrap"))
        }
    }
}
