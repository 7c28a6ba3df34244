import Foundation
import Testing

@testable import Notifications

struct NotifySendTests {
    /// Gives out ids from 5 on, leaves a file `given` for each, and waits, where it is told to, until the file `decision` says how it ends.
    private static let server = """
        N=$(wc -l < "$D/calls"); ID=$((N + 4))
        for a; do case "$a" in --replace-id=*) ID=${a#--replace-id=};; esac; done
        echo "$ID"
        : > "$D/given-$N"
        case " $* " in *" --wait "*) while [ ! -e "$D/decision-$N" ]; do sleep 0.02; done; cat "$D/decision-$N";; esac
        """

    private static func note(_ key: String = "k", _ summary: String = "s", action: String? = nil) -> DesktopNotification {
        DesktopNotification(key: key, summary: summary, action: action)
    }

    @Test func aLaterOneTakesThePlaceOfTheFormer() async throws {
        let lab = try NotificationLab(script: Self.server)
        await lab.sender.post(Self.note("k", "one"))
        try await lab.wait("the first") { lab.has("given-1") }
        await lab.sender.post(Self.note("k", "two"))
        await lab.sender.post(Self.note("k", "three"))
        await lab.sender.post(Self.note("other", "four"))
        try await lab.wait("all") { lab.calls.count == 3 }
        let calls = lab.calls
        #expect(calls.map { $0.last } == ["one", "four", "three"])
        #expect(calls[2].contains("--replace-id=5"))
        #expect(!calls[1].contains { $0.hasPrefix("--replace-id") })
    }

    @Test(arguments: ["open", "default"])
    func aPressedButtonIsToldByItsKey(button: String) async throws {
        let lab = try NotificationLab(script: Self.server)
        await lab.listen()
        await lab.sender.post(Self.note("k", "s", action: "Open"))
        try await lab.wait("the notification") { lab.calls.count == 1 }
        #expect(lab.calls[0].contains("--action=open=Open"))
        #expect(lab.pressed.withLock { $0 } == [])
        try lab.put(button + "\n", in: "decision-1")
        try await lab.wait("the press") { lab.pressed.withLock { $0 } == ["k"] }
    }

    @Test func aClosedOneTellsNothingAndItsIdIsForgotten() async throws {
        let lab = try NotificationLab(script: Self.server)
        await lab.listen()
        await lab.sender.post(Self.note("k", "s", action: "Open"))
        try await lab.wait("the notification") { lab.calls.count == 1 }
        try lab.put("", in: "decision-1")
        try await Task.sleep(for: .milliseconds(200))
        await lab.sender.post(Self.note("k", "again", action: "Open"))
        try await lab.wait("the next") { lab.calls.count == 2 }
        #expect(!lab.calls[1].contains { $0.hasPrefix("--replace-id") })
        #expect(lab.pressed.withLock { $0 } == [])
    }

    @Test func withoutActionSupportTextIsShownAndNobodyWaits() async throws {
        let lab = try NotificationLab(script: Self.server, help: "--urgency=LEVEL")
        await lab.sender.post(Self.note("k", "s", action: "Open"))
        try await lab.wait("the notification") { lab.calls.count == 1 }
        #expect(!lab.calls[0].contains { $0.hasPrefix("--action") || $0 == "--wait" || $0 == "--print-id" })
    }

    @Test(arguments: [nil, "Open"])
    func aServerThatNeverAnswersIsSaidOnce(action: String?) async throws {
        let lab = try NotificationLab(script: "sleep 60", limits: .init(answer: .milliseconds(300)))
        for number in 1...3 { await lab.sender.post(Self.note("\(number)", "s", action: action)) }
        try await lab.wait("the attempts") { lab.calls.count == 3 }
        try await lab.wait("the warning") { !lab.logged.all.isEmpty }
        try await Task.sleep(for: .milliseconds(400))
        #expect(lab.logged.all.count == 1)
        #expect(lab.logged.all[0].contains("Events are still kept"))
    }

    @Test(arguments: [nil, "Open"])
    func aMissingServerIsSaidOnceAndItsReturnToo(action: String?) async throws {
        let lab = try NotificationLab(script: "[ -e \"$D/up\" ] || { echo 'no bus' >&2; exit 1; }\n" + Self.server)
        await lab.sender.post(Self.note("1", "s", action: action))
        await lab.sender.post(Self.note("2", "s", action: action))
        try await lab.wait("the warning") { lab.calls.count == 2 && !lab.logged.all.isEmpty }
        try lab.put("", in: "up")
        await lab.sender.post(Self.note("3", "s", action: action))
        try await lab.wait("the recovery") { lab.logged.all.count == 2 }
        #expect(lab.logged.all[1].contains("again"))
    }

    @Test func oneThatNobodyTookIsNotWaitedFor() async throws {
        // As notify-send does without a server: it prints an id all the same, and stays.
        let lab = try NotificationLab(script: "echo 0; exec sleep 600", limits: .init(answer: .seconds(300)))
        await lab.sender.post(Self.note("k", "s", action: "Open"))
        try await lab.wait("the warning") { lab.logged.all.count == 1 }
        #expect(lab.logged.all[0].contains("no notification server answers"))
    }

    @Test func aMissingProgramIsSaidOnce() async throws {
        let lab = try NotificationLab()
        let lonely = NotifySend(program: lab.folder + "/none", loop: lab.loop, logger: .init(threshold: .info, sink: lab.logged))
        for number in 1...5 { await lonely.post(Self.note("\(number)")) }
        try await lab.wait("the warning") { !lab.logged.all.isEmpty }
        await lonely.post(Self.note("6"))
        try await Task.sleep(for: .milliseconds(50))
        #expect(lab.logged.all.count == 1)
    }

    @Test func buttonsAreWatchedUpToALimit() async throws {
        let lab = try NotificationLab(script: "echo $$ >> \"$D/pids\"\n" + Self.server, limits: .init(watched: 2))
        for number in 1...4 {
            await lab.sender.post(Self.note("\(number)", "s", action: "Open"))
            try await lab.wait("notification \(number)") { lab.calls.count == number }
        }
        let pids = { (try? String(contentsOfFile: lab.folder + "/pids", encoding: .utf8))?.split(separator: "\n").compactMap { Int32($0) } ?? [] }
        try await lab.wait("the oldest to end; \(pids())") { pids().filter { kill($0, 0) == 0 }.count == 2 }
        await lab.sender.stop()
        try await lab.wait("all to end") { pids().filter { kill($0, 0) == 0 }.isEmpty }
    }
}
