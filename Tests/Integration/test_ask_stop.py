"""`decknode threads stop`: a turn that nobody watches ends when its owner says so."""

from ask_case import AskTest


class StopTests(AskTest):
    def test_a_detached_question_is_stopped_by_its_name(self):
        node = self.signed_in({"hang": True})
        identifier = node.run("ask", "--detach", "Take your time").out.strip()
        self.task(node, "working")
        self.assertIn("Take your time is stopped", node.run("threads", "stop", identifier).out)
        self.task(node, "idle")
        self.assertIn("nothing to stop", node.refusal("threads", "stop", identifier))
        self.assertIn("No agent task", node.refusal("threads", "stop", "another"))
