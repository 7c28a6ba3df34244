"""The order of the keys: the mode of the chosen computer counts, whoever connected first."""

from scenario_case import ScenarioTest, Task


class OrderScenarios(ScenarioTest):
    def test_pinned(self):
        one, two, three = self.three()
        one.show(Task("Alpha", age=90), None, Task("Shared", age=30), agentSource="pinned")
        two.show(Task("Beta", "working", age=80), Task("Shared", age=30, owned=False), Task("Delta", age=70), agentSource="pinned")
        three.show(Task("Gamma", "approval", age=10))
        self.pair(one, two, three)
        self.launch()
        # Slot by slot from those that pin their keys; what nobody pinned has no key, even when it waits.
        rest = ["Shared: idle on One, also on Two", "Delta: idle on Two", "(no key) Gamma: approval on Three"]
        self.expect_board("Alpha: idle on One", "Beta: working on Two", *rest)
        # What happens moves nothing.
        two.show(Task("Beta", "error", age=1), Task("Shared", age=30, owned=False), Task("Delta", age=70), agentSource="pinned")
        self.expect_board("Alpha: idle on One", "Beta: error on Two", *rest)
        # The chosen computer begins.
        self.viewer.run("host", "Two")
        self.expect_board("Beta: error on Two", "Alpha: idle on One", "Shared: idle on One, also on Two", "Delta: idle on Two",
                          "(no key) Gamma: approval on Three")
        self.assertEqual(self.outcome("open", "4"), "state-confirmed")
        self.expect_sent(two, "agent press slot 2 Delta", "agent release slot 2 Delta")
        self.assertEqual((one.sent(), three.sent()), ([], []))
        self.expect_events("error Beta on Two")
        self.expect_notifications("normal: Beta | It stopped with an error · W Two")
        self.expect_receipts("open Delta on Two: state-confirmed")

    def test_custom(self):
        one, two, three = self.three()
        one.show(None, Task("Alpha", age=90), agentSource="custom")
        two.show(Task("Beta", age=80), Task("Zeta", "working", age=60), None, Task("Delta", age=70), agentSource="custom")
        three.show(Task("Gamma", "approval", age=10), agentSource="pinned")
        self.pair(one, two, three)
        self.launch()
        # The places of the first; what another one has on an empty key there; what is left on the first empty key.
        board = ["Beta: idle on Two", "Alpha: idle on One", "Zeta: working on Two", "Delta: idle on Two", "(no key) Gamma: approval on Three"]
        self.expect_board(*board)
        one.drop_clients()
        one.stop()
        # Only one of them arranges now, and the other's task is the last that is known.
        self.expect_board("Beta: idle on Two", "Zeta: working on Two", None, "Delta: idle on Two", "(no key) Gamma: approval on Three",
                          "(no key) Alpha: idle on One, offline")
        one.start()
        self.heard(one)
        self.expect_board(*board)
        self.assertEqual(self.outcome("open", "3"), "state-confirmed")
        self.expect_sent(two, "agent press slot 1 Zeta", "agent release slot 1 Zeta")
        self.expect_events()
        self.expect_notifications()
        self.expect_receipts("open Zeta on Two: state-confirmed")

    def test_recent_and_priority(self):
        one, two, three = self.three()
        one.show(Task("Alpha", "working", age=50), agentSource="recent")
        two.show(Task("Beta", age=60), active="Beta")
        three.show(Task("Gamma", "complete", age=5, revision=1), Task("Delta", "approval", age=20), Task("Zeta", age=30), agentSource="pinned")
        self.pair(one, two, three)
        self.launch()
        recent = ["Beta: idle on Two, selected, active", "Delta: approval on Three", "Alpha: working on One", "Gamma: complete on Three",
                  "Zeta: idle on Three"]
        priority = ["Delta: approval on Three", "Gamma: complete on Three", "Alpha: working on One", "Zeta: idle on Three",
                    "Beta: idle on Two, selected, active"]
        self.expect_board(*recent)
        self.viewer.run("host", "Two")
        self.expect_board(*priority)
        self.viewer.run("host", "--first")
        self.expect_board(*recent)
        # Without the first one the next arranges, and what is last known comes last.
        one.drop_clients()
        one.stop()
        self.expect_board(*[line for line in priority if "Alpha" not in line], "Alpha: working on One, offline")
        self.assertEqual(self.outcome("open", "5"), "offline-host")
        self.assertEqual((one.sent(), two.sent(), three.sent()), ([], [], []))
        self.expect_events()
        self.expect_notifications()
        self.expect_receipts("open Alpha on One: offline-host")
