import EventLoop
import Foundation
import Log
import Testing

@testable import Notifications

/// The installed `notify-send` and a notification server on a bus of the test's own. `scripts/test` runs it by itself: its programs have to
/// answer each other in time, which they cannot while a thousand other tests run.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["DECK_REAL_NOTIFICATIONS"] != nil))
struct RealServerTests {
    @Test func eventsAreShownReplacedPressedAndClosed() async throws {
        let bus = try NotificationBusForTests()
        let lab = try NotificationLab(environment: bus.environment)
        await lab.listen()
        let first = DesktopNotification(key: "a", summary: "First & <b>", body: "x < y & \\n z", urgency: .critical, action: "Open")
        await lab.sender.post(first)
        try await lab.wait("the first") { bus.log.count == 1 }
        #expect(lab.pressed.withLock { $0 } == [])
        #expect(bus.log[0] == "notify 1 replaces 0 urgency 2 actions default,open summary First & <b> body x &lt; y &amp; \\n z")

        await lab.sender.post(DesktopNotification(key: "a", summary: "Second", action: "Open"))
        await lab.sender.post(DesktopNotification(key: "b", summary: "Other", action: "Open"))
        try await lab.wait("the second") { bus.log.count >= 3 }
        // The server knows it before the program that waits for it does.
        try await Task.sleep(for: .milliseconds(100))
        #expect(bus.log.contains("notify 2 replaces 0 urgency 1 actions default,open summary Other body "))
        #expect(bus.log.contains("notify 1 replaces 1 urgency 1 actions default,open summary Second body "))

        try bus.call("Press", 1, "open")
        try await lab.wait("the press") { lab.pressed.withLock { $0 } == ["a"] }
        await lab.sender.post(DesktopNotification(key: "c", summary: "Third", action: "Open"))
        try await lab.wait("the third; \(bus.log)") { bus.log.count >= 4 }
        // Another word than ours, which only another program can have put there.
        try bus.call("Press", 3, "reject")
        await lab.sender.withdraw("b")
        try await lab.wait("the end; \(bus.log)") { bus.log.last == "close 2" }
        #expect(lab.pressed.withLock { $0 } == ["a"])
        #expect(lab.logged.all == [])
    }
}

/// A bus with a notification server that writes down what it is told.
final class NotificationBusForTests {
    private let folder: String
    private let address: String
    private var processes: [Process] = []

    struct Missing: Error { let what: String }

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/deck-bus-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let configuration = """
            <busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen><policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
            """
        try configuration.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
        address = "unix:path=\(folder)/bus"
        let output = Pipe()
        processes.append(try start(["/usr/bin/dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork", "--print-address"], output))
        guard !output.fileHandleForReading.availableData.isEmpty else { throw Missing(what: "dbus-daemon") }
        let ready = Pipe()
        processes.append(try start(["/usr/bin/python3", "-c", Self.server, folder + "/log"], ready))
        guard !ready.fileHandleForReading.availableData.isEmpty else { throw Missing(what: "python3-dbus and python3-gi") }
    }

    deinit {
        for process in processes where process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    var environment: [String] { ["DBUS_SESSION_BUS_ADDRESS=\(address)", "HOME=\(folder)"] }
    var log: [String] { (try? String(contentsOfFile: folder + "/log", encoding: .utf8))?.split(separator: "\n").map(String.init) ?? [] }

    /// Lets the user do something to a notification.
    func call(_ method: String, _ id: Int, _ action: String) throws {
        let process = try start(
            [
                "/usr/bin/gdbus", "call", "--session", "--dest", "org.freedesktop.Notifications", "--object-path", "/org/freedesktop/Notifications",
                "--method", "test.User.\(method)", "\(id)", action,
            ], Pipe())
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Missing(what: "an answer to \(method)") }
    }

    private func start(_ words: [String], _ output: Pipe) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = ["DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8"]
        process.standardOutput = output
        try process.run()
        return process
    }

    private static let server = """
        import sys, dbus, dbus.service, dbus.mainloop.glib
        from gi.repository import GLib
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        N, P = 'org.freedesktop.Notifications', '/org/freedesktop/Notifications'
        class Server(dbus.service.Object):
            last = 0
            @dbus.service.method(N, in_signature='susssasa{sv}i', out_signature='u')
            def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout):
                if not replaces: Server.last += 1
                id = replaces or Server.last
                with open(sys.argv[1], 'a') as log:
                    log.write(f"notify {id} replaces {replaces} urgency {int(hints['urgency'])} actions {','.join(actions[::2])} summary {summary} body {body}\\n")
                return id
            @dbus.service.method(N, out_signature='as')
            def GetCapabilities(self): return ['actions', 'body', 'body-markup']
            @dbus.service.method(N, out_signature='ssss')
            def GetServerInformation(self): return ('test', 'test', '1', '1.2')
            @dbus.service.method(N, in_signature='u')
            def CloseNotification(self, id):
                with open(sys.argv[1], 'a') as log: log.write(f"close {id}\\n")
                self.NotificationClosed(id, 3)
            @dbus.service.method('test.User', in_signature='us')
            def Press(self, id, action):
                self.ActionInvoked(id, action)
                self.NotificationClosed(id, 2)
            @dbus.service.signal(N, signature='us')
            def ActionInvoked(self, id, action): pass
            @dbus.service.signal(N, signature='uu')
            def NotificationClosed(self, id, reason): pass
        bus = dbus.SessionBus()
        name = dbus.service.BusName(N, bus)
        Server(bus, P)
        print('ready', flush=True)
        GLib.MainLoop().run()
        """
}
