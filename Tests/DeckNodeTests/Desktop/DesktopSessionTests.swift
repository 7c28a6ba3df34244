import EventLoop
import Testing

@testable import DeckNode

struct DesktopSessionTests {
    private let desktop = FakeDesktop()

    @Test func tellsTheKindOfTheSession() {
        let run = desktop.folder.makeFolder("run")
        desktop.folder.put("run/wayland-0", "")
        #expect(DesktopSession(variables: ["DISPLAY": ":0"])?.display == .x11)
        #expect(DesktopSession(variables: ["WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": run, "DISPLAY": ":0"])?.display == .wayland)
        #expect(DesktopSession(variables: ["WAYLAND_DISPLAY": run + "/wayland-0"])?.display == .wayland)
    }

    @Test(arguments: [
        [:], ["DISPLAY": "", "WAYLAND_DISPLAY": ""], ["WAYLAND_DISPLAY": "wayland-0"], ["WAYLAND_DISPLAY": "gone", "XDG_RUNTIME_DIR": "/nowhere"],
    ])
    func withoutADisplayThereIsNone(variables: [String: String]) { #expect(DesktopSession(variables: variables) == nil) }

    @Test func aCompositorThatIsGoneLeavesX11() {
        #expect(DesktopSession(variables: ["WAYLAND_DISPLAY": "gone", "XDG_RUNTIME_DIR": "/nowhere", "DISPLAY": ":0"])?.display == .x11)
    }

    @Test func whatTheServiceManagerToldTheNodeIsNotPassedOn() throws {
        let variables = ["DISPLAY": ":0", "NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "1", "INVOCATION_ID": "a", "HOME": "/h"]
        let session = try #require(DesktopSession(variables: variables))
        #expect(session.variables == ["DISPLAY": ":0", "HOME": "/h"])
    }

    @Test func readsWhatTheServiceManagerKnows() {
        let text = "DISPLAY=:3\nXAUTHORITY=/run/a=b\nPATH=/evil\nWAYLAND_DISPLAY=$'a\\nb'\nnonsense\nXDG_SESSION_TYPE=\n=x\nLD_PRELOAD=/x\n"
        #expect(DesktopSession.displayVariables(in: text) == ["DISPLAY": ":3", "XAUTHORITY": "/run/a=b"])
        #expect(DesktopSession.displayVariables(in: "") == [:])
    }

    @Test func asksTheServiceManagerWhenTheNodeStartedBeforeTheLogin() async throws {
        desktop.tool("systemctl", "echo DISPLAY=:5; echo PATH=/elsewhere")
        let session = try await find(desktop.variables([:]))
        #expect(session?.variables["DISPLAY"] == ":5")
        #expect(session?.variables["PATH"] == desktop.folder("bin"))
        #expect(desktop.call("systemctl") == ["--user", "show-environment"])
    }

    @Test func doesNotAskWhenItKnows() async throws {
        desktop.tool("systemctl", "echo DISPLAY=:5")
        #expect(try await find(desktop.variables())?.variables["DISPLAY"] == ":7")
        #expect(desktop.call("systemctl") == nil)
    }

    @Test(arguments: ["exit 1", "echo", "echo WAYLAND_DISPLAY=wayland-9", "echo DISPLAY=:5; kill -9 $$"])
    func aServiceManagerThatKnowsNothingMeansNoSession(script: String) async throws {
        desktop.tool("systemctl", script)
        #expect(try await find(desktop.variables([:])) == nil)
    }

    private func find(_ variables: [String: String]) async throws -> DesktopSession? {
        let loop = try EventLoop(name: "desktop-test")
        defer { loop.shutdown() }
        return await DesktopSession.find(variables: variables, on: loop)
    }
}
