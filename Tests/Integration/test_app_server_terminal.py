"""An approval on the screen of an interactive `codex`, answered from another screen: the prompt closes by itself, and what it asked for is done."""

import threading

from app_server_case import ANSWERED, AppServerTest, NOTHING_WAITS, OBSERVED_ONLY, PATCH, QUESTION, WORKING
from deck import wait_for, wait_until

PROMPT = "Would you like to"


class TerminalTests(AppServerTest):
    def begin(self, *words, **options):
        """A daemon, a node, a screen, and an interactive codex that takes words."""
        codex = self.codex(**options)
        node = self.node_beside(codex)
        screen = self.screen(node)
        return codex, node, screen, codex.tui(*words).ready()

    def task_with(self, screen, status):
        """The id of the only task that has that status."""
        return screen.only(status)["threadKey"].rsplit(":", 1)[-1]

    def closed(self, tui, words):
        """Waits until the terminal shows no prompt any more and the model's words."""
        tui.wait_for(lambda text: PROMPT not in text and words in text)

    def test_a_command_is_approved(self):
        codex, node, screen, tui = self.begin()
        made = self.ask_to_make(codex, "make it please", "made")
        tui.say("make it please")
        task = self.task_with(screen, "awaiting-approval")
        tui.wait_for(PROMPT)
        self.assertFalse(made.exists())
        screen.open(task)
        screen.key("APPR")
        wait_until(made.exists, "the file that the command makes")
        self.closed(tui, "It is made.")
        slot = screen.slot(task, "complete", "idle")
        self.assertEqual(slot["title"], "make it please")
        self.assertEqual(slot["contextUsedPercent"], 50)
        self.assertEqual(screen.refused("APPR"), NOTHING_WAITS)

    def test_a_command_is_declined(self):
        codex, node, screen, tui = self.begin()
        made = self.ask_to_make(codex, "make it please", "made", "Then not.")
        tui.say("make it please")
        screen.open(self.task_with(screen, "awaiting-approval"))
        tui.wait_for(PROMPT)
        screen.key("REJ")
        self.closed(tui, "Then not.")
        self.assertFalse(made.exists())
        output, = self.outputs(codex, "make it please")
        self.assertIn("rejected by user", output)

    def change_a_file(self, keycap, words):
        codex, node, screen, tui = self.begin()
        patch = PATCH.format(name="hello.txt", text="hello")
        codex.model.script({"match": "write it", "exec": {"cmd": f"apply_patch <<'EOF'\n{patch}EOF\n"}}, {"match": "write it", "text": words})
        tui.say("write it")
        screen.open(self.task_with(screen, "awaiting-approval"))
        tui.wait_for(PROMPT)
        screen.key(keycap)
        self.closed(tui, words)
        return codex, codex.folder / "hello.txt"

    def test_a_file_change_is_approved(self):
        _, path = self.change_a_file("APPR", "It is written.")
        self.assertEqual(path.read_text(), "hello\n")

    def test_a_file_change_is_declined(self):
        codex, path = self.change_a_file("REJ", "Then not.")
        self.assertFalse(path.exists())
        self.assertIn("rejected", self.outputs(codex, "write it")[0])

    def test_a_question_is_answered_with_its_first_option(self):
        codex, node, screen, tui = self.begin()
        codex.model.script({"match": "ask me", "call": QUESTION}, {"match": "ask me", "text": "Thank you."})
        # Until its first turn the terminal may lose a change of the mode.
        tui.say("hello")
        tui.wait_for("Worked for")
        tui.terminal.type("BTab")
        tui.wait_for("Plan mode (")
        tui.say("ask me")
        task = self.task_with(screen, "awaiting-response")
        tui.wait_for("Which colour?")
        screen.open(task)
        self.assertEqual(screen.refused("APPR"), NOTHING_WAITS)
        screen.press(kind="encoder")
        tui.wait_for(lambda text: "Which colour?" not in text and "Thank you." in text)
        output, = self.outputs(codex, "ask me")
        self.assertIn("Blue", output)
        self.assertNotIn("Red", output)

    def test_of_two_waiting_tasks_only_the_opened_one_is_answered(self):
        codex, node, screen, tui = self.begin()
        client = codex.rpc()
        other, kept = self.waiting(codex, client, "make the other", "other")
        made = self.ask_to_make(codex, "make it please", "made")
        tui.say("make it please")
        tui.wait_for(PROMPT)
        board = screen.see(lambda snapshot: [slot["status"] for slot in snapshot["slots"]].count("awaiting-approval") == 2, "two waiting tasks")
        task, = [slot["threadKey"].rsplit(":", 1)[-1] for slot in board["slots"] if slot["threadKey"] and other not in slot["threadKey"]]
        screen.open(task)
        screen.key("APPR")
        wait_until(made.exists, "the file of the opened task")
        self.closed(tui, "It is made.")
        screen.slot(other, "awaiting-approval")
        self.assertEqual(client.status(other), {"type": "active", "activeFlags": ["waitingOnApproval"]})
        self.assertFalse(kept.exists())
        # And then the other one, which the terminal does not even show.
        screen.open(other)
        screen.key("APPR")
        wait_until(kept.exists, "the file of the other task")
        self.assertEqual(client.finish(other), "completed")

    def test_answered_in_the_terminal_first(self):
        codex, node, screen, tui = self.begin()
        made = self.ask_to_make(codex, "make it please", "made")
        tui.say("make it please")
        task = self.task_with(screen, "awaiting-approval")
        tui.wait_for(PROMPT)
        screen.open(task)
        tui.terminal.type("y")
        screen.slot(task, "working", "complete", "idle")
        self.assertIn(screen.refused("REJ"), (NOTHING_WAITS, ANSWERED))
        wait_until(made.exists, "the file that the terminal allowed")

    def test_answered_in_the_terminal_at_the_same_moment(self):
        codex, node, screen, tui = self.begin()
        made = self.ask_to_make(codex, "make it please", "made")
        tui.say("make it please")
        task = self.task_with(screen, "awaiting-approval")
        tui.wait_for(PROMPT)
        screen.open(task)
        key = threading.Thread(target=tui.terminal.type, args=("y",))
        key.start()
        result = screen.ask(kind="keycap", keycapId="REJ")
        key.join(10)
        output = wait_for(lambda: self.outputs(codex, "make it please"), bool, "the command's output")
        self.assertEqual(len(output), 1)
        if result["ok"]:
            self.assertIn("rejected by user", output[0])
            self.assertFalse(made.exists())
        else:
            self.assertIn(result["error"], (ANSWERED, NOTHING_WAITS))
            self.assertTrue(made.exists())


class WatchedOnlyTests(AppServerTest):
    """Sessions that the daemon does not hold: their files show them, and nothing can be done about them from here."""

    def described(self, node, thread):
        return next((task for task in node.status()["board"] if task["id"] == thread), None)

    def test_a_terminal_with_a_server_of_its_own(self):
        codex = self.codex()
        node = self.node_beside(codex)
        screen = self.screen(node)
        made = self.ask_to_make(codex, "make it please", "made")
        tui = codex.tui("-c", 'model_verbosity="low"').ready()
        tui.say("make it please")
        tui.wait_for(PROMPT)
        task = screen.only("working", "awaiting-approval")["threadKey"].rsplit(":", 1)[-1]
        facts = self.described(node, task)
        self.assertEqual(facts["source"], "rollout")
        self.assertTrue(facts["observedOnly"])
        screen.open(task)
        node.run("compose", "Go on.")
        for keycap in ("APPR", "REJ", "FAST", "MIND+", "CODEX"):
            self.assertEqual(screen.refused(keycap), OBSERVED_ONLY, keycap)
        for keycap in ("DEL", "DIFF"):
            self.assertIn(screen.refused(keycap), (OBSERVED_ONLY, WORKING), keycap)
        self.assertIn(PROMPT, tui.text())
        self.assertFalse(made.exists())
        tui.terminal.type("y")
        self.closed_and_made(tui, made)
        screen.slot(task, "complete", "idle")

    def closed_and_made(self, tui, path):
        wait_until(path.exists, "the file that the terminal allowed")
        tui.wait_for("It is made.")

    def test_codex_exec(self):
        codex = self.codex()
        node = self.node_beside(codex)
        screen = self.screen(node)
        codex.model.script({"match": "count", "hang": True})
        codex.exec("count for ever")
        task = screen.only("working")["threadKey"].rsplit(":", 1)[-1]
        self.assertEqual(self.described(node, task)["source"], "rollout")
        screen.open(task)
        self.assertEqual(screen.refused("APPR"), OBSERVED_ONLY)
        self.assertIn(screen.refused("DEL"), (OBSERVED_ONLY, WORKING))
        # Whatever the node did to learn all this, it did not make the daemon take the session over.
        self.assertEqual(codex.rpc().loaded(), [])
