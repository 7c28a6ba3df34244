"""What a press means when things go wrong or happen at once: it acts once, on the task that was meant, and its result says what became of it."""

import json
import threading
import time

from app_server_case import ANSWERED, AppServerTest, GONE, NO_TASK, NOTHING_WAITS, OTHER_TASK, PATIENCE
from deck import wait_until


class PressTests(AppServerTest):
    def test_without_a_task(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting(codex, rpc)
        screen.slot(thread, "awaiting-approval")
        for keycap in ("APPR", "REJ", "FAST", "SPLIT", "PARTY", "CODEX", "DEL", "MAGIC", "MIND+", "DIFF", "BRCH", "MRG", "GIT", "PR", "DWN"):
            self.assertEqual(screen.refused(keycap), NO_TASK, keycap)
        self.assertEqual(screen.sentence(kind="encoder", act=1), NO_TASK)
        self.assertEqual(screen.sentence(kind="reasoning", direction="increase"), NO_TASK)
        self.assertEqual(rpc.status(thread)["activeFlags"], ["waitingOnApproval"])

    def test_a_lost_release(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting_on(screen, codex, rpc)
        self.assertTrue(screen.ask(kind="action", slot="ACT07", act=1)["ok"])
        wait_until(made.exists, "the file")
        self.assertEqual(rpc.finish(thread), "completed")
        # The key is pressed again, and its release never came: this is a press of its own.
        self.assertEqual(screen.sentence(kind="action", slot="ACT07", act=1), NOTHING_WAITS)

    def test_a_release_does_nothing_however_often_it_comes(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting_on(screen, codex, rpc)
        for slot in ("ACT07", "ACT08", "ACT09", "ACT10_ACT11"):
            for _ in range(2):
                self.assertTrue(screen.ask(kind="action", slot=slot, act=0)["ok"])
        self.assertTrue(screen.ask(kind="encoder", act=0)["ok"])
        self.assertTrue(screen.ask(kind="joystick", direction="up", distance=0)["ok"])
        self.assertEqual(rpc.status(thread)["activeFlags"], ["waitingOnApproval"])
        self.assertEqual(rpc.loaded(), [thread])
        self.assertEqual(rpc.settings(thread)["collaborationMode"]["mode"], "default")
        self.assertFalse(made.exists())

    def test_two_screens_approve_together(self):
        codex, rpc, node, screen = self.trio()
        other = self.screen(node, "other")
        thread, made = self.waiting_on(screen, codex, rpc)
        other.open(thread)
        requests = [(each, each.send(kind="keycap", keycapId="APPR")) for each in (screen, other)]
        results = [each.result(request) for each, request in requests]
        self.assertEqual(sorted(result["ok"] for result in results), [False, True], results)
        refusal, = [result["error"] for result in results if not result["ok"]]
        self.assertIn(refusal, (ANSWERED, NOTHING_WAITS))
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertTrue(made.exists())
        self.assertEqual(len(self.outputs(codex, "make it")), 1)

    def test_two_screens_answer_the_tasks_they_opened(self):
        codex, rpc, node, screen = self.trio()
        other = self.screen(node, "other")
        first, made = self.waiting(codex, rpc, "make the first", "first")
        second, unmade = self.waiting(codex, rpc, "make the second", "second")
        screen.open(first, "awaiting-approval")
        other.open(second, "awaiting-approval")
        screen.key("APPR")
        other.key("REJ")
        for thread in (first, second):
            self.assertEqual(rpc.finish(thread), "completed")
        self.assertTrue(made.exists())
        self.assertFalse(unmade.exists())

    def test_a_press_that_means_another_task(self):
        codex, rpc, node, screen = self.trio()
        first, made = self.waiting(codex, rpc, "make the first", "first")
        second, unmade = self.waiting(codex, rpc, "make the second", "second")
        keys = {thread: screen.slot(thread, "awaiting-approval")["threadKey"] for thread in (first, second)}
        screen.open(first)
        for command in ({"kind": "keycap", "keycapId": "APPR"}, {"kind": "action", "slot": "ACT07", "act": 1}, {"kind": "encoder", "act": 1},
                        {"kind": "joystick", "direction": "up", "distance": 1}, {"kind": "reasoning", "direction": "increase"}):
            self.assertEqual(screen.sentence(**command, threadKey=keys[second]), OTHER_TASK, command)
        for thread in (first, second):
            self.assertEqual(rpc.status(thread)["activeFlags"], ["waitingOnApproval"])
        screen.key("APPR", threadKey=keys[first])
        self.assertEqual(rpc.finish(first), "completed")
        self.assertFalse(unmade.exists())

    def test_answered_by_another_client_first(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting_on(screen, codex, rpc)
        rpc.answer(rpc.asked("item/commandExecution/requestApproval"), decision="decline")
        self.assertIn(screen.refused("APPR"), (ANSWERED, NOTHING_WAITS))
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertFalse(made.exists())

    def test_the_turn_is_interrupted_while_it_waits(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting_on(screen, codex, rpc)
        rpc.call("turn/interrupt", threadId=thread, turnId="")
        self.assertEqual(rpc.finish(thread), "interrupted")
        screen.slot(thread, "idle")
        self.assertEqual(screen.refused("APPR"), NOTHING_WAITS)
        self.assertFalse(made.exists())

    def test_a_task_that_is_archived_between_opening_and_pressing(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting(codex, rpc)
        slot = screen.open(thread, "awaiting-approval")
        rpc.call("thread/archive", threadId=thread)
        screen.gone(thread)
        self.assertIn(screen.refused("APPR"), (GONE, NO_TASK))
        self.assertEqual(screen.sentence(kind="agent", slot=slot["id"], threadKey=slot["threadKey"], act=1), GONE)
        self.assertFalse(made.exists())

    def test_a_task_that_moves_between_keys(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting(codex, rpc)
        slot = screen.slot(thread, "awaiting-approval")
        second, _ = self.waiting(codex, rpc, "make the second", "second")
        screen.slot(second)
        # The slot in the command is where the screen saw the task; its key is what counts.
        wrong = (slot["id"] + 3) % 6
        self.assertTrue(screen.ask(kind="agent", slot=wrong, threadKey=slot["threadKey"], act=1)["ok"])
        screen.selected(thread)
        screen.key("APPR")
        wait_until(made.exists, "the file of the task that was meant")

    def test_a_task_with_two_prompts_at_once(self):
        """A press answers the older one; the other stays as it is."""
        codex, rpc, node, screen = self.trio()
        first, second = ({"exec": {"cmd": f"touch {codex.folder / name}", "escalate": True}} for name in ("first", "second"))
        codex.model.script({"match": "make two", **first, "also": second}, {"match": "make two", "text": "That was all."})
        thread = rpc.start(codex.folder)
        rpc.turn(thread, "make two")
        older, younger = (rpc.asked("item/commandExecution/requestApproval") for _ in range(2))
        made, unmade = (codex.folder / ("first" if "first" in request["params"]["command"] else "second") for request in (older, younger))
        screen.open(thread, "awaiting-approval")
        screen.key("APPR")
        self.assertEqual(rpc.next("serverRequest/resolved")["requestId"], older["id"])
        wait_until(made.exists, "the file of the older prompt")
        screen.slot(thread, "awaiting-approval")
        self.assertFalse(unmade.exists())
        screen.key("REJ")
        self.assertEqual(rpc.next("serverRequest/resolved")["requestId"], younger["id"])
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertFalse(unmade.exists())
        self.assertEqual(screen.refused("APPR"), NOTHING_WAITS)


class DeadDaemonTests(AppServerTest):
    def test_killed_between_press_and_result(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting_on(screen, codex, rpc)
        codex.freeze()
        request = screen.send(kind="keycap", keycapId="APPR")
        wait_until(lambda: node.status()["relay"]["commands"] >= 3, "the press to reach the node")
        started = time.monotonic()
        codex.kill()
        result = screen.result(request)
        self.assertLess(time.monotonic() - started, PATIENCE)
        self.assertFalse(result["ok"])
        self.assertNotEqual(result["error"], NOTHING_WAITS)
        self.assertFalse(made.exists())
        self.await_loss(node)
        # The next daemon's first request has the number that the killed one's had; the old press must not answer it.
        codex.serve()
        self.await_link(node)
        rpc = codex.rpc()
        second, unmade = self.waiting(codex, rpc, "make another", "another")
        self.assertEqual(rpc.asked("item/commandExecution/requestApproval")["id"], 0)
        screen.slot(second, "awaiting-approval")
        self.assertEqual(rpc.status(second)["activeFlags"], ["waitingOnApproval"])
        self.assertFalse(unmade.exists())
        screen.open(second)
        screen.key("APPR")
        self.assertEqual(rpc.finish(second), "completed")
        self.assertTrue(unmade.exists())

    def test_a_daemon_that_says_nothing(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting_on(screen, codex, rpc)
        codex.freeze()
        started = time.monotonic()
        result = screen.ask(kind="keycap", keycapId="APPR")
        self.assertFalse(result["ok"], result)
        self.assertLess(time.monotonic() - started, PATIENCE)

    def test_restarted_while_nobody_presses(self):
        codex, rpc, node, screen = self.trio()
        thread = rpc.work(codex.folder, "hello there")
        waiting, made = self.waiting(codex, rpc)
        screen.slot(thread, "complete")
        screen.slot(waiting, "awaiting-approval")
        codex.kill()
        self.await_loss(node)
        # The sessions are still on the board, from their files; the one that waited cannot be answered any more.
        screen.slot(thread)
        screen.open(waiting)
        self.assertNotEqual(screen.refused("APPR"), "")
        codex.serve()
        link = self.await_link(node)
        self.assertEqual(link["loaded"], 0)
        rpc = codex.rpc()
        rpc.settings(thread)
        rpc.turn(thread, "and again")
        self.assertEqual(rpc.finish(thread), "completed")
        screen.slot(thread, "complete")
        self.assertFalse(made.exists())

    def test_many_restarts_leave_nothing_behind(self):
        codex, rpc, node, screen = self.trio()
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        before = node.running.descriptors()
        for _ in range(5):
            codex.kill()
            self.await_loss(node)
            codex.serve()
            self.await_link(node)
        wait_until(lambda: node.running.descriptors() <= before + 2, "the descriptors of the old connections to go")
        lines = [line for line in node.log.splitlines() if "daemon" in line.lower() and "debug" not in line.lower()]
        self.assertLess(len(lines), 25, json.dumps(lines, indent=1))


class TogetherTests(AppServerTest):
    def test_many_presses_at_once(self):
        """Each screen approves its own task, all in the same moment."""
        codex, rpc, node, screen = self.trio()
        tasks = [self.waiting(codex, rpc, f"make number {number}", f"made-{number}") for number in range(4)]
        screens = [screen, *(self.screen(node, f"screen-{number}") for number in range(1, 4))]
        for each, (thread, _) in zip(screens, tasks):
            each.open(thread, "awaiting-approval")
        failures = []

        def approve(each):
            result = each.ask(kind="keycap", keycapId="APPR")
            if not result["ok"]:
                failures.append(result)
        threads = [threading.Thread(target=approve, args=(each,)) for each in screens]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(failures, [])
        for thread, path in tasks:
            self.assertEqual(rpc.finish(thread), "completed")
            self.assertTrue(path.exists())
