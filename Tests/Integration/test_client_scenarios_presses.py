"""Presses while things change under the finger: tasks that move, change their owner or vanish, connections that end, impatient fingers."""

import os
import signal
import subprocess

from deck import wait_for
from python_node import milliseconds
from scenario_case import Gate, is_press, ScenarioTest, Task


class PressScenarios(ScenarioTest):
    def test_slots_move_during_a_press(self):
        one, two, three = self.usual()
        tasks = [Task("First", age=1), Task("Second", age=2), Task("Third", "approval", age=3)]
        one.show(*tasks)
        wait_for(self.board, lambda board: "Second: idle on One" in board, "the tasks")

        def turn(command):
            if is_press(command):
                one.tasks = one.tasks[2:] + one.tasks[:2]
        one.on_press = turn
        self.assertEqual(self.outcome("open", "Second"), "state-confirmed")
        self.expect_sent(one, "agent press slot 1 Second", "agent release slot 1 Second")
        self.expect_board("Third: approval on One", "First: idle on One", "Second: idle on One, selected, active", "Beta: idle on Two",
                          "Gamma: idle on Three")
        one.commands.clear()
        # The next command uses the new places: the third task is on the first key now, and moves on while it is pressed.
        self.assertEqual(self.outcome("approve", "Third"), "executed")
        self.expect_sent(one, "agent press slot 0 Third", "agent release slot 0 Third", "APPR Third")
        self.expect_board("Third: working on One, selected, active", "First: idle on One", "Second: idle on One", "Beta: idle on Two",
                          "Gamma: idle on Three")
        self.assertEqual((two.sent(), three.sent()), ([], []))
        # Third waited when it was first seen as one of One's tasks, after One's first look: that is news, answered by now.
        self.expect_events("approval Third on One, read, over")
        self.expect_notifications("critical: Third | It waits for approval · M One")
        self.expect_receipts("open Second on One: state-confirmed", "approve Third on One: executed")

    def test_another_task_is_opened_while_one_is_approved(self):
        one, two, three = self.usual(alpha="approval")
        one.show(Task("Alpha", "approval", age=10), Task("Other", "approval", age=11))
        self.expect_events("approval Other on One")
        # Somebody at the computer is quicker: when the press is answered, the other task is the open one.
        one.on_press = lambda command: one.opens("Other") if is_press(command) else None
        self.assertEqual(self.outcome("approve", "Alpha"), "no-confirming-snapshot")
        self.expect_sent(one, "agent press slot 0 Alpha", "agent release slot 0 Alpha")
        self.assertEqual((two.sent(), three.sent()), ([], []))
        self.expect_board("Alpha: approval on One", "Other: approval on One, selected, active", "Beta: idle on Two", "Gamma: idle on Three")
        self.expect_events("approval Other on One, read")
        self.expect_notifications("critical: Other | It waits for approval · M One")
        self.expect_receipts("approve Alpha on One: no-confirming-snapshot")

    def test_the_owner_changes(self):
        one, two, three = self.three()
        one.show(Task("Shared", "working", age=60))
        two.show(Task("Shared", "working", age=90), Task("Beta", age=100))
        three.show(Task("Shared", "idle", age=90, owned=False))
        self.pair(one, two, three)
        self.launch()
        self.expect_board("Shared: working on One, also on Three and Two", "Beta: idle on Two")
        self.assertEqual(self.outcome("press", "FAST", "--task", "Shared"), "executed")
        two.show(Task("Shared", "working", age=30), Task("Beta", age=100))
        self.expect_board("Shared: working on Two, also on One and Three", "Beta: idle on Two")
        self.assertEqual(self.outcome("press", "FAST", "--task", "Shared"), "executed")
        self.assertEqual([node.sent() for node in self.nodes], [["FAST Shared"], ["FAST Shared"], []])
        # One completion, whoever owns it: the copies say so one after the other, then the first owner is the owner again.
        two.show(Task("Shared", "complete", age=25, revision=5), Task("Beta", age=100))
        one.show(Task("Shared", "unread", age=60, session="idle", revision=5))
        self.expect_events("completion Shared on Two")
        one.show(Task("Shared", "unread", age=20, revision=5))
        self.expect_board("Shared: unread on One, also on Three and Two", "Beta: idle on Two")
        one.show(Task("Shared", "unread", age=20, revision=5), Task("Alpha", "error", age=2))
        self.expect_events("completion Shared on Two", "error Alpha on One")
        # The owner goes: its task stays its own, and no command falls through to a mirror.
        one.drop_clients()
        one.stop()
        wait_for(self.board, lambda board: any(line.endswith("offline") for line in board), "the loss")
        self.assertEqual(self.outcome("open", "Shared"), "offline-host")
        self.assertEqual(self.outcome("approve", "Shared"), "offline-host")
        self.assertEqual((two.sent(), three.sent()), (["FAST Shared"], []))
        self.expect_events("completion Shared on Two", "error Alpha on One")
        self.expect_notifications("normal: Shared | It is complete · W Two", "normal: Alpha | It stopped with an error · M One")
        self.expect_receipts("FAST Shared on One: executed", "FAST Shared on Two: executed", "open Shared on One: offline-host",
                             "approve Shared on One: offline-host")

    def test_the_owner_changes_during_an_approval(self):
        one, two, three = self.three()
        one.show(Task("Shared", "approval", age=60))
        two.show(Task("Shared", "approval", age=90))
        three.show(Task("Gamma", age=30))
        self.pair(one, two, three)
        self.launch()
        gate = one.on_press = Gate(is_press)
        end = self.start_command("approve", "Shared")
        gate.wait()
        two.show(Task("Shared", "approval", age=5))
        self.expect_board("Shared: approval on Two, also on One", "Gamma: idle on Three")
        gate.open()
        self.assertEqual(end(), "changed-meanwhile")
        self.expect_sent(one, "agent press slot 0 Shared", "agent release slot 0 Shared")
        self.assertEqual((two.sent(), three.sent()), ([], []), "nobody is answered but the task that was meant")
        self.assertEqual(self.outcome("decline", "Shared"), "executed")
        self.expect_sent(two, "agent press slot 0 Shared", "agent release slot 0 Shared", "REJ Shared")
        self.expect_receipts("approve Shared on One: changed-meanwhile", "decline Shared on Two: executed")
        self.expect_events()
        self.expect_notifications()

    def test_the_connection_ends_between_press_and_result(self):
        one, two, three = self.usual()

        def cut(command):
            if is_press(command):
                one.on_press = None
                one.cut_now()
                return "The connection is gone."
        one.on_press = cut
        before = one.connections
        self.assertEqual(self.outcome("open", "Alpha"), "unknown")
        wait_for(lambda: one.connections, lambda count: count > before, "the next connection")
        self.heard(one)
        self.expect_board("Alpha: working on One", "Beta: idle on Two", "Gamma: idle on Three")
        self.assertEqual(self.outcome("press", "FAST", "--host", "One"), "executed")
        self.expect_sent(one, "agent press slot 0 Alpha", "FAST")
        self.assertEqual((two.sent(), three.sent()), ([], []))
        self.expect_receipts("open Alpha on One: unknown", "FAST  on One: executed")
        self.expect_events()
        self.expect_notifications()

    def test_the_connection_ends_between_press_and_release(self):
        one, two, three = self.usual()

        def cut(command):
            if is_press(command):
                one.on_press = None
                one.opens(None)
                # The answer says yes, but what shows it comes only with the next connection.
                one.cut_soon(lambda: one.opens("Alpha"))
        one.on_press = cut
        before = one.connections
        self.assertEqual(self.outcome("open", "Alpha"), "state-confirmed")
        self.assertGreater(one.connections, before)
        self.expect_board("Alpha: working on One, selected, active", "Beta: idle on Two", "Gamma: idle on Three")
        self.expect_sent(one, "agent press slot 0 Alpha")
        self.assertEqual((two.sent(), three.sent()), ([], []))
        self.expect_receipts("open Alpha on One: state-confirmed")
        self.expect_events()
        self.expect_notifications()

    def test_impatient_fingers(self):
        one, two, three = self.usual(beta="working")
        gate = one.on_press = Gate(is_press)
        first = self.start_command("open", "Alpha")
        gate.wait()
        for words in (("open", "Alpha"), ("open", Task("Alpha", "").id[:8]), ("approve", "Alpha"), ("decline", "1")):
            self.assertEqual(self.outcome(*words), "already-under-way", "a press of a task that is being pressed is swallowed")
        self.assertEqual(self.outcome("open", "Beta"), "state-confirmed", "the other tasks are free")
        gate.open()
        self.assertEqual(first(), "state-confirmed")
        for _ in range(3):
            self.assertEqual(self.outcome("open", "Alpha"), "already-open")
        self.expect_sent(one, "agent press slot 0 Alpha", "agent release slot 0 Alpha")
        self.expect_sent(two, "agent press slot 0 Beta", "agent release slot 0 Beta")
        self.expect_board("Alpha: working on One, selected, active", "Beta: working on Two, selected, active", "Gamma: idle on Three")
        self.expect_receipts("open Alpha on One: state-confirmed", "open Beta on Two: state-confirmed", *["open Alpha on One: already-open"] * 3)
        self.expect_events()
        self.expect_notifications()

    def test_a_task_that_is_open_already(self):
        one, two, three = self.three()
        one.show(Task("Alpha", "approval", age=10), Task("Shared", "working", age=15), active="Alpha")
        two.show(Task("Shared", "idle", age=20, owned=False), active="Shared")
        three.show(Task("Gamma", age=30))
        self.pair(one, two, three)
        self.launch()
        self.expect_board("Alpha: approval on One, selected, active", "Shared: working on One, also on Two, selected, active", "Gamma: idle on Three")
        self.assertEqual(self.outcome("open", "Alpha"), "already-open")
        self.assertEqual(self.outcome("open", "1"), "already-open")
        self.assertEqual(one.sent(), [], "nothing is sent for what is there already")
        # Open on a mirror is not open on the computer where it lives.
        self.assertEqual(self.outcome("open", "Shared"), "state-confirmed")
        self.expect_sent(one, "agent press slot 1 Shared", "agent release slot 1 Shared")
        one.commands.clear()
        # An answer needs a snapshot that came after a press of its own, so the task is pressed although it seems open.
        one.show(Task("Alpha", "approval", age=10), Task("Shared", "working", age=15), active="Alpha")
        self.expect_board("Alpha: approval on One, selected, active", "Shared: working on One, also on Two, selected, active", "Gamma: idle on Three")
        self.assertEqual(self.outcome("approve", "Alpha"), "executed")
        self.expect_sent(one, "agent press slot 0 Alpha", "agent release slot 0 Alpha", "APPR Alpha")
        self.assertEqual((two.sent(), three.sent()), ([], []))
        self.expect_receipts(*["open Alpha on One: already-open"] * 2, "open Shared on One: state-confirmed", "approve Alpha on One: executed")
        self.expect_events()
        self.expect_notifications()

    def test_a_task_that_is_gone(self):
        one, two, three = self.usual()
        one.show(Task("Alpha", "approval", age=5), Task("Delta", age=50))
        self.expect_events("approval Alpha on One")
        one.show(Task("Delta", age=50))
        self.expect_board("Beta: idle on Two", "Gamma: idle on Three", "Delta: idle on One")
        self.expect_events("approval Alpha on One, gone")
        self.assertIn("stays as a record", self.viewer.refusal("attention", "open", "1"))
        self.expect_events("approval Alpha on One, read, gone")
        for words in ("Alpha", Task("Alpha").id, Task("Alpha").id[:8]):
            self.assertIn("No task matches", self.viewer.refusal("open", words))
        # Gone at the very moment it is pressed: the computer's sentence is told, and the key is let go.
        one.on_press = lambda command: setattr(one, "tasks", ()) if is_press(command) else None
        result = self.viewer.run("open", "Delta", code=1)
        self.assertEqual(result.err, "deckclient: That task is gone.\n")
        wait_for(lambda: len(one.commands), lambda count: count == 2, "the release")
        self.assertEqual([command["act"] for _, command in one.commands], [1, 0])
        one.on_press = None
        # It comes back as it was: that is no news. The next one is.
        one.show(Task("Alpha", "approval", age=5))
        one.show(Task("Alpha", "approval", age=5), Task("Zeta", "error", age=1))
        self.expect_events("approval Alpha on One, read", "error Zeta on One")
        self.expect_board("Alpha: approval on One", "Zeta: error on One", "Beta: idle on Two", "Gamma: idle on Three")
        self.expect_notifications("critical: Alpha | It waits for approval · M One", "normal: Zeta | It stopped with an error · M One")
        self.expect_receipts("open Delta on One: rejected")
        self.assertEqual((two.sent(), three.sent()), ([], []))

    def test_a_snapshot_that_is_too_old(self):
        one, two, three = self.usual()
        one.repeats = False

        def age():
            node, = [node for node in self.viewer.json("nodes") if node["name"] == "One"]
            return milliseconds() - node["lastSnapshotAt"], node["health"]
        wait_for(age, lambda state: state[0] > 8_500, "the snapshot to grow old", 20)
        self.assertEqual(age()[1], "degraded", "the connection holds")
        for words in (("open", "Alpha"), ("approve", "Alpha"), ("press", "FAST", "--host", "One")):
            self.assertEqual(self.outcome(*words), "old-snapshot")
        self.assertEqual(self.outcome("press", "FAST", "--host", "Two"), "executed")
        self.assertEqual((one.sent(), two.sent(), three.sent()), ([], ["FAST"], []))
        self.expect_board("Alpha: working on One", "Beta: idle on Two", "Gamma: idle on Three")
        one.repeats = True
        wait_for(age, lambda state: state[0] < 3_000 and state[1] == "ready", "the next snapshot")
        self.assertEqual(self.outcome("open", "Alpha"), "state-confirmed")
        self.expect_sent(one, "agent press slot 0 Alpha", "agent release slot 0 Alpha")
        self.expect_receipts("open Alpha on One: old-snapshot", "approve Alpha on One: old-snapshot", "FAST  on One: old-snapshot",
                             "FAST  on Two: executed", "open Alpha on One: state-confirmed")
        self.expect_events()
        self.expect_notifications()


class OwnerSpellingScenarios(ScenarioTest):
    def test_each_computer_spells_the_key_its_own_way(self):
        one, two, three = self.three()
        shared = Task("Shared", "working", age=5)
        loud = Task("Shared", "working", age=5, spelled=f"local:{shared.id.upper()}")
        mirror = Task("Shared", "idle", age=5, owned=False, spelled=f"cloud:remote:{shared.id}")
        one.show(Task("Alpha", "working", age=10), loud)
        two.show(Task("Beta", age=20), None, mirror)
        three.show(Task("Gamma", age=30))
        self.pair(one, two, three)
        self.launch()
        board = ["Alpha: working on One", "Beta: idle on Two", "Gamma: idle on Three"]
        self.expect_board("Shared: working on One, also on Two", *board)
        self.assertEqual(self.outcome("open", "Shared"), "state-confirmed")

        def places():
            return [(command["slot"], command["threadKey"]) for _, command in one.commands]
        wait_for(places, lambda sent: sent == [(1, loud.spelled)] * 2, "press and release")
        # The owner shows it in no slot: it is meant by the place and the key of the mirror.
        one.commands.clear()
        one.show(Task("Alpha", "working", age=10), unseen=[shared])
        self.expect_board("Shared: working on One, also on Two", *board)
        one.on_press = lambda command: one.opens("Shared") if is_press(command) else None
        self.assertEqual(self.outcome("open", "Shared"), "state-confirmed")
        wait_for(places, lambda sent: sent == [(2, mirror.spelled)] * 2, "press and release")
        self.assertEqual((two.sent(), three.sent()), ([], []))
        self.expect_board("Shared: working on One, also on Two, active", *board)
        self.expect_receipts(*["open Shared on One: state-confirmed"] * 2)
        self.expect_events()
        self.expect_notifications()


class AbandonedScenarios(ScenarioTest):
    """Whoever asked for a press is gone before its end."""

    TOUCH = ["agent press slot 0 Alpha", "agent release slot 0 Alpha"]

    def expect_no_news(self):
        self.expect_events()
        self.expect_notifications()

    def command(self, *words):
        return subprocess.Popen(self.viewer.command(*words), env=self.viewer.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_the_command_is_killed(self):
        one, _, _ = self.usual(beta="working", gamma="working")
        gate = one.on_press = Gate(is_press)
        with self.command("open", "Alpha") as command:
            gate.wait()
            command.kill()
        gate.open()
        self.expect_board("Alpha: working on One, selected, active", "Beta: working on Two", "Gamma: working on Three")
        self.expect_sent(one, *self.TOUCH)
        self.expect_receipts("open Alpha on One: state-confirmed")
        self.expect_no_news()

    def test_the_command_is_interrupted(self):
        """With the engine in the background, and with the command's own one."""
        one, _, _ = self.usual(beta="working", gamma="working")
        for turn in range(2):
            # The press is answered, and never shown as done: without the interruption the command would wait for seconds.
            started = []
            one.on_press = lambda wire: is_press(wire) and (one.opens(None), started[0].send_signal(signal.SIGINT)) and None
            with self.command("open", "Alpha") as command:
                started.append(command)
                _, error = command.communicate(timeout=6)
            self.assertEqual(error, "deckclient: Interrupted: the command was sent, but its result was not awaited.\n")
            self.expect_sent(one, *self.TOUCH)
            one.on_press = None
            one.commands.clear()
            one.show(*one.tasks)
            self.expect_receipts(*["open Alpha on One: interrupted"] * (turn + 1))
            self.engine.stop()
        self.expect_board("Alpha: working on One", "Beta: working on Two", "Gamma: working on Three")
        self.expect_no_news()

    def test_the_engine_is_killed(self):
        one, two, three = self.usual(beta="working", gamma="working")
        gate = one.on_press = Gate(is_press, then=lambda command: "Nobody is there any more.")
        end = self.start_command("open", "Alpha")
        gate.wait()
        # Written beside the press, not before it.
        self.expect_receipts("open Alpha on One: sending")
        self.engine.process.send_signal(signal.SIGKILL)
        self.assertEqual(end(), "unknown")
        gate.open()
        self.launch()
        self.assertEqual(self.outcome("press", "FAST", "--host", "One"), "executed")
        sent = [line for line in one.sent() if "release" not in line]
        self.assertEqual(sent, ["agent press slot 0 Alpha", "FAST"], "nothing is sent again by itself")
        self.assertEqual((two.sent(), three.sent()), ([], []))
        self.expect_board("Alpha: working on One", "Beta: working on Two", "Gamma: working on Three")
        self.expect_no_news()
        self.expect_receipts("open Alpha on One: unknown", "FAST  on One: executed")

    def test_the_engine_is_stopped_between_press_and_release(self):
        """SIGTERM while a key is held: the release still leaves."""
        one, two, three = self.usual()
        one.on_press = lambda command: os.kill(self.engine.pid, signal.SIGTERM) if is_press(command) else None
        end = self.start_command("open", "Alpha")
        self.assertEqual(end(), "interrupted")
        self.engine.process.wait(10)
        self.expect_sent(one, *self.TOUCH)
        self.expect_receipts("open Alpha on One: interrupted")
        self.expect_board("Alpha: working on One, selected, active", "Beta: idle on Two", "Gamma: idle on Three")
        self.expect_no_news()

    def test_a_receipt_of_a_killed_engine_has_an_end(self):
        one, two, three = self.usual()
        gate = one.on_press = Gate(is_press, then=lambda command: "Nobody is there any more.")
        end = self.start_command("open", "Alpha")
        gate.wait()
        self.expect_receipts("open Alpha on One: sending")
        self.engine.process.send_signal(signal.SIGKILL)
        self.assertEqual(end(), "unknown")
        gate.open()
        self.launch()
        self.expect_receipts("open Alpha on One: unknown")
        self.expect_board("Alpha: working on One", "Beta: idle on Two", "Gamma: idle on Three")
        self.expect_no_news()

    def test_a_receipt_of_a_stopped_engine_has_an_end(self):
        one, two, three = self.usual()
        gate = one.on_press = Gate(is_press, then=lambda command: "Nobody is there any more.")
        end = self.start_command("open", "Alpha")
        gate.wait()
        self.engine.stop()
        gate.open()
        self.assertEqual(end(), "interrupted")
        self.expect_receipts("open Alpha on One: interrupted")
        self.assertEqual([receipt["outcome"] for receipt in self.viewer.json("receipts")], ["interrupted"])
        self.expect_board("Alpha: working on One", "Beta: idle on Two", "Gamma: idle on Three")
        self.expect_no_news()
