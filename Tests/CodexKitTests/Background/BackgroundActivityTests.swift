import FoundationEssentials
import Testing

@testable import CodexKit

struct BackgroundActivityTests {
    /// Remembers what is asked of it.
    private actor Recorder {
        var begun: [String] = []
        var ended = 0
        var handler: (@Sendable () -> Void)?

        func begin(_ name: String, _ handler: @escaping @Sendable () -> Void) {
            begun.append(name)
            self.handler = handler
        }
        func end() { ended += 1 }
    }

    private struct Provider: AgentBackgroundActivityProviding {
        struct Activity: AgentBackgroundActivity {
            let recorder: Recorder
            func end() async { await recorder.end() }
        }

        let recorder = Recorder()

        func beginActivity(named name: String, expirationHandler: @escaping @Sendable () -> Void) async -> any AgentBackgroundActivity {
            await recorder.begin(name, expirationHandler)
            return Activity(recorder: recorder)
        }
    }

    @Test func eachTurnIsAnActivity() async throws {
        let provider = Provider()
        let fixture = try await RuntimeFixture(
            ScriptedBackend(.text("ok"), [.fail(AgentRuntimeError(code: .network, message: "down"))])) { $0.backgroundActivityProvider = provider }
        let thread = try await fixture.runtime.createThread()
        _ = try await fixture.runtime.send(Request(text: "x"), in: thread.id)
        _ = await code { try await fixture.runtime.send(Request(text: "x"), in: thread.id) }
        while await provider.recorder.ended < 2 { await Task.yield() }
        #expect(await provider.recorder.begun.count == 2)
    }

    @Test func theEndOfPatienceInterruptsTheTurn() async throws {
        let provider = Provider()
        let gate = Gate()
        let fixture = try await RuntimeFixture(ScriptedBackend([.wait(gate)] + .text("never"))) { $0.backgroundActivityProvider = provider }
        let thread = try await fixture.runtime.createThread()
        let stream = try await fixture.runtime.stream(Request(text: "x"), in: thread.id)
        await gate.somebodyWaits()
        await provider.recorder.handler?()
        #expect(await stream.collected().error?.code == .turnInterrupted)
        #expect(try await fixture.runtime.turns(of: thread.id).map(\.status) == [.interrupted])
        while await provider.recorder.ended < 1 { await Task.yield() }
    }

    @Test(arguments: ["sleep", "shutdown"]) func logindsSignalCallsTheHandlers(kind: String) async throws {
        let member = kind == "sleep" ? "PrepareForSleep" : "PrepareForShutdown"
        let signal = "signal time=1 sender=:1.2 -> destination=(null) serial=5 path=/org/freedesktop/login1; member=\(member)\n   boolean true\n"
        let provider = LogindBackgroundActivityProvider(command: ["sh", "-c", "printf '%s' \"$1\"; read nothing", "sh", signal], logging: .disabled)
        let gate = Gate()
        let activity = await provider.beginActivity(named: "x") { Task { await gate.open() } }
        await gate.wait()
        await activity.end()
        await activity.end()
    }

    @Test func theInhibitorEndsWithTheLastActivity() async throws {
        let folder = try TemporaryFolder()
        // The file is there for as long as the command's input is open.
        let script = "touch \"$1\"; read nothing; rm \"$1\""
        let path = folder.path + "/held"
        let provider = LogindBackgroundActivityProvider(
            command: ["sh", "-c", "trap 'rm -f \"$1\"' EXIT; echo up; \(script)", "sh", path], logging: .disabled)
        let first = await provider.beginActivity(named: "a") {}
        let second = await provider.beginActivity(named: "b") {}
        while !FileManager.default.fileExists(atPath: path) { await Task.yield() }
        await first.end()
        #expect(FileManager.default.fileExists(atPath: path))
        await second.end()
    }

    @Test func withoutLogindTheWorkGoesOn() async throws {
        for command in [["/no/such/program"], ["false"], []] {
            let provider = LogindBackgroundActivityProvider(command: command, logging: .disabled)
            for _ in 0..<3 {
                let activity = await provider.beginActivity(named: "x") { #expect(Bool(false), "nothing ends") }
                await activity.end()
            }
        }
    }

    @Test func theCommandHoldsADelayInhibitorAndEndsWithUs() {
        let command = LogindBackgroundActivityProvider.command("Deck; rm -rf /")
        #expect(command.prefix(3) == ["systemd-inhibit", "--what=sleep:shutdown", "--mode=delay"])
        #expect(command.contains("--who=Deck; rm -rf /"), "the name is one argument, not shell text")
    }

    private static let signal = """
        signal time=1.0 sender=org.freedesktop.DBus -> destination=:1.9 serial=2 path=/org/freedesktop/DBus; \
        interface=org.freedesktop.DBus; member=NameAcquired
           string ":1.9"
        signal time=2.0 sender=:1.3 -> destination=(null destination) serial=7 path=/org/freedesktop/login1; \
        interface=org.freedesktop.login1.Manager; member=PrepareForSleep
           boolean true

        """

    @Test(arguments: [1, 2, 7, 10_000]) func readsItInAnyPieces(size: Int) {
        var reader = LogindSignalReader()
        let bytes = Array(Self.signal.utf8)
        let found = stride(from: 0, to: bytes.count, by: size).map { reader.receive(bytes[$0..<min($0 + size, bytes.count)]) }
        #expect(found.filter { $0 }.count == 1)
        #expect(found.last == true)
    }

    @Test(arguments: [
        "signal member=PrepareForSleep\n   boolean false\n", "signal member=SessionNew\n   boolean true\n", "   boolean true\n",
        "signal member=PrepareForSleep\nsignal member=Other\n   boolean true\n", "",
        "signal member=PrepareForSleep\n   string \"x\"\n   boolean true\n",
        "signal member=PrepareForSleep\n   boolean true",
    ])
    func otherOutputIsNoReason(text: String) {
        var reader = LogindSignalReader()
        let isEnding = reader.receive(text.utf8)
        #expect(!isEnding)
    }
}
