"""Notifications on a real desktop: dunst on a bus and a screen of the test's own, the installed notify-send, three computers and the engine.

dunst writes down what it is told; its command-line tool does what a user's hand does: presses the button, clicks, closes.
"""

from deck import NODE, Program, wait_for, wait_until
from desktop_case import DesktopTest
from scenario_case import Task
from terminal import Terminal


class NotificationTest(DesktopTest):
    def setUp(self):
        super().setUp()
        self.start_bus()

    def expect_displayed(self, count):
        wait_for(self.count, lambda displayed: displayed == count, f"{count} notifications on the screen")

    def expect_nothing_was_sent(self):
        """To no computer came anything before a key that is pressed only now."""
        for node in self.nodes:
            self.assertEqual(self.outcome("press", "FAST", "--host", node.name), "executed")
            self.assertEqual(node.sent(), ["FAST"], f"what came to {node.name}")


class DoctorTests(NotificationTest):
    def finding(self, **environment):
        doctor = Program(NODE, self.viewer.home, environment={**self.viewer.environment, **environment})
        finding, = [finding for finding in doctor.run("doctor", "--json", code=None).json if finding["topic"] == "Notifications"]
        return finding["verdict"], finding["text"]

    def test_says_whether_notifications_can_be_shown(self):
        verdict, text = self.finding()
        self.assertEqual(verdict, "note")
        self.assertIn("no notification server answers", text)
        self.start_server()
        self.assertEqual(self.finding()[0], "good")
        verdict, text = self.finding(PATH=str(self.folder / "bin"))
        self.assertEqual(verdict, "note")
        self.assertIn("libnotify-bin", text)


class EventNotificationTests(NotificationTest):
    def test_each_event_is_told_once_whoever_shows_the_task(self):
        self.start_server()
        self.viewer.run("settings", "unset", "showTaskTitles")
        one, two, three = self.usual()
        shared, mirror = Task("Shared", "approval", age=9), Task("Shared", "approval", age=9, owned=False)
        one.show(Task("Alpha", "working", age=10), shared)
        two.show(Task("Beta", age=20), mirror)
        three.show(Task("Gamma", age=30), mirror)
        hidden = ["critical: A Codex task waits for approval | M One"]
        self.expect_notifications(*hidden)
        self.viewer.run("settings", "set", "showTaskTitles", "true")
        one.show(Task("Alpha", "error", age=5), shared)
        two.show(Task("Beta", "complete", age=5, revision=4), mirror)
        three.show(Task("Gamma", "awaiting-response", age=5), mirror, Task("<b>Hi</b> & \\n", "unread", age=4, revision=1))
        told = hidden + ["normal: Alpha | It stopped with an error · M One", "normal: Beta | It is complete · W Two",
                         "critical: Gamma | It waits for an answer · L Three", "low: <b>Hi</b> & \\n | It has something unread · L Three"]
        self.expect_notifications(*told)
        # A computer that is heard again, with all that it showed before, is followed by a change that is told.
        self.reconnect(two)
        two.show(Task("Beta", "complete", age=5, revision=4), mirror, Task("Delta", "error", age=1))
        self.expect_notifications(*told, "normal: Delta | It stopped with an error · W Two")
        self.expect_displayed(6)
        self.assertEqual(self.count("history"), 0, "none was closed by the engine")
        self.assertEqual(len({one.id for one in self.told_server()}), 6, "each task has a notification of its own")
        self.expect_nothing_was_sent()

    def test_the_next_event_of_a_task_takes_the_place_of_the_last(self):
        self.start_server()
        one, two, _ = self.usual()
        two.show(Task("Beta", "error", age=8))
        one.show(Task("Alpha", "approval", age=9))
        told = ["critical: Alpha | It waits for approval · M One", "normal: Beta | It stopped with an error · W Two"]
        self.expect_notifications(*told)
        for task, words in ((Task("Alpha", "error", age=8), "normal: Alpha | It stopped with an error · M One (replaced)"),
                            (Task("Alpha", "awaiting-response", age=7), "critical: Alpha | It waits for an answer · M One (replaced)"),
                            (Task("Alpha", "complete", age=6, revision=2), "normal: Alpha | It is complete · M One (replaced)")):
            one.show(task)
            told.append(words)
            self.expect_notifications(*told)
        self.assertEqual((self.count(), self.count("history")), (2, 0), "replaced in place, not closed and shown anew")
        # What holds no more goes, and only that.
        one.show(Task("Alpha", "working", age=1))
        two.show(Task("Beta", "working", age=1))
        self.expect_displayed(0)
        self.assertEqual(self.count("history"), 2)
        self.expect_nothing_was_sent()

    def test_what_a_computer_is_called_is_never_markup(self):
        # dunst reads markup whether it says so, as with its usual configuration, or not, as with the shortest one.
        self.start_server(markup=True)
        self.three()
        self.nodes[0].name = "<i>One</i> & \\x"
        for node, title in zip(self.nodes, ("Alpha", "Beta", "Gamma")):
            node.show(Task(title, age=20))
        self.pair(*self.nodes)
        self.launch()
        self.nodes[0].show(Task("Alpha", "approval", age=2))
        told, = wait_for(self.told_server, lambda told: told, "the notification")
        self.assertEqual(told.body, "It waits for approval · M &lt;i&gt;One&lt;/i&gt; &amp; \\x")
        # Another server takes over; what it can is asked once the loss of the first one was seen.
        self.assertEqual(self.server.stop(), 0)
        self.nodes[1].show(Task("Beta", "error", age=2))
        wait_until(lambda: "cannot be shown" in self.engine.log, "the warning")
        self.start_server(markup=False)
        self.nodes[0].show(Task("Alpha", "approval", age=2), Task("Delta", "error", age=1))
        told, = wait_for(lambda: [one for one in self.told_server() if one.summary == "Delta"], lambda told: told, "the notification")
        self.assertEqual(told.body, "It stopped with an error · M ‹i›One‹/i› & \\x")


class ButtonTests(NotificationTest):
    def dashboard(self):
        terminal = Terminal(self.viewer.home, 100, 24)
        self.addCleanup(terminal.close)
        terminal.line(f"clear; {self.viewer.binary} watch; echo ended with $?")
        terminal.wait_for(lambda screen: "Alpha" in screen and "Beta" in screen)
        return terminal

    def test_open_and_a_click_show_the_task_and_closing_shows_nothing(self):
        self.start_server()
        one, two, three = self.usual()
        dashboard = self.dashboard()
        # One after the other: the click further down goes to the first of its urgency.
        for count, (node, title, status) in enumerate(((one, "Alpha", "approval"), (two, "Beta", "error"), (three, "Gamma", "awaiting-response")), 1):
            node.show(Task(title, status, age=5))
            self.expect_displayed(count)
        self.press_button("Beta")
        dashboard.wait_for(lambda screen: "Beta" in screen and "Alpha" not in screen)
        self.expect_displayed(2)
        # A click on the notification itself does the same.
        self.dunst("action", "0")
        dashboard.wait_for(lambda screen: "Alpha" in screen and "Beta" not in screen)
        self.expect_displayed(1)
        self.dunst("close")
        self.expect_displayed(0)
        three.show(Task("Gamma", "awaiting-response", age=5), Task("Delta", "error", age=1))
        self.expect_displayed(1)
        dashboard.wait_for(lambda screen: "Alpha" in screen and "Gamma" not in screen)
        read = {event.split(" on ")[0]: event.endswith(", read") for event in self.events()}
        self.assertEqual(read, {"approval Alpha": True, "error Beta": True, "response Gamma": False, "error Delta": False})
        self.assertIn("Alpha: approval on One", self.board(), "it still waits: looking decides nothing")
        self.expect_receipts()
        self.expect_nothing_was_sent()

    def test_without_a_dashboard_open_brings_one_up(self):
        self.install_terminal()
        self.start_server()
        one, two, three = self.usual()
        two.show(Task("Beta", "approval", age=5))
        self.expect_displayed(1)
        self.press_button("Beta")
        self.opened_terminal(lambda screen: "Beta" in screen and "Gamma" not in screen and "approve?" in screen)
        command, = (self.folder / "opened").read_text().splitlines()
        self.assertEqual(command, f"{self.viewer.binary.resolve()} open-link codexdeck://agent/{Task('Beta').id}")
        self.expect_events("approval Beta on Two, read")
        # The next one comes up in the dashboard that is open now.
        three.show(Task("Gamma", "error", age=3))
        self.expect_displayed(1)
        self.press_button("Gamma")
        self.opened_terminal(lambda screen: "Gamma" in screen and "Beta" not in screen)
        self.assertEqual(len((self.folder / "opened").read_text().splitlines()), 1)
        self.expect_nothing_was_sent()


class MissingServerTests(NotificationTest):
    SAID = "Desktop notifications cannot be shown"
    AGAIN = "Desktop notifications are shown again"

    def said(self):
        return [line for line in self.engine.log.splitlines() if "otification" in line]

    def expect_told(self, words):
        """Waits until the server was told this. What was on its way before the server came may be told, too."""
        wait_for(self.notifications, lambda told: any(line.startswith(words) for line in told), words)

    def test_without_a_server_it_is_said_once_and_one_that_comes_later_is_used(self):
        one, two, three = self.usual()
        one.show(Task("Alpha", "approval", age=9))
        wait_until(self.said, "the warning")
        two.show(Task("Beta", "error", age=9))
        three.show(Task("Gamma", "awaiting-response", age=9))
        wait_for(self.events, lambda events: len(events) == 3, "three events")
        self.start_server()
        one.show(Task("Alpha", "approval", age=9), Task("Delta", "error", age=3))
        self.expect_told("normal: Delta | It stopped with an error · M One")
        wait_for(self.said, lambda lines: len(lines) == 2, "that they are shown again")
        self.assertIn(self.SAID, self.said()[0])
        self.assertIn("deckclient attention", self.said()[0])
        self.assertIn(self.AGAIN, self.said()[1])
        # The button of one that was shown by a server which came late works as well.
        self.install_terminal()
        self.press_button("Delta")
        self.opened_terminal(lambda screen: "Delta" in screen and "Alpha" not in screen)
        # The server goes: one warning more, however many events follow; another one that comes is used again.
        self.assertEqual(self.server.stop(), 0)
        two.show(Task("Beta", "approval", age=2))
        wait_for(self.said, lambda lines: len(lines) == 3, "the second warning")
        three.show(Task("Gamma", "error", age=2))
        wait_for(self.events, lambda events: "error Gamma on Three" in events, "an event more")
        self.start_server()
        three.show(Task("Gamma", "approval", age=1))
        self.expect_told("critical: Gamma | It waits for approval · L Three")
        wait_for(self.said, lambda lines: len(lines) == 4, "that they are shown again")
        self.expect_nothing_was_sent()

    def test_without_a_bus_it_is_said_once(self):
        self.viewer.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={self.folder}/no-bus"
        one, two, three = self.usual()
        for node, title, status in ((one, "Alpha", "approval"), (two, "Beta", "error"), (three, "Gamma", "awaiting-response")):
            node.show(Task(title, status, age=5))
        wait_for(self.events, lambda events: len(events) == 3, "three events")
        wait_until(self.said, "the warning")
        self.assertEqual(self.engine.stop(), 0)
        self.assertEqual(len(self.said()), 1, self.said())
        self.assertIn(self.SAID, self.said()[0])


class FollowNotificationTests(NotificationTest):
    def test_one_notification_follows_the_task(self):
        self.install_terminal()
        self.start_server()
        one, two, three = self.usual()
        self.viewer.run("follow", "Beta")
        first = wait_for(self.told_server, lambda told: told, "the notification")[0]
        self.assertEqual((first.summary, first.urgency, first.timeout), ("Beta", "low", 0), "it stays until it is closed")
        self.assertRegex(first.body, r"^idle · W Two · active at \d+:\d\d$")
        two.show(Task("Beta", "working", age=3))
        wait_for(self.told_server, lambda told: told[-1].body.startswith("working · W Two"), "the change")
        # Of the changes of one second the last one is told.
        two.show(Task("Beta", "working", age=2), Task("Epsilon"))
        two.show(Task("Beta", "thinking", age=1))
        two.show(Task("Beta", "error", age=1))
        wait_for(lambda: [one.body for one in self.told_server() if one.summary == "Beta" and one.urgency == "low"],
                 lambda bodies: bodies[-1].startswith("stopped with an error"), "the next change")
        resident = [one for one in self.told_server() if one.urgency == "low"]
        self.assertEqual({one.id for one in resident}, {first.id}, "one notification, updated in place")
        self.assertEqual(self.count("history"), 0)
        self.viewer.run("attention", "read", "--all")
        self.expect_displayed(1)
        self.press_button("Beta")
        self.opened_terminal(lambda screen: "Beta" in screen and "Gamma" not in screen)
        two.show(Task("Beta", "working", age=0))
        wait_for(self.told_server, lambda told: told[-1].body.startswith("working"), "a change after that")
        self.expect_displayed(1)
        self.viewer.run("follow", "--stop")
        self.expect_displayed(0)
        self.expect_nothing_was_sent()
