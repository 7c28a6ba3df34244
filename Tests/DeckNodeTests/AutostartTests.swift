import EventLoop
import Testing

@testable import DeckNode

struct AutostartTests {
    /// Runs each program as if it were the CLI.
    private func delays(_ programs: String...) async throws -> [(problem: String?, delay: ClosedRange<Duration>)] {
        let loop = try EventLoop(name: "autostart")
        defer { loop.shutdown() }
        let autostart = Autostart()
        var results: [(String?, ClosedRange<Duration>)] = []
        for program in programs {
            let before = ContinuousClock.now
            let problem = await autostart.start(program, environment: ["CODEX_HOME": "/home/of/codex"], on: loop)
            // However slow this computer is, the delay lies between these two.
            results.append((problem, (autostart.earliest - .now)...(autostart.earliest - before)))
        }
        #expect(!autostart.isRunning)
        return results
    }

    @Test func whatFailsIsTriedLessAndLessOften() async throws {
        let results = try await delays("/bin/false", "/bin/false", "/bin/false", "/bin/true", "/bin/false")
        for (result, seconds) in zip(results, [10, 20, 40, 5, 10]) { #expect(result.delay.contains(.seconds(seconds))) }
        #expect(results.map { $0.problem == nil } == [false, false, false, true, false])
    }

    @Test func theDelayHasABound() async throws {
        let loop = try EventLoop(name: "autostart")
        defer { loop.shutdown() }
        let autostart = Autostart()
        for _ in 0..<14 { _ = await autostart.start("/nowhere/codex", environment: [:], on: loop) }
        #expect(autostart.earliest - .now <= .seconds(300))
        #expect(autostart.earliest - .now > .seconds(200))
    }

    @Test func aFailureSaysWhatToDo() async throws {
        let results = try await delays("/bin/false", "/nowhere/codex")
        #expect(results[0].problem == "The Codex daemon could not be started; run `codex app-server daemon start` to see why.")
        #expect(results[1].problem?.hasPrefix("The Codex daemon could not be started: ") == true)
        #expect(results[1].problem?.contains("/nowhere/codex") == true)
    }

    /// Its restrictions are not the daemon's, and a restart of the node must not end the daemon.
    @Test func aServiceHasTheManagerStartIt() async throws {
        let folder = TestFolder()
        _ = folder.put("systemd-run", "#!/bin/sh\necho \"$*\" >'\(folder("words"))'\n", mode: 0o700)
        let loop = try EventLoop(name: "autostart")
        defer { loop.shutdown() }
        let autostart = Autostart(variables: ["PATH": folder(""), "SYSTEMD_EXEC_PID": "77"], process: 77)
        let environment = ["PATH": "/opt/codex:/bin", "CODEX_HOME": "/home/of/codex", "SECRET_KEY": "canary"]
        #expect(await autostart.start("/opt/codex/codex", environment: environment, on: loop) == nil)
        #expect(folder.text("words") == "--user --quiet --collect --service-type=forking --setenv=CODEX_HOME=/home/of/codex "
            + "--setenv=PATH=/opt/codex:/bin -- /opt/codex/codex app-server daemon start\n")
    }

    /// Of the home it was told, whatever this process was started with.
    @Test func theCLIIsAskedForItsDaemon() async throws {
        let folder = TestFolder()
        let program = folder.put("codex", "#!/bin/sh\necho \"$* $CODEX_HOME\" >'\(folder("words"))'\n", mode: 0o700)
        #expect(try await delays(program)[0].problem == nil)
        #expect(folder.text("words") == "app-server daemon start /home/of/codex\n")
    }
}
