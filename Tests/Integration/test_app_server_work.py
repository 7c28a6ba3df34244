"""Keys that look at a task's work or take it away: reviews, the owner's command, the conversation as a file."""

import json

from app_server_case import AppServerTest, NO_TASK, WORKING
from deck import wait_for


class ReviewTests(AppServerTest):
    def reviewed(self, keycap, setup=None):
        """Presses a key of the reviews; returns what the model was asked and what the task's items were."""
        codex, rpc, node, screen = self.trio()
        thread = rpc.work(codex.folder, "hello there")
        if setup:
            setup(codex, node)
        screen.slot(thread, "complete")
        screen.open(thread)
        rpc.notifications.clear()
        before = len(codex.model.requests())
        screen.key(keycap)
        self.assertEqual(rpc.finish(thread), "completed")
        requests = codex.model.requests()[before:]
        items = [message["params"]["item"]["type"] for message in rpc.notifications
                 if message["method"] == "item/completed" and message["params"]["threadId"] == thread]
        self.assertIn("enteredReviewMode", items)
        self.assertIn("exitedReviewMode", items)
        # The helper that reviews is no task of its own.
        snapshot = screen.see(lambda snapshot: snapshot["slots"][0]["status"] in ("complete", "idle"), "the end of the review")
        self.assertEqual([bool(slot["threadKey"]) for slot in snapshot["slots"]], [True] + 5 * [False])
        return codex, " ".join(request["user"] for request in requests)

    def test_uncommitted_changes(self):
        _, words = self.reviewed("DIFF")
        self.assertIn("staged, unstaged, and untracked", words)

    def test_against_the_base_branch(self):
        codex, words = self.reviewed("BRCH")
        self.assertIn("base branch 'main'", words)
        self.assertIn(codex.git("merge-base", "main", "HEAD").strip(), words)

    def test_against_the_branch_that_the_owner_names(self):
        def other(codex, node):
            codex.git("branch", "release", "main")
            node.run("config", "set", "review.baseBranch", "release")
        _, words = self.reviewed("BRCH", other)
        self.assertIn("base branch 'release'", words)

    def test_from_the_merge_base(self):
        codex, words = self.reviewed("MRG")
        self.assertTrue("merge base" in words or codex.git("merge-base", "main", "HEAD").strip() in words, words)

    def test_never_cuts_a_turn(self):
        codex, rpc, node, screen = self.trio()
        thread = self.working(codex, rpc)
        screen.slot(thread, "working")
        screen.open(thread)
        for keycap in ("DIFF", "BRCH", "MRG"):
            self.assertEqual(screen.refused(keycap), WORKING, keycap)
        self.assertEqual(rpc.status(thread)["type"], "active")
        self.assertEqual([message for message in rpc.notifications if message["method"] == "turn/completed"], [])


class OwnCommandTests(AppServerTest):
    def test_nothing_is_set(self):
        codex, rpc, node, screen = self.trio()
        thread = rpc.work(codex.folder, "hello")
        screen.open(thread)
        self.assertIn("play.command", screen.refused("PLAY"))

    def test_it_runs_in_the_folder_of_the_task(self):
        codex, rpc, node, screen = self.trio(sandbox="workspace-write")
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        node.run("config", "set", "play.command", "sh -c 'echo \"it ran\" > played'")
        screen.open(thread)
        screen.key("PLAY")
        self.assertEqual((codex.folder / "played").read_text(), "it ran\n")

    def test_it_fails(self):
        codex, rpc, node, screen = self.trio(sandbox="workspace-write")
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        screen.open(thread)
        node.run("config", "set", "play.command", "sh -c 'exit 3'")
        self.assertIn("3", screen.refused("PLAY"))
        node.run("config", "set", "play.command", "no-such-program-anywhere")
        self.assertNotEqual(screen.refused("PLAY"), "")

    def test_it_runs_in_the_sandbox(self):
        """A task that may not write cannot be made to by this key."""
        codex, rpc, node, screen = self.trio(sandbox="read-only")
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        screen.open(thread)
        node.run("config", "set", "play.command", "test -d .")
        screen.key("PLAY")
        node.run("config", "set", "play.command", "touch played")
        self.assertNotEqual(screen.refused("PLAY"), "")
        self.assertFalse((codex.folder / "played").exists())


class ConversationTests(AppServerTest):
    def test_it_becomes_a_file(self):
        codex, rpc, node, screen = self.trio()
        codex.model.script({"match": "three lines", "text": "One,\ntwo,\nthree."})
        thread = rpc.work(codex.folder, "Write three lines")
        screen.slot(thread, "complete")
        self.assertEqual(screen.refused("DWN"), NO_TASK)
        screen.open(thread)
        screen.key("DWN")
        file, = wait_for(lambda: self.documents(codex), lambda found: len(found) == 1, "the file")
        text = file.read_text()
        self.assertLess(text.index("Write three lines"), text.index("One,\ntwo,\nthree."))
        self.assertEqual(file.stat().st_mode & 0o077, 0, "nobody else reads it")

    def documents(self, codex):
        """The Markdown files below the home, outside of what Codex keeps itself and of the work."""
        return [path for path in codex.home.path.rglob("*.md") if codex.home.codex not in path.parents and codex.folder not in path.parents]

    def test_an_observed_one_too(self):
        """The conversation of a session that the daemon does not hold is in its file, and reading it changes nothing."""
        codex = self.codex()
        node = self.node_beside(codex)
        screen = self.screen(node)
        codex.model.script({"match": "count", "text": "One, two."})
        codex.exec("count to two")
        slot = screen.only("complete")
        thread = slot["threadKey"].rsplit(":", 1)[-1]
        before = codex.rollout(thread).read_bytes()
        screen.open(thread)
        result = screen.ask(kind="keycap", keycapId="DWN")
        if result["ok"]:
            file, = self.documents(codex)
            self.assertIn("One, two.", file.read_text())
        else:
            self.assertNotEqual(result["error"], "")
        self.assertTrue(codex.rollout(thread).read_bytes().startswith(before))
        self.assertEqual(codex.rpc().loaded(), [])


class SnapshotSecrecyTests(AppServerTest):
    def test_no_snapshot_holds_more_than_titles(self):
        codex, rpc, node, screen = self.trio()
        codex.model.script({"match": "first line", "exec": {"cmd": "touch /canary-command", "escalate": True, "justification": "canary-reason"}},
                           {"match": "first line", "text": "canary-answer"})
        thread = rpc.start(codex.folder)
        rpc.turn(thread, "The first line\ncanary-prompt")
        seen = [screen.see(lambda snapshot: snapshot["slots"][0]["status"] == "awaiting-approval", "the prompt")]
        screen.open(thread)
        screen.key("REJ")
        rpc.finish(thread)
        seen.append(screen.see(lambda snapshot: snapshot["slots"][0]["status"] in ("complete", "idle"), "the end"))
        self.assertEqual(seen[0]["slots"][0]["title"], "The first line")
        text = json.dumps(seen) + node.log
        for canary in ("canary-command", "canary-reason", "canary-answer", "canary-prompt", str(codex.folder)):
            self.assertNotIn(canary, text)
