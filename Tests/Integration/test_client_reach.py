"""What the client says about a node that it cannot reach, about a link that came to nothing, and about tasks whose ids begin alike."""

from deck import wait_until
from test_client import ClientTest


class ReachTests(ClientTest):
    def test_pairing_tries_the_connection(self):
        node = self.python_node(name="Desk")
        client = self.client()
        self.assertEqual(client.run("pair", stdin=node.link).out, "Paired with Desk, which answers. See its tasks with `deckclient watch`.\n")
        self.assertEqual(client.json("pair", node.link)["answers"], True)
        self.assertEqual(client.run("pair", stdin=node.link).err.count("Careful"), 0)
        wrong = client.run("pair", stdin=node.link.replace(node.fingerprint, "ab" * 32))
        self.assertRegex(wrong.out, r"^Paired with Desk, but it does not answer: it has another certificate than the link says; ")
        self.assertIn("Careful: it is paired already, as Desk, with ANOTHER certificate, which this link would replace.", wrong.err)
        wrong = client.json("pair", stdin=node.link.replace(node.token, "x" * 43))
        self.assertEqual((wrong["answers"], wrong["name"]), (False, "Desk"))
        self.assertIn("does not accept the token", wrong["reason"])
        self.assertIn("ready", client.run("open-link", "--yes", node.link).out + client.run("nodes").out)

    def test_a_node_that_was_never_heard(self):
        node = self.python_node(name="Desk")
        node.stop()
        client = self.client()
        paired = client.run("pair", stdin=node.link)
        self.assertIn("Paired with Desk, but it does not answer: Nothing is listening on", paired.out)
        self.assertIn("start `decknode serve` there", paired.out)
        result = client.run("watch", "--once", code=1)
        self.assertEqual(result.out, "", "empty keys would look as if there were no tasks")
        self.assertIn("Not reached: Desk (offline: Nothing is listening on", result.err)
        self.assertIn("Not reached: Desk (offline: ", client.run("agents").out)
        known, = client.run("watch", "--once", "--json", code=1).json["nodes"]
        self.assertEqual((known["name"], known["health"], known["hostId"]), ("Desk", "offline", node.host))
        self.assertIn("Nothing is listening", known["reason"])
        running = self.watch(client, "--plain")
        wait_until(lambda: "not reached: Desk (offline: Nothing" in running.log, "the line about the node")
        node.start()
        wait_until(lambda: "Fix the login" in running.log, "the node to be heard", 20)
        self.assertEqual(running.log.count("not reached"), 1, running.log)
        self.assertEqual(running.stop(), 0)
        # Beside a computer that is heard, the line is all there is of it.
        other = self.python_node((("Beta", "idle"),), name="Box", port=47701, host="12345678-9abc-4def-8123-456789abcdef")
        other.stop()
        client.run("pair", stdin=other.link)
        text = client.run("watch", "--once").out
        self.assertIn("Not reached: Box (offline: ", text)
        self.assertIn("Fix the login", text)

    def test_nothing_comes_in(self):
        client = self.client()
        for text in ("", "\n", "  \n"):
            self.assertEqual(client.refusal("pair", stdin=text), "No link came in; run `decknode pair --link | deckclient pair`.")
            self.assertIn("No token came in;", client.refusal("add", "Here", "wss://desk.example:47652", stdin=text))

    def test_short_ids_tell_tasks_apart(self):
        first, second = "0199aaaa-1111-7000-8000-000000000001", "0199aaaa-1211-7000-8000-000000000001"
        client = self.paired(self.python_node((("Alpha", "idle", first), ("Beta", "idle", second))))
        listed = client.run("agents").out
        for short in ("0199aaaa-11", "0199aaaa-12"):
            self.assertIn(short + "\n", listed)
        line = client.refusal("open", "0199aaaa")
        self.assertEqual(line, "That fits 2 tasks: 0199aaaa-11, 0199aaaa-12; use more characters of the identity.")
        self.assertTrue(client.json("open", "0199aaaa-12")["ok"])
        self.assertEqual(client.refusal("open", "parser"), 'No task matches "parser"; `deckclient agents` lists them.')
