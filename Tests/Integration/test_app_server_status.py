"""What the node tells of its link to the daemon and of each task's facts, and the commands that go with it."""

import os

from app_server_case import AppServerTest, NO_TASK, OBSERVED_ONLY
from deck import wait_for, wait_until

WITH_DAEMON = ["agent", "action", "joystick", "encoder", "reasoning", "keycap", "usage"]
WITHOUT = ["agent", "usage"]


class LinkTests(AppServerTest):
    def board(self, node, thread):
        return next((task for task in node.status()["board"] if task["id"] == thread), None)

    def capabilities(self, node, expected):
        wait_for(lambda: node.status()["capabilities"], lambda found: sorted(found) == sorted(expected), f"the capabilities {expected}")

    def test_connected(self):
        codex, rpc, node, screen = self.trio()
        finished = rpc.work(codex.folder, "hello there\nand more")
        waiting, _ = self.waiting(codex, rpc)
        screen.slot(finished, "complete")
        screen.slot(waiting, "awaiting-approval")
        link = wait_for(lambda: node.status()["sources"]["appServer"], lambda link: link["threads"] == 2, "two threads")
        self.assertEqual((link["state"], link["loaded"], link["missing"]), ("connected", 2, []))
        self.assertIn("0.163.0", link["userAgent"])
        facts = self.board(node, finished)
        self.assertEqual((facts["source"], facts["title"], facts["status"]), ("app-server", "hello there", "complete"))
        self.assertEqual(facts["facts"]["status"], "app-server")
        self.assertNotIn("observedOnly", facts)
        self.capabilities(node, WITH_DAEMON)
        self.assertEqual(sorted(screen.capabilities), sorted(WITH_DAEMON))

    def test_absent(self):
        codex = self.codex(serve=False)
        node = self.node_beside(codex, connected=False)
        link = self.await_link(node, "absent")
        self.assertTrue(link["reason"])
        self.capabilities(node, WITHOUT)
        screen = self.screen(node)
        self.assertEqual(sorted(screen.capabilities), sorted(WITHOUT))
        self.assertEqual(screen.refused("APPR"), NO_TASK)
        self.assertNotEqual(screen.refused("NEW"), "")
        # It is found as soon as it is there, and lost as soon as it is not.
        codex.serve()
        self.await_link(node)
        self.capabilities(node, WITH_DAEMON)
        codex.kill()
        self.await_loss(node)
        self.capabilities(node, WITHOUT)

    def test_something_else_listens_there(self):
        codex = self.codex(serve=False)
        codex.socket.parent.mkdir(mode=0o700)
        server = self.spawn(["/usr/bin/python3", "-c", "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\ns.listen()\n"
                             "while True:\n    s.accept()[0].sendall(b'HTTP/1.1 400 Bad Request\\r\\n\\r\\n')\n", codex.socket],
                            codex.home.environment, codex.home.path / "other.log")
        wait_until(codex.socket.exists, "the other server")
        node = self.node_beside(codex, connected=False)
        link = self.await_link(node, "failing")
        self.assertTrue(link["reason"])
        self.assertTrue(server.is_running)
        self.capabilities(node, WITHOUT)

    def test_a_task_that_the_daemon_does_not_hold(self):
        codex = self.codex()
        thread = codex.rpc().work(codex.folder, "hello there")
        codex.kill()
        codex.serve()
        node = self.node_beside(codex)
        screen = self.screen(node)
        screen.slot(thread)
        link = node.status()["sources"]["appServer"]
        self.assertEqual(link["loaded"], 0)
        self.assertEqual(self.board(node, thread)["title"], "hello there")
        # To show a task nothing is loaded: its file is as it was.
        self.assertEqual(codex.rpc().loaded(), [])

    def test_titles(self):
        codex, rpc, node, screen = self.trio()
        thread = rpc.work(codex.folder, "a canary in the title")
        self.assertEqual(screen.slot(thread, "complete")["title"], "a canary in the title")
        rpc.call("thread/name/set", threadId=thread, name="The name I chose")
        screen.see(lambda snapshot: snapshot["slots"][0]["title"] == "The name I chose", "the chosen name")
        node.run("config", "set", "titles", "hidden")
        screen.see(lambda snapshot: snapshot["slots"][0]["title"] == f"Codex task {thread[:8]}", "the hidden title")

    def test_helpers_are_no_tasks(self):
        codex, rpc, node, screen = self.trio()
        rpc.work(codex.folder, "make a title", ephemeral=True)
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        self.assertEqual([task["id"] for task in node.status()["board"]], [thread])

    def test_opening_marks_it_read(self):
        codex, rpc, node, screen = self.trio()
        thread = rpc.work(codex.folder, "hello")

        def unread():
            return rpc.call("thread/read", threadId=thread)["readState"]["firstUnread"]
        screen.slot(thread, "complete")
        self.assertIsNotNone(unread())
        screen.open(thread)
        wait_until(lambda: unread() is None, "the mark in the daemon")
        screen.slot(thread, "idle")
        rpc.turn(thread, "again")
        self.assertEqual(rpc.finish(thread), "completed")
        screen.slot(thread, "complete")

    def test_read_elsewhere(self):
        codex, rpc, node, screen = self.trio()
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        state = rpc.call("thread/read", threadId=thread)["readState"]
        rpc.call("thread/readState/update", threadId=thread, expectedRevision=state["revision"], operation={"type": "read"})
        screen.slot(thread, "idle")

    def test_statuses_as_they_come(self):
        codex, rpc, node, screen = self.trio()
        thread = self.working(codex, rpc)
        screen.slot(thread, "working")
        rpc.call("turn/interrupt", threadId=thread, turnId="")
        self.assertEqual(rpc.finish(thread), "interrupted")
        screen.slot(thread, "idle")
        question = self.asking(codex, rpc)
        screen.slot(question, "awaiting-response")
        rpc.call("thread/archive", threadId=question)
        screen.gone(question)
        rpc.call("thread/unarchive", threadId=question)
        screen.slot(question)

    def test_open_and_press_of_the_command_line(self):
        codex, rpc, node, screen = self.trio()
        self.assertEqual(node.refusal("press", "APPR"), NO_TASK)
        thread, made = self.waiting(codex, rpc)
        screen.slot(thread, "awaiting-approval")
        node.run("open", thread)
        self.assertEqual(screen.selected(), thread)
        node.run("press", "APPR")
        wait_until(made.exists, "the file")
        self.assertEqual(rpc.finish(thread), "completed")
        node.run("press", "UP", "--task", thread)
        self.assertEqual(rpc.settings(thread)["collaborationMode"]["mode"], "plan")
        second, made = self.waiting(codex, rpc, "make the second", "second")
        screen.slot(second, "awaiting-approval")
        node.run("press", "ACT07", "--task", second)
        wait_until(made.exists, "the file of the second")
        self.assertIn("credit", node.refusal("press", "RESET"))


class DaemonOfTheCliTests(AppServerTest):
    """The daemon as the CLI starts it, with its own copy of the binary."""

    limit = 90

    def test_it_is_found_and_lost(self):
        codex = self.codex(serve=False)
        codex.start_daemon()
        node = self.node_beside(codex)
        screen, rpc = self.screen(node), codex.rpc()
        thread, made = self.waiting_on(screen, codex, rpc)
        screen.key("APPR")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertTrue(made.exists())
        codex.stop_daemon()
        self.await_link(node, "absent")
        screen.slot(thread)

    def test_the_node_starts_it_when_it_may(self):
        codex = self.codex(serve=False)
        (codex.home.path / "bin").mkdir()
        (codex.home.path / "bin" / "codex").symlink_to(codex.binary)
        node = self.node(codex.home, environment={"PATH": f"{codex.home.path}/bin:{os.environ['PATH']}"})
        node.run("config", "set", "codex.autostart", "true")
        node.start()

        def end():
            # The node first: it would start the daemon again.
            node.running.kill()
            codex.stop_daemon()
        self.addCleanup(end)
        self.await_link(node, seconds=30)
        self.assertEqual(codex.rpc().loaded(), [])


class SettingsTests(AppServerTest):
    def test_config_and_compose(self):
        codex = self.codex(serve=False)
        node = self.node(codex.home)
        keys = [row["key"] for row in node.json("config")]
        self.assertEqual(sorted(keys), sorted([
            "titles", "codex.home", "codex.path", "codex.autostart", "newTask.folder", "prompts.commit", "prompts.pullRequest", "play.command",
            "review.baseBranch", "terminal.command", "agents.session", "agents.model", "agents.effort", "agents.sessionFile", "agents.baseUrl",
            "agents.issuer", "agents.clientId"]))
        node.run("config", "set", "review.baseBranch", "release")
        self.assertEqual(node.run("config", "get", "review.baseBranch").out.strip(), "release")
        node.run("config", "unset", "review.baseBranch")
        self.assertNotEqual(node.run("config", "get", "review.baseBranch").out.strip(), "release")
        node.run("config", "set", "codex.autostart", "perhaps", code=2)
        self.assertIn("There is no draft", node.refusal("compose", "--show"))
        node.run("compose", "Some", "words")
        self.assertEqual(node.run("compose", "--show").out.strip(), "Some words")
        node.run("compose", "-", stdin="Other\nwords\n")
        self.assertEqual(node.run("compose", "--show").out.strip(), "Other\nwords")
        node.run("compose", "--clear")
        self.assertIn("There is no draft", node.refusal("compose", "--show"))

    def test_an_observed_task_keeps_its_sentence_without_a_daemon(self):
        codex = self.codex(serve=False)
        codex.model.script({"match": "count", "hang": True})
        node = self.node_beside(codex, connected=False)
        screen = self.screen(node)
        codex.exec("count for ever")
        thread = screen.only("working")["threadKey"].rsplit(":", 1)[-1]
        screen.open(thread)
        self.assertEqual(screen.refused("APPR"), OBSERVED_ONLY)
