"""The same with an older version of the CLI: what it can do works, and what it cannot is said."""

from app_server import CODEX, CODEX_OLDER
from app_server_case import AppServerTest, NOTHING_WAITS
from deck import wait_for


class VersionTests:
    """Runs with each version; its daemon is started by hand, for older ones have no other."""

    binary = None
    missing = ()
    """Words of the sentences that tell what this version lacks."""

    def setUp(self):
        super().setUp()
        self.assertTrue(self.binary, "CODEX_BINARY_OLDER must name an older Codex binary; CODEX_TEST_VERSION=0.149.0 scripts/fetch-codex gets it.")

    def begin(self, **options):
        return self.trio(binary=self.binary, **options)

    def test_the_link(self):
        codex, rpc, node, screen = self.begin()
        version = codex.command("--version").split()[-1]
        link = node.status()["sources"]["appServer"]
        self.assertIn(version, link["userAgent"])
        thread = rpc.work(codex.folder, "hello there")
        slot = screen.slot(thread, "complete")
        self.assertEqual((slot["title"], slot["contextUsedPercent"]), ("hello there", 50))
        screen.open(thread)
        screen.slot(thread, "idle")
        link = wait_for(lambda: node.status()["sources"]["appServer"], lambda link: len(link["missing"]) == len(self.missing), "what it lacks")
        for words, sentence in zip(self.missing, link["missing"]):
            self.assertIn(words, sentence)

    def test_approvals(self):
        codex, rpc, node, screen = self.begin()
        for keycap, words, done in (("APPR", "make the first", True), ("REJ", "make the second", False)):
            thread, made = self.waiting_on(screen, codex, rpc, words, words.rsplit(" ", 1)[-1])
            screen.key(keycap)
            self.assertEqual(rpc.finish(thread), "completed")
            self.assertEqual(made.exists(), done)
            self.assertEqual(screen.refused("APPR"), NOTHING_WAITS)

    def test_a_late_subscriber(self):
        """The prompt was there before the node."""
        codex = self.codex(binary=self.binary)
        rpc = codex.rpc()
        thread, made = self.waiting(codex, rpc)
        rpc.asked("item/commandExecution/requestApproval")
        screen = self.screen(self.node_beside(codex))
        screen.slot(thread, "awaiting-approval")
        screen.open(thread)
        screen.key("APPR")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertTrue(made.exists())

    def test_a_question(self):
        codex, rpc, node, screen = self.begin()
        thread = self.asking(codex, rpc)
        screen.slot(thread, "awaiting-response")
        screen.open(thread)
        screen.press(kind="encoder")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertIn("Blue", self.outputs(codex, "ask me")[0])

    def test_settings(self):
        codex, rpc, node, screen = self.begin(model="gpt-5.5")
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        screen.open(thread)
        screen.key("FAST")
        screen.key("MIND+")
        settings = rpc.settings(thread)
        self.assertEqual((settings["serviceTier"], settings["reasoningEffort"]), ("priority", "high"))
        rpc.turn(thread, "go on")
        self.assertEqual(rpc.finish(thread), "completed")
        request = codex.model.wait_for("go on")
        self.assertEqual((request["effort"], request["tier"]), ("high", "priority"))

    def test_fork_and_archive(self):
        codex, rpc, node, screen = self.begin()
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        elsewhere = rpc.call("thread/fork", threadId=thread)["thread"]["id"]
        screen.slot(elsewhere)
        screen.open(thread)
        screen.key("SPLIT")
        fork = screen.selected(besides={thread})
        self.assertEqual(rpc.call("thread/read", threadId=fork)["thread"]["forkedFromId"], thread)
        screen.open(thread)
        screen.key("PARTY")
        chat = screen.selected(besides={thread, fork})
        self.assertTrue(rpc.call("thread/read", threadId=chat)["thread"]["ephemeral"])
        screen.open(thread)
        screen.key("DEL")
        screen.gone(thread)
        self.assertTrue(codex.rollout(thread, archived=True))
        # Older versions write the parent's turns into the fork's file: they are no completion of the fork's.
        self.assertEqual(screen.slot(elsewhere, "idle", "complete")["status"], "idle")

    def test_review(self):
        codex, rpc, node, screen = self.begin()
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        screen.open(thread)
        screen.key("BRCH")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertIn("base branch 'main'", " ".join(request["user"] for request in codex.model.requests()))
        screen.slot(thread, "complete", "idle")
        self.assertEqual([task["id"] for task in node.status()["board"]], [thread])

    def test_new_and_draft(self):
        codex, rpc, node, screen = self.begin()
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        screen.open(thread)
        node.run("compose", "Write the tests.")
        screen.key("CODEX")
        codex.model.wait_for("Write the tests.")
        self.assertEqual(rpc.finish(thread), "completed")
        screen.open(thread)
        screen.key("NEW")
        new = screen.selected(besides={thread})
        self.assertEqual(rpc.call("thread/read", threadId=new)["thread"]["cwd"], str(codex.folder))

    def test_a_restart(self):
        codex, rpc, node, screen = self.begin()
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        codex.kill()
        self.await_loss(node)
        codex.serve()
        self.await_link(node)
        self.assertEqual(node.status()["sources"]["appServer"]["loaded"], 0)
        screen.slot(thread)


class NewestVersionTests(VersionTests, AppServerTest):
    binary = CODEX


class OlderVersionTests(VersionTests, AppServerTest):
    binary = CODEX_OLDER
    missing = ("read",)


class TwoVersionsTests(AppServerTest):
    def test_the_daemon_is_replaced_by_another_version(self):
        """An update of the CLI while the node runs: it goes on with whatever daemon is there."""
        self.assertTrue(CODEX_OLDER, "CODEX_BINARY_OLDER must name an older Codex binary.")
        codex, rpc, node, screen = self.trio(binary=CODEX_OLDER)
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        codex.kill()
        self.await_loss(node)
        codex.binary = CODEX
        codex.serve()
        link = self.await_link(node)
        self.assertNotIn("0.149", link["userAgent"])
        self.assertEqual(link["missing"], [])
        rpc = codex.rpc()
        second, made = self.waiting_on(screen, codex, rpc)
        screen.key("APPR")
        self.assertEqual(rpc.finish(second), "completed")
        self.assertTrue(made.exists())
        screen.slot(thread)
