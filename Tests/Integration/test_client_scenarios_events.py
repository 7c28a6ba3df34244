"""What three computers have to tell, and how often it is told: mirrors, reconnects, first looks and new starts of the engine.

That something is *not* told is seen by what follows it: each such change is followed by one that is told, over the same connection.
"""

from deck import wait_for
from python_node import milliseconds
from scenario_case import HOUR, ScenarioTest, Task


class EventScenarios(ScenarioTest):
    def test_a_mirrored_task_is_one_task_with_one_event(self):
        one, two, three = self.three()
        shared = Task("Shared", "working", age=20)
        mirror = Task("Shared", "idle", age=20, owned=False)
        one.show(Task("Alpha", "working", age=10), shared)
        two.show(mirror, Task("Beta", age=30))
        three.show(Task("Gamma", age=40), Task("Shared", "working", age=20, owned=False))
        self.pair(one, two, three)
        self.launch()
        self.expect_board("Alpha: working on One", "Shared: working on One, also on Three and Two", "Beta: idle on Two", "Gamma: idle on Three")
        two.show(Task("Shared", "awaiting-approval", age=20, owned=False), Task("Beta", age=30))
        self.expect_events("approval Shared on One")
        one.show(Task("Alpha", "working", age=10), Task("Shared", "approval", age=20))
        three.show(Task("Gamma", age=40), Task("Shared", "approval", age=20, owned=False))
        one.show(Task("Alpha", "error", age=10), Task("Shared", "approval", age=20))
        self.expect_events("approval Shared on One", "error Alpha on One")
        three.show(Task("Gamma", "awaiting-response", age=40), Task("Shared", "approval", age=20, owned=False))
        self.expect_events("approval Shared on One", "error Alpha on One", "response Gamma on Three")
        self.expect_board(
            "Shared: approval on One, also on Three and Two", "Gamma: awaiting-response on Three", "Alpha: error on One", "Beta: idle on Two")
        self.assertEqual(self.outcome("open", "Shared"), "state-confirmed")
        self.expect_sent(one, "agent press slot 1 Shared", "agent release slot 1 Shared")
        self.assertEqual((two.sent(), three.sent()), ([], []), "a command goes to the owner alone")
        self.expect_events("approval Shared on One, read", "error Alpha on One", "response Gamma on Three")
        self.expect_notifications("critical: Shared | It waits for approval · M One", "normal: Alpha | It stopped with an error · M One",
                                  "critical: Gamma | It waits for an answer · L Three")
        self.expect_receipts("open Shared on One: state-confirmed")

    def test_the_first_look_is_no_news(self):
        one, two, three = self.three(started=False)
        waiting = Task("Alpha", "approval", age=10)
        finished = Task("Beta", "complete", age=20, revision=4)
        one.show(waiting)
        two.show(finished, Task("Delta", "error", age=30))
        three.show(Task("Gamma", "awaiting-response", age=40))
        one.start(), two.start()
        self.pair(one, two, three)
        self.launch(one, two)
        self.expect_board("Alpha: approval on One", "Beta: complete on Two", "Delta: error on Two")
        one.show(waiting, Task("Alpha again", "working", age=5))
        one.show(waiting, Task("Alpha again", "complete", age=5, revision=1))
        self.expect_events("completion Alpha again on One")
        # A computer that is heard later has a first look of its own; a task that comes to it later, waiting already, is news.
        three.start()
        self.heard(three)
        self.expect_events("completion Alpha again on One")
        three.show(Task("Gamma", "awaiting-response", age=40), Task("Epsilon", "approval", age=3))
        two.show(finished, Task("Delta", "error", age=30), Task("Zeta", "unread", age=1, revision=9))
        wait_for(self.events, lambda events: len(events) == 3, "three events")
        self.assertEqual(sorted(self.events()), ["approval Epsilon on Three", "completion Alpha again on One", "unread Zeta on Two"])
        self.expect_notifications("normal: Alpha again | It is complete · M One", "critical: Epsilon | It waits for approval · L Three",
                                  "low: Zeta | It has something unread · W Two")
        self.expect_receipts()

    def test_a_new_start_tells_nothing_again(self):
        one, two, three = self.three()
        one.show(Task("Alpha", "working", age=10))
        two.show(Task("Beta", "working", age=20))
        three.show(Task("Gamma", "working", age=30))
        self.pair(one, two, three)
        self.launch()
        one.show(Task("Alpha", "approval", age=9))
        self.expect_events("approval Alpha on One")
        two.show(Task("Beta", "complete", age=19, revision=7))
        self.expect_events("approval Alpha on One", "completion Beta on Two")
        told = ["critical: Alpha | It waits for approval · M One", "normal: Beta | It is complete · W Two"]
        self.expect_notifications(*told)
        self.viewer.run("attention", "read", "1")
        self.kill_engine()
        # What happens while nobody looks belongs to the first look of the next start.
        three.show(Task("Gamma", "error", age=29))
        self.launch()
        kept = ["approval Alpha on One, read", "completion Beta on Two"]
        self.expect_events(*kept)
        # The word of one completion flips; the next completion is another one, though its word stays.
        two.show(Task("Beta", "unread", age=19, revision=7))
        self.expect_board("Alpha: approval on One", "Beta: unread on Two", "Gamma: error on Three")
        two.show(Task("Beta", "unread", age=5, revision=8))
        self.expect_events("approval Alpha on One, read", "completion Beta on Two, over", "unread Beta on Two")
        three.show(Task("Gamma", "error", age=29), Task("Delta", "approval", age=2))
        one.show(Task("Alpha", "approval", age=9), Task("Epsilon", "approval", age=1))
        wait_for(self.events, lambda events: len(events) == 5, "five events")
        self.expect_notifications(*told, "low: Beta | It has something unread · W Two", "critical: Delta | It waits for approval · L Three",
                                  "critical: Epsilon | It waits for approval · M One")
        self.kill_engine()
        before = self.events()
        self.launch()
        self.assertEqual(self.events(), before)
        three.show(Task("Gamma", "error", age=29), Task("Delta", "working", age=1))
        self.expect_events(*[line + ", over" if "Delta" in line else line for line in before])
        self.expect_board("Epsilon: approval on One", "Alpha: approval on One", "Beta: unread on Two", "Gamma: error on Three",
                          "Delta: working on Three")
        self.assertEqual(len(self.notifications()), 5)
        self.expect_receipts()

    def test_a_reconnect_tells_what_changed_meanwhile_once(self):
        one, two, three = self.three()
        one.show(Task("Alpha", "approval", age=10))
        two.show(Task("Beta", "working", age=20), Task("Delta", "approval", age=15))
        three.show(Task("Gamma", age=30))
        self.pair(one, two, three)
        self.launch()
        two.drop_clients()
        two.stop()
        wait_for(self.board, lambda board: any("offline" in line for line in board), "the loss")
        self.expect_board("Alpha: approval on One", "Gamma: idle on Three", "Delta: approval on Two, offline", "Beta: working on Two, offline")
        two.show(Task("Beta", "complete", age=5, revision=3), Task("Delta", "approval", age=15))
        two.start()
        self.heard(two)
        self.expect_events("completion Beta on Two")
        self.reconnect(one)
        self.reconnect(two)
        one.show(Task("Alpha", "approval", age=10), Task("Epsilon", "error", age=4))
        self.expect_events("completion Beta on Two", "error Epsilon on One")
        two.show(Task("Beta", "complete", age=5, revision=3), Task("Delta", "working", age=1))
        self.expect_board("Alpha: approval on One", "Epsilon: error on One", "Beta: complete on Two", "Delta: working on Two", "Gamma: idle on Three")
        self.expect_events("completion Beta on Two", "error Epsilon on One")
        self.expect_notifications("normal: Beta | It is complete · W Two", "normal: Epsilon | It stopped with an error · M One")
        self.expect_receipts()

    def test_a_task_that_gets_its_real_name_later(self):
        one, two, three = self.three()
        alpha = Task("Alpha", "working", age=10)
        real = Task("New thing", "approval", age=1)
        new = Task("New thing", "approval", age=1, owned=False, spelled=f"local:client-new-thread:{Task('unnamed').id}")
        one.show(alpha)
        two.show(Task("Beta", age=20))
        three.show(Task("Gamma", age=30))
        self.pair(one, two, three)
        self.launch()
        one.show(alpha, new, active="New thing")
        self.expect_events("approval New thing on One")
        self.assertEqual(self.viewer.json("attention")[0]["task"], Task("unnamed").id)
        one.show(alpha, new, unseen=[real], active="New thing")
        wait_for(lambda: [event["task"] for event in self.viewer.json("attention")], lambda tasks: tasks == [real.id], "the real name")
        one.show(alpha, real, Task("Delta", "error", age=2), active="New thing")
        self.expect_events("approval New thing on One", "error Delta on One")
        self.expect_board("New thing: approval on One, selected, active", "Delta: error on One", "Alpha: working on One", "Beta: idle on Two",
                          "Gamma: idle on Three")
        self.expect_notifications("critical: New thing | It waits for approval · M One", "normal: Delta | It stopped with an error · M One")
        self.expect_receipts()

    def test_what_notifications_show_is_up_to_the_user(self):
        self.viewer.run("settings", "unset", "showTaskTitles")
        one, two, three = self.three()
        for node in self.nodes:
            node.show(Task("Usual", age=50, owned=node is one))
        self.pair(one, two, three)
        self.launch()
        one.show(Task("Secret", "approval", age=9))
        told = ["critical: A Codex task waits for approval | M One"]
        self.expect_notifications(*told)
        self.assertNotIn("Secret", self.told.read_text())
        self.viewer.run("settings", "set", "notifications", "false")
        two.show(Task("Beta", "error", age=9))
        self.expect_events("approval Secret on One", "error Beta on Two")
        self.viewer.run("settings", "set", "notifications", "true")
        self.viewer.run("settings", "set", "showTaskTitles", "true")
        three.show(Task("<b>Hi</b> & \x1b]0;evil\x07\nbye", "awaiting-response", age=9))
        self.expect_notifications(*told, "critical: <b>Hi</b> & ]0;evil bye | It waits for an answer · L Three")
        self.expect_board("<b>Hi</b> & ]0;evil bye: awaiting-response on Three", "Secret: approval on One", "Beta: error on Two")
        self.expect_receipts()

    def test_the_next_event_of_a_task_takes_the_place_of_the_last(self):
        one, two, three = self.usual()
        one.show(Task("Alpha", "approval", age=9))
        self.expect_notifications("critical: Alpha | It waits for approval · M One")
        one.show(Task("Alpha", "error", age=5))
        self.expect_notifications("critical: Alpha | It waits for approval · M One", "normal: Alpha | It stopped with an error · M One (replaced)")
        self.expect_events("approval Alpha on One, over", "error Alpha on One")
        self.expect_board("Alpha: error on One", "Beta: idle on Two", "Gamma: idle on Three")
        self.expect_receipts()

    def test_the_next_completion_of_a_task_takes_the_place_of_the_last(self):
        one, two, three = self.usual()
        one.show(Task("Alpha", "complete", age=9, revision=1))
        self.expect_notifications("normal: Alpha | It is complete · M One")
        one.show(Task("Alpha", "complete", age=5, revision=2))
        self.expect_notifications("normal: Alpha | It is complete · M One", "normal: Alpha | It is complete · M One (replaced)")
        self.expect_events("completion Alpha on One, over", "completion Alpha on One")
        self.expect_board("Alpha: complete on One", "Beta: idle on Two", "Gamma: idle on Three")
        self.expect_receipts()


class ClockScenarios(ScenarioTest):
    def test_clocks_five_hours_off_order_nothing_wrongly(self):
        one, two, three = self.three(clocks=(0, 5 * HOUR, -5 * HOUR))
        ages = {"Alpha": 30, "Beta": 20, "Gamma": 10, "Shared": 40, "Just done": 60, "Long done": 400, "Long gone": 500}
        one.show(Task("Alpha", "working", age=30))
        two.show(Task("Beta", "working", age=20), Task("Shared", "working", age=50), Task("Long done", "idle", age=400, session="complete"))
        three.show(Task("Gamma", "working", age=10), Task("Shared", "working", age=40), Task("Just done", "idle", age=60, session="complete"),
                   Task("Long gone", "idle", age=500, session="complete"))
        self.pair(one, two, three)
        self.launch()
        working = ["Gamma: working on Three", "Beta: working on Two", "Alpha: working on One", "Shared: working on Three, also on Two"]
        self.expect_board("Just done: complete on Three", *working, "Long done: idle on Two", "(no key) Long gone: idle on Three")
        state = self.state()
        for task in [*state["slots"], *state["rest"]]:
            true = one.born - ages[task["title"]] * 1000
            self.assertAlmostEqual(task["activityAt"], true, delta=1500, msg=task["title"])
        for title, node, slot in (("Beta", two, 0), ("Shared", three, 1)):
            self.assertEqual(self.outcome("open", title), "state-confirmed", "a snapshot is as old as the wait for it")
            self.expect_sent(node, f"agent press slot {slot} {title}", f"agent release slot {slot} {title}")
        two.show(Task("Beta", "approval", age=5), active="Beta")
        self.expect_events("approval Beta on Two")
        event, = self.viewer.json("attention")
        self.assertAlmostEqual(event["at"], milliseconds(), delta=5000)
        # A computer puts its clock right, and all its times with it: nothing happened.
        two.clock = three.clock = 0
        two.show(Task("Beta", "approval", age=5), active="Beta")
        three.show(Task("Gamma", "working", age=10), active="Shared")
        self.expect_board("Beta: approval on Two, selected, active", "Gamma: working on Three", "Alpha: working on One")
        two.show(Task("Beta", "approval", age=5), Task("Delta", "error", age=1), active="Beta")
        self.expect_events("approval Beta on Two", "error Delta on Two")
        self.expect_notifications("critical: Beta | It waits for approval · W Two", "normal: Delta | It stopped with an error · W Two")
        self.expect_receipts("open Beta on Two: state-confirmed", "open Shared on Three: state-confirmed")

    def test_missing_windows_of_the_account(self):
        one, two, three = self.three(clocks=(0, 5 * HOUR, -5 * HOUR))

        def usage(node, age, *windows):
            parts = [{"id": kind, "kind": kind, "usedPercent": used, "remainingPercent": 100 - used,
                      "windowDurationMins": {"five-hour": 300, "weekly": 10_080}.get(kind), "resetsAt": node.time(-reset)}
                     for kind, used, reset in windows]
            return {"windows": parts, "observedAt": node.time(age), "resetCreditsAvailable": None, "resetCreditsApplicable": None}

        def shown():
            value = self.viewer.json("usage")
            windows = {name: value[name] and (value[name]["usedPercent"], value[name]["stale"], round((value[name]["resetsAt"] - one.born) / 60_000))
                       for name in ("fiveHour", "weekly")} if value else None
            return windows and {**windows, "host": next(node.name for node in self.nodes if node.host == value["host"])}

        def expect(**windows):
            wait_for(shown, lambda value: value == (windows or None), f"{windows}")
        one.show(Task("Alpha"))
        two.show(Task("Beta"))
        three.show(Task("Gamma"))
        self.pair(one, two, three)
        self.launch()
        expect()
        self.assertIn("No computer knows", self.viewer.run("usage").out)
        one.show(Task("Alpha"), usage=usage(one, 50, ("weekly", 12, 7200), ("other", 99, 600)))
        expect(fiveHour=None, weekly=(12, False, 120), host="One")
        text = self.viewer.run("usage").out
        self.assertRegex(text, r"5 hours +not known")
        self.assertRegex(text, r"Weekly +12 % used")
        # The freshest word counts as it is: what it lacks is not filled up from an older one.
        three.show(Task("Gamma"), usage=usage(three, 40, ("five-hour", 34, 3600)))
        expect(fiveHour=(34, False, 60), weekly=None, host="Three")
        two.show(Task("Beta"), usage=usage(two, 30, ("weekly", 56, 3600), ("five-hour", 78, -10)))
        expect(fiveHour=(78, True, 0), weekly=(56, False, 60), host="Two")
        self.assertRegex(self.viewer.run("usage").out, r"5 hours +78 % used before its reset")
        one.show(Task("Alpha"), usage=usage(one, 20))
        expect(fiveHour=None, weekly=None, host="One")
        self.assertNotIn("0 %", self.viewer.run("usage").out)
        self.assertEqual(sorted(self.board()), ["Alpha: idle on One", "Beta: idle on Two", "Gamma: idle on Three"])
        self.expect_events()
        self.expect_notifications()
        self.expect_receipts()
