"""The demo: made-up tasks that live through the same host as the node's own agents, and act on every key like them."""

from deck import DeckTest, wait_for, wait_until


class DemoTests(DeckTest):
    def setUp(self):
        super().setUp()
        self.node_ = self.node().start(demo=True)

    def task(self, words):
        return next((task for task in self.node_.json("agents") if words in task["title"]), None)

    def status(self, words):
        return (self.task(words) or {}).get("status")

    def wait(self, words, status, seconds=40):
        wait_for(lambda: self.status(words), lambda now: now == status, f"{words} to be {status}", seconds, 0.1)

    def test_someone_waits_works_and_has_finished(self):
        wanted = {"awaiting-approval", "working", "complete"}
        wait_until(lambda: wanted <= {task["status"] for task in self.node_.json("agents")}, "all that a board can show", 15)
        self.assertTrue(all(task["title"].startswith("Demo: ") and task["source"] == "demo" for task in self.node_.json("agents")))
        self.assertTrue(self.node_.status()["demo"])

    def test_a_no_leads_another_way(self):
        self.wait("login test", "awaiting-approval", 15)
        self.node_.run("open", "login test")
        self.node_.run("press", "REJ")
        self.assertIn("waiting", self.node_.refusal("press", "REJ"), "it was answered")
        self.assertEqual(self.status("login test"), "working")
        self.wait("login test", "complete")
        self.node_.run("open", "login test")
        name = self.node_.run("press", "DWN").out
        text = next(path for path in self.homes[0].path.rglob("*.md")).read_text()
        self.assertIn("I have not run anything", text, name)

    def test_a_question_is_answered_with_its_first_option(self):
        self.wait("release notes", "awaiting-response")
        self.node_.run("open", "release notes")
        self.node_.run("press", "ENCODER")
        self.assertEqual(self.status("release notes"), "working")

    def test_copies_new_tasks_and_archived_ones(self):
        self.node_.run("open", "importer")
        self.node_.run("press", "SPLIT")
        self.assertEqual(self.task("importer to async (fork)")["selected"], True)
        self.node_.run("press", "NEW")
        self.assertEqual(self.task("a new task")["selected"], True)
        self.wait("a new task", "working", 20)
        self.wait("importer to async (fork)", "working", 20)
        self.assertIn("still working", self.node_.refusal("press", "DEL"))
        self.wait("payment", "complete")
        self.node_.run("open", "payment")
        self.node_.run("press", "DEL")
        self.assertIsNone(self.task("payment"))
        self.assertEqual(len(self.node_.json("agents")), 7)

    def test_whoever_asks_is_told(self):
        result = self.node_.run("ask", "What about my xyzzy?")
        self.assertIn("demo", result.out)
        wait_until(lambda: self.task("a question of yours"), "the task of the question")
        said = [result.out, self.node_.log, *(self.node_.run(command, "--json").out for command in ("agents", "status", "slots"))]
        self.assertNotIn("xyzzy", "".join(said))
        self.node_.stop()
        files = self.homes[0].everything()
        self.assertFalse([path for path in files if path.name.startswith("agents.")], "nothing of it is kept")
        self.assertFalse([path for path, content in files.items() if b"xyzzy" in content])
