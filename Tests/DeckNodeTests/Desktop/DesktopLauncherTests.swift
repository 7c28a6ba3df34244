import EventLoop
import Testing

@testable import DeckNode

struct DesktopLauncherTests {
    private let desktop = FakeDesktop()

    private func launcher(_ variables: [String: String], process: Int32 = 77, _ body: (DesktopLauncher) async throws -> Void) async throws {
        let loop = try EventLoop(name: "desktop-test")
        defer { loop.shutdown() }
        let session = try #require(DesktopSession(variables: variables))
        try await body(DesktopLauncher(session: session, variables: variables, process: process, grace: .seconds(30), loop: loop))
    }

    @Test func aNodeThatIsNoServiceStartsProgramsItself() async throws {
        desktop.tool("systemd-run")
        // The variable of a service that is an ancestor only, such as the terminal the node runs in.
        try await launcher(desktop.variables(["DISPLAY": ":7", "SYSTEMD_EXEC_PID": "76"])) { #expect($0.serviceRunner == nil) }
        try await launcher(desktop.variables()) { #expect($0.serviceRunner == nil) }
    }

    @Test func aServiceHasTheManagerStartThem() async throws {
        let runner = desktop.tool("systemd-run")
        let variables = desktop.variables(["DISPLAY": ":7", "SYSTEMD_EXEC_PID": "77", "SECRET_KEY": "canary", "XAUTHORITY": "/x"])
        try await launcher(variables) { launcher in
            #expect(launcher.serviceRunner == runner)
            try await launcher.start(["/opt/term", "-e", "a $HOME b"], directory: desktop.home)
        }
        let call = try #require(desktop.call("systemd-run"))
        #expect(call.suffix(4) == ["--", "/opt/term", "-e", "a $$HOME b"])
        let expected = [
            "--user", "--wait", "--collect", "--property=KillMode=process", "--working-directory=\(desktop.home)", "--setenv=DISPLAY=:7",
            "--setenv=XAUTHORITY=/x",
        ]
        for word in expected { #expect(call.contains(word)) }
        #expect(!call.joined().contains("canary"))
    }

    @Test func aFailureNamesTheProgramAndNotTheManager() async throws {
        desktop.tool("systemd-run", "exit 4")
        try await launcher(desktop.variables(["DISPLAY": ":7", "SYSTEMD_EXEC_PID": "77"])) { launcher in
            await #expect(throws: DesktopError.failed(tool: "term", code: 4)) { try await launcher.start(["/opt/term"], directory: nil) }
        }
    }

    @Test func withoutTheManagersToolItGoesOnAlone() async throws {
        try await launcher(desktop.variables(["DISPLAY": ":7", "SYSTEMD_EXEC_PID": "77"])) { #expect($0.serviceRunner == nil) }
    }

    @Test func whatCannotBeStartedIsSaid() async throws {
        try await launcher(desktop.variables()) { launcher in
            await #expect(throws: DesktopError.broken(tool: "gone")) { try await launcher.start(["/nowhere/gone"], directory: nil) }
        }
    }

    @Test func aToolThatDoesNotTakeItsInputIsEnded() async throws {
        let path = desktop.tool("slow", "exec /bin/sleep 60")
        try await launcher(desktop.variables()) { launcher in
            await #expect(throws: DesktopError.tookTooLong(tool: "slow")) { try await launcher.feed([path], "a", timeout: .milliseconds(20)) }
        }
    }
}
