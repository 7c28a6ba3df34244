import Testing

@testable import Notifications

struct NotificationAbilitiesTests {
    private static let modern = """
        Application Options:
          -u, --urgency=LEVEL               Specifies the urgency level (low, normal, critical).
          -p, --print-id                    Print the notification ID.
          -r, --replace-id=REPLACE_ID       The ID of the notification to replace.
          -w, --wait                        Wait for the notification to be closed before exiting.
          -A, --action=[NAME=]Text...       Specifies the actions. Implies --wait to wait for user input.
        """
    private static let old = "  -u, --urgency=LEVEL\n  -t, --expire-time=TIME\n"
    private static let gdbus = "(['actions', 'body', 'body-markup', 'icon-static'],)\n"
    private static let dbusSend = """
        method return time=1.0 sender=:1.0 -> destination=:1.2
           array [
              string "body"
              string "body-markup"
              string "actions"
           ]
        """
    private static let busctl = "as 3 \"actions\" \"body\" \"body-markup\"\n"

    @Test(arguments: [gdbus, dbusSend, busctl])
    func everyToolIsUnderstood(reply: String) {
        #expect(NotificationAbilities(help: Self.modern, serverReply: reply) == NotificationAbilities(replaces: true, acts: true, readsMarkup: true))
    }

    @Test func aServerWithoutActionsGetsNone() {
        let abilities = NotificationAbilities(help: Self.modern, serverReply: "(['body'],)")
        #expect(abilities == NotificationAbilities(replaces: true, acts: false, readsMarkup: false))
    }

    @Test func aServerThatCannotBeAskedIsTriedWithActions() {
        #expect(NotificationAbilities(help: Self.modern, serverReply: nil) == NotificationAbilities(replaces: true, acts: true, readsMarkup: nil))
    }

    @Test(arguments: [old, "", "--replace-identity --print-ids --actions --waiting", "--print-id --wait --action"])
    func anOldProgramCanDoNeither(help: String) {
        let abilities = NotificationAbilities(help: help, serverReply: Self.gdbus)
        #expect(!abilities.replaces)
        #expect(!abilities.acts)
    }

    @Test(arguments: [
        (Bool?.some(true), "a &lt;b&gt; &amp; &lt;a href=\"x\"&gt;"), (false, "a ‹b› & ‹a href=\"x\"›"), (nil, "a ‹b› + ‹a href=\"x\"›"),
    ])
    func markupNeverReachesAReader(readsMarkup: Bool?, expected: String) {
        #expect(NotificationAbilities(readsMarkup: readsMarkup).body("a <b> & <a href=\"x\">") == expected)
    }
}

struct NotifySendArgumentsTests {
    private static let full = NotificationAbilities(replaces: true, acts: true, readsMarkup: true)

    private static func arguments(
        _ notification: DesktopNotification, _ abilities: NotificationAbilities = full
    ) -> NotifySendArguments { NotifySendArguments(notification: notification, abilities: abilities) }

    @Test func wordsOfOthersAreWordsOnly() {
        let hostile = DesktopNotification(key: "k", summary: "--help\u{1b}[2J\nx", body: "a\\nb <b>\u{07}")
        let shown = Self.arguments(hostile).show(replacing: nil)
        #expect(shown.suffix(3) == ["--", "--help[2J x", "a\\\\nb &lt;b&gt;"])
    }

    @Test func nothingToSayStillHasASummaryAndNoBody() {
        #expect(Self.arguments(DesktopNotification(key: "k", summary: "\u{07}")).show(replacing: nil).suffix(2) == ["--", "Codex Deck"])
    }

    @Test func longWordsAreCut() {
        let long = DesktopNotification(key: "k", summary: String(repeating: "s", count: 900), body: String(repeating: "b", count: 900))
        #expect(Self.arguments(long).show(replacing: nil).suffix(2).map(\.count) == [200, 400])
    }

    @Test func anIdIsReplacedOnlyWhereThatIsKnown() {
        let notification = DesktopNotification(key: "k", summary: "s")
        #expect(Self.arguments(notification).show(replacing: 7).contains("--replace-id=7"))
        #expect(Self.arguments(notification).show(replacing: 7).contains("--print-id"))
        let old = Self.arguments(notification, NotificationAbilities()).show(replacing: 7)
        #expect(!old.contains { $0.hasPrefix("--replace-id") || $0 == "--print-id" })
    }

    @Test func aResidentOneStays() {
        let shown = Self.arguments(DesktopNotification(key: "k", summary: "s", urgency: .low, isResident: true)).show(replacing: nil)
        #expect(shown.contains("--expire-time=0"))
        #expect(shown.contains("--urgency=low"))
    }

    @Test(arguments: [
        ("12\n", UInt32?.some(12)), ("12", 12), ("\n\n3\n", 3), ("0\n", nil), ("", nil), ("open\n", nil), ("-4\n", nil), ("4294967296\n", nil),
    ])
    func idsAreRead(output: String, id: UInt32?) { #expect(NotifySendArguments.id(Array(output.utf8)) == id) }

    @Test(arguments: [
        ("12\nopen\n", true), ("12\ndefault\n", true), ("12\n", false), ("12\nopener\n", false), ("", false), ("12\napprove\n", false),
    ])
    func onlyOurButtonsCount(output: String, isPressed: Bool) { #expect(NotifySendArguments.isPressed(Array(output.utf8)) == isPressed) }
}
