"""What each key does to a task, checked where it shows: in the daemon, at the model, in the files."""

from app_server_case import AppServerTest, NO_DESKTOP, NOTHING_WAITS, WORKING
from deck import wait_until

SMART = "gpt-5.5"
"""A model of the daemon's own list, so that efforts and tiers are known; the usual one of these tests is not in it."""


class KeyTests(AppServerTest):
    def opened(self, words="hello there", **options):
        """A finished task that is open on a screen."""
        codex, rpc, node, screen = self.trio(**options)
        thread = rpc.work(codex.folder, words)
        screen.slot(thread, "complete")
        screen.open(thread)
        return codex, rpc, node, screen, thread

    def next_request(self, codex, rpc, thread, words):
        """Lets the task work once more and returns what the model was asked."""
        rpc.turn(thread, words)
        self.assertEqual(rpc.finish(thread), "completed")
        return codex.model.wait_for(words)

    # Approvals

    def test_approve_and_reject(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting_on(screen, codex, rpc, "make the first", "first")
        screen.key("APPR")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertTrue(made.exists())
        self.assertEqual(screen.refused("REJ"), NOTHING_WAITS)
        thread, made = self.waiting_on(screen, codex, rpc, "make the second", "second")
        screen.key("REJ")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertFalse(made.exists())
        self.assertIn("rejected by user", self.outputs(codex, "make the second")[0])
        self.assertEqual(screen.refused("APPR"), NOTHING_WAITS)

    def test_a_change_by_the_patch_tool(self):
        codex, rpc, node, screen = self.trio(model=SMART)
        patch = "*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch"
        codex.model.script({"match": "patch it", "call": {"name": "apply_patch", "input": patch}}, {"match": "patch it", "text": "Done."})
        thread = rpc.start(codex.folder)
        rpc.turn(thread, "patch it")
        screen.slot(thread, "awaiting-approval")
        screen.open(thread)
        screen.key("APPR")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertEqual((codex.folder / "hello.txt").read_text(), "hello\n")

    # Speed, effort, plan mode

    def test_fast(self):
        codex, rpc, node, screen, thread = self.opened(model=SMART)
        screen.key("FAST")
        self.assertEqual(rpc.settings(thread)["serviceTier"], "priority")
        self.assertEqual(self.next_request(codex, rpc, thread, "quickly")["tier"], "priority")
        screen.open(thread)
        screen.key("FAST")
        self.assertIn(rpc.settings(thread)["serviceTier"], ("default", None))
        self.assertIsNone(self.next_request(codex, rpc, thread, "at leisure")["tier"])

    def test_fast_outlives_the_daemon(self):
        """A daemon that takes a task up again has forgotten its tier; the owner has not."""
        codex, rpc, node, screen, thread = self.opened(model=SMART)
        screen.key("FAST")
        codex.kill()
        self.await_loss(node)
        codex.serve()
        self.await_link(node)
        rpc = codex.rpc()
        rpc.settings(thread)
        wait_until(lambda: rpc.settings(thread)["serviceTier"] == "priority", "the tier to be set again")

    def test_effort(self):
        codex, rpc, node, screen, thread = self.opened(model=SMART)
        model, = [model for model in rpc.call("model/list")["data"] if model["model"] == SMART]
        efforts = [effort["reasoningEffort"] for effort in model["supportedReasoningEfforts"]]
        at = efforts.index(model["defaultReasoningEffort"])

        def effort():
            return rpc.settings(thread)["reasoningEffort"]
        for expected in efforts[at + 1:]:
            screen.key("MIND+")
            self.assertEqual(effort(), expected)
        screen.key("MIND+")
        self.assertEqual(effort(), efforts[-1], "the end of the list is no error, and nothing changes")
        self.assertEqual(self.next_request(codex, rpc, thread, "think hard")["effort"], efforts[-1])
        screen.open(thread)
        for expected in reversed(efforts[:-1]):
            screen.key("MIND-")
            self.assertEqual(effort(), expected)
        screen.key("MIND-")
        self.assertEqual(effort(), efforts[0])
        for direction, expected in (("increase", efforts[1]), ("decrease", efforts[0])):
            self.assertTrue(screen.ask(kind="reasoning", direction=direction)["ok"])
            self.assertEqual(effort(), expected)
        self.assertEqual(self.next_request(codex, rpc, thread, "think little")["effort"], efforts[0])

    def test_effort_of_a_model_that_offers_none(self):
        codex, rpc, node, screen, thread = self.opened()
        before = rpc.settings(thread)["reasoningEffort"]
        self.assertNotEqual(screen.refused("MIND+"), "")
        self.assertEqual(rpc.settings(thread)["reasoningEffort"], before)

    def test_plan_mode(self):
        codex, rpc, node, screen, thread = self.opened(model=SMART)
        screen.key("MIND+")
        effort = rpc.settings(thread)["reasoningEffort"]
        for mode in ("plan", "default"):
            screen.push("up")
            settings = rpc.settings(thread)
            self.assertEqual(settings["collaborationMode"]["mode"], mode)
            self.assertEqual((settings["model"], settings["reasoningEffort"]), (SMART, effort), "what was chosen stays")

    # New tasks

    def test_split(self):
        codex, rpc, node, screen, thread = self.opened()
        screen.key("SPLIT")
        fork = screen.selected(besides={thread})
        made = rpc.call("thread/read", threadId=fork)["thread"]
        self.assertEqual((made["forkedFromId"], made["ephemeral"], made["cwd"]), (thread, False, str(codex.folder)))
        # What comes next happens in the fork, which knows what was said before.
        rpc.settings(fork)
        rpc.turn(fork, "in the fork")
        self.assertEqual(rpc.finish(fork), "completed")
        self.assertIn("hello there", str(codex.asked(fork)[-1]["input"]))

    def test_party(self):
        codex, rpc, node, screen, thread = self.opened()
        files = list(codex.home.codex.rglob("rollout-*"))
        screen.key("PARTY")
        chat = screen.selected(besides={thread})
        self.assertTrue(rpc.call("thread/read", threadId=chat)["thread"]["ephemeral"])
        self.assertEqual(rpc.next("thread/started", 5)["thread"]["id"], thread)
        announced = rpc.next("thread/started", 5)["thread"]
        self.assertEqual((announced["id"], announced["forkedFromId"]), (chat, thread))
        self.assertEqual(list(codex.home.codex.rglob("rollout-*")), files, "a side chat is kept nowhere")
        screen.slot(chat)

    def test_new_beside_a_task(self):
        codex, rpc, node, screen, thread = self.opened()
        screen.key("NEW")
        new = screen.selected(besides={thread})
        made = rpc.call("thread/read", threadId=new)["thread"]
        self.assertEqual((made["cwd"], made["forkedFromId"], made["ephemeral"]), (str(codex.folder), None, False))
        self.assertEqual(rpc.status(thread), {"type": "idle"})

    def test_new_without_a_task(self):
        codex, rpc, node, screen = self.trio()
        screen.key("NEW")
        first = screen.selected()
        self.assertEqual(rpc.call("thread/read", threadId=first)["thread"]["cwd"], str(codex.home.path))
        node.run("config", "set", "newTask.folder", codex.folder)
        # With a task open its folder counts, so that is another screen, which has none.
        rpc.call("thread/archive", threadId=first)
        screen.gone(first)
        screen.key("NEW")
        second = screen.selected(besides={first})
        self.assertEqual(rpc.call("thread/read", threadId=second)["thread"]["cwd"], str(codex.folder))

    # Words

    def test_codex_sends_the_draft(self):
        codex, rpc, node, screen, thread = self.opened()
        self.assertIn("draft", screen.refused("CODEX"))
        node.run("compose", "Now write the tests.")
        screen.key("CODEX")
        codex.model.wait_for("Now write the tests.")
        self.assertEqual(rpc.finish(thread), "completed")
        # It was sent once and is gone.
        self.assertIn("There is no draft", node.refusal("compose", "--show"))
        screen.open(thread)
        self.assertIn("draft", screen.refused("CODEX"))

    def test_codex_adds_to_a_running_turn(self):
        codex, rpc, node, screen = self.trio()
        thread = self.working(codex, rpc)
        node.run("compose", "-", stdin="And mind the edges.\n")
        screen.slot(thread, "working")
        screen.open(thread)
        screen.key("CODEX")
        codex.model.wait_for("And mind the edges.")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertEqual([message["method"] for message in rpc.notifications].count("turn/started"), 1)

    def test_a_draft_for_a_task_that_the_daemon_does_not_hold_any_more(self):
        codex, rpc, node, screen, thread = self.opened()
        codex.kill()
        self.await_loss(node)
        codex.serve()
        self.await_link(node)
        node.run("compose", "Are you still there?")
        screen.slot(thread)
        screen.open(thread)
        result = screen.ask(kind="keycap", keycapId="CODEX")
        if result["ok"]:
            codex.model.wait_for("Are you still there?")
        else:
            self.assertEqual(node.run("compose", "--show").out.strip(), "Are you still there?", "what was not sent is kept")

    def test_commit_and_pull_request(self):
        codex, rpc, node, screen, thread = self.opened()
        node.run("config", "set", "prompts.pullRequest", "Open a request titled Tests.")
        default = node.run("config", "get", "prompts.commit").out.strip()
        for keycap, words in (("GIT", default), ("PR", "Open a request titled Tests.")):
            screen.key(keycap)
            codex.model.wait_for(words)
            self.assertEqual(rpc.finish(thread), "completed")
            screen.open(thread)

    # The board

    def test_delete(self):
        codex, rpc, node, screen, thread = self.opened()
        self.assertTrue(codex.rollout(thread))
        screen.key("DEL")
        screen.gone(thread)
        wait_until(lambda: codex.rollout(thread, archived=True), "the archived session")
        self.assertIsNone(codex.rollout(thread))
        self.assertEqual(rpc.loaded(), [])

    def test_delete_never_cuts_a_turn(self):
        codex, rpc, node, screen = self.trio()
        thread = self.working(codex, rpc)
        screen.slot(thread, "working")
        screen.open(thread)
        self.assertEqual(screen.refused("DEL"), WORKING)
        self.assertEqual(rpc.status(thread)["type"], "active")
        waiting, _ = self.waiting_on(screen, codex, rpc)
        self.assertEqual(screen.refused("DEL"), WORKING)
        self.assertEqual(rpc.status(waiting)["activeFlags"], ["waitingOnApproval"])

    def test_pin(self):
        codex, rpc, node, screen, thread = self.opened()

        def pins():
            return [pin.rsplit(":", 1)[-1] for pin in node.json("slots")["pins"]]
        screen.key("MAGIC")
        self.assertEqual(pins(), [thread])
        screen.key("MAGIC")
        self.assertEqual(pins(), [])

    # Moving about

    def test_history_and_next_key(self):
        codex, rpc, node, screen = self.trio()
        tasks = [rpc.work(codex.folder, f"task {number}") for number in range(3)]
        for thread in tasks:
            screen.slot(thread, "complete")
        for thread in tasks:
            screen.open(thread)
            screen.selected(thread)
        screen.push("left")
        screen.selected(tasks[1])
        screen.push("left")
        screen.selected(tasks[0])
        screen.push("right")
        screen.selected(tasks[1])
        slots = screen.see(lambda snapshot: True, "a snapshot")["slots"]
        order = [slot["threadKey"].rsplit(":", 1)[-1] for slot in slots if slot["threadKey"]]
        screen.push("down")
        self.assertEqual(screen.selected(besides={tasks[1]}), order[(order.index(tasks[1]) + 1) % len(order)])

    def test_encoder(self):
        codex, rpc, node, screen = self.trio()
        thread = self.asking(codex, rpc)
        screen.slot(thread, "awaiting-response")
        screen.open(thread)
        screen.press(kind="encoder")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertIn("Blue", self.outputs(codex, "ask me")[0])
        # With nothing to answer it opens the task in a terminal of the desktop, and there is no desktop here.
        screen.open(thread)
        self.assertEqual(screen.sentence(kind="encoder", act=1), NO_DESKTOP)

    # The six lower keys

    def test_actions(self):
        codex, rpc, node, screen, thread = self.opened(model=SMART)

        def act(slot):
            screen.press(kind="action", slot=slot)
        act("ACT06")
        self.assertEqual(rpc.settings(thread)["serviceTier"], "priority")
        node.run("compose", "The draft of the last key.")
        act("ACT12")
        codex.model.wait_for("The draft of the last key.")
        self.assertEqual(rpc.finish(thread), "completed")
        screen.open(thread)
        act("ACT09")
        fork = screen.selected(besides={thread})
        self.assertEqual(rpc.call("thread/read", threadId=fork)["thread"]["forkedFromId"], thread)
        act("ACT10_ACT11")
        new = screen.selected(besides={thread, fork})
        self.assertIsNone(rpc.call("thread/read", threadId=new)["thread"]["forkedFromId"])
        for slot, words, made in (("ACT07", "make the first", True), ("ACT08", "make the second", False)):
            waiting, path = self.waiting_on(screen, codex, rpc, words, words.rsplit(" ", 1)[-1])
            act(slot)
            self.assertEqual(rpc.finish(waiting), "completed")
            self.assertEqual(path.exists(), made, slot)

    def test_an_action_does_what_the_layout_says(self):
        codex, rpc, node, screen, thread = self.opened()
        node.run("layout", "set", "ACT06", "MAGIC")
        screen.see(lambda snapshot: snapshot["layout"]["slots"]["ACT06"]["keycapId"] == "MAGIC", "the new layout")
        screen.press(kind="action", slot="ACT06")
        self.assertEqual(len(node.json("slots")["pins"]), 1)
