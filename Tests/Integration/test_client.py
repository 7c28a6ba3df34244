"""The client against a node made of Python: pairing, the board, commands, and everything that can go wrong on the way."""

import json
import time

from deck import ADDRESS, DeckTest, OTHER_ADDRESS, wait_until
from python_node import certificate, link, PythonNode, Recorder

THREE = (("Fix the login", "approval"), ("Write the notes", "working"), ("Idle around", "idle"))


class ClientTest(DeckTest):
    def python_node(self, tasks=THREE, **options):
        node = PythonNode(self.home("python").path, **options)
        node.set_tasks(*tasks)
        node.start()
        self.addCleanup(lambda: node._thread.is_alive() and node.stop())
        return node

    def paired(self, node, client=None):
        client = client or self.client()
        client.run("pair", stdin=node.link + "\n")
        return client

    def watch(self, client, *words):
        """`deckclient watch` with these words in the background; `.states` are the JSON lines so far."""
        running = self.spawn(client.command("watch", *words), client.environment, client.home.path / "watch.log")
        return running

    def board(self, running):
        lines = [line for line in running.log.splitlines() if line.startswith("{")]
        return json.loads(lines[-1]) if lines else None


class PairingTests(ClientTest):
    def test_pair_look_and_remove(self):
        node = self.python_node(name="Windows desk")
        client = self.client()
        paired = client.json("pair", stdin=node.link)
        self.assertEqual((paired["name"], paired["hostId"], paired["fingerprint"]), ("Windows desk", node.host, node.fingerprint))
        again = client.json("pair", node.link)
        self.assertEqual(again["id"], paired["id"], "pairing again changes nothing")
        known, = client.json("nodes")
        self.assertEqual((known["health"], known["bridge"], known["mode"]), ("ready", "native-codex-micro", "nearby"))
        self.assertTrue(client.json("test", "Windows desk")["ok"])
        agents = client.json("agents")
        self.assertEqual([(task["title"], task["status"], task["hostName"]) for task in agents],
                         [(title, status, "Windows desk") for title, status in THREE])
        text = client.run("watch", "--once").out
        for title, _ in THREE:
            self.assertIn(title, text)
        client.run("remove", "Windows desk", "--yes")
        self.assertEqual(client.json("nodes"), [])
        for path, content in client.home.everything().items():
            self.assertNotIn(node.token.encode(), content, path)
            self.assertNotIn(b"Fix the login", content, path)
        self.assertIn("deckclient pair", client.refusal("watch", "--once"))

    def test_the_token_stays_where_it_belongs(self):
        node = self.python_node()
        client = self.client()
        result = client.run("--log-level", "debug", "pair", stdin=node.link)
        self.assertNotIn(node.token, result.out + result.err)
        for words in (("agents",), ("nodes", "--json"), ("test", "Python node"), ("open", "1"), ("watch", "--once", "--json"),
                      ("pair", "--json", node.link)):
            result = client.run("--log-level", "debug", *words)
            self.assertNotIn(node.token, result.out + result.err, words)
        holders = [path for path, content in client.home.everything().items() if node.token.encode() in content]
        self.assertEqual(len(holders), 1, holders)
        for path in client.home.path.rglob("*"):
            if client.home.path / "state" in path.parents and path.is_file():
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_malformed_links(self):
        client = self.client()

        def changed(name="A desk", token="t" * 43, fingerprint="ab" * 32, **changes):
            return link(ADDRESS, 47700, "12345678-9abc-4def-8123-456789abcdef", name, token, fingerprint, **changes)
        for name, text in (
            ("nothing", ""), ("words", "hello there"), ("another scheme", changed().replace("codexdeck:", "https:")),
            ("another place", changed().replace("//pair", "//agent")), ("twice", changed() + "&token=" + "u" * 43),
            ("no token", changed(token=None)), ("short token", changed(token="short")), ("long token", changed(token="t" * 513)),
            ("version", changed(version="2")), ("no version", changed(version=None)), ("host", changed(hostId="me")),
            ("platform", changed(platform="linux")), ("no fingerprint", changed(fingerprint=None)), ("fingerprint", changed(fingerprint="zz" * 32)),
            ("half a fingerprint", changed(fingerprint="ab" * 31)), ("name", changed(name="")), ("long name", changed(name="n" * 129)),
            ("public", changed(endpoint="wss://8.8.8.8:47653")), ("loopback", changed(endpoint="wss://127.0.0.1:47653")),
            ("not encrypted", changed(endpoint=f"ws://{ADDRESS}:47653")), ("a name for an address", changed(endpoint="wss://desk.local:47653")),
            ("no port", changed(endpoint=f"wss://{ADDRESS}")), ("low port", changed(endpoint=f"wss://{ADDRESS}:80")),
            ("user", changed(endpoint=f"wss://me@{ADDRESS}:47653")), ("path", changed(endpoint=f"wss://{ADDRESS}:47653/x")),
            ("query", changed(endpoint=f"wss://{ADDRESS}:47653?x")), ("endless", "codexdeck://pair?" + "x" * 10_000),
        ):
            with self.subTest(name):
                line = client.refusal("pair", stdin=text + "\n")
                self.assertNotIn("t" * 40, line, "a refusal never quotes the token")
                self.assertLess(len(line), 300)
        self.assertEqual(client.json("nodes"), [])
        self.assertIn("picture", client.refusal("pair", "--picture", "/nowhere.png"))
        empty = client.home.path / "empty.png"
        from PIL import Image
        Image.new("RGB", (200, 200), "white").save(empty)
        self.assertIn("no pairing code", client.refusal("pair", "--picture", empty))

    def test_wrong_pin_gets_no_byte_of_the_token(self):
        folder = self.home("impostor").path
        pem, fingerprint = certificate(folder, "impostor")
        node = PythonNode(folder)
        self.assertNotEqual(fingerprint, node.fingerprint)
        with Recorder(ADDRESS, node.port, pem) as recorder:
            client = self.paired(node)
            line = client.refusal("test", "Python node")
            self.assertIn("certificate", line)
            running = self.watch(client, "--json")
            time.sleep(4)
            known, = client.json("nodes")
            self.assertEqual(known["health"], "re-pair required")
            self.assertIn("certificate", known["reason"])
            self.assertLessEqual(recorder.connections, 3, "no storm of attempts at a computer that is another one")
            self.assertTrue(running.is_running)
            running.stop()
        self.assertGreater(len(recorder.wire), 100, "the client did call")
        self.assertEqual(recorder.plain, b"", "nothing came through the wrong certificate")
        for secret in (node.token, node.token[:8], node.token[-8:], "auth", "GET /"):
            self.assertNotIn(secret.encode(), recorder.wire)
        # A server without TLS at the paired address gets no more.
        with Recorder(ADDRESS, node.port) as recorder:
            other = self.paired(node)
            other.refusal("test", "Python node")
        self.assertTrue(recorder.wire.startswith(b"\x16\x03\x01"))
        self.assertNotIn(node.token[:8].encode(), recorder.wire)

    def test_wrong_token(self):
        node = self.python_node()
        client = self.client()
        client.run("pair", stdin=node.link.replace(node.token, "x" * 43))
        running = self.watch(client, "--json")
        known = wait_until(lambda: [one for one in client.json("nodes") if one["health"] == "re-pair required"], "the refusal to be shown")
        self.assertRegex(known[0]["reason"], "(?i)token|authent")
        before = node.connections
        time.sleep(3)
        self.assertEqual(node.connections, before, "a refused token is not tried again")
        running.stop()
        client.run("pair", stdin=node.link)
        known, = client.json("nodes")
        self.assertEqual(known["health"], "ready", "pairing again mends it")

    def test_another_computer_at_the_address(self):
        node = self.python_node()
        client = self.client()
        client.run("pair", stdin=node.link.replace(node.host, "12345678-9abc-4def-8123-456789abcdef"))
        known, = client.json("nodes")
        self.assertEqual(known["health"], "re-pair required")

    def test_damaged_files(self):
        node = self.python_node()
        client = self.paired(node)
        profiles = client.home.state / "client" / "nodes.json"
        for name in ("memory.json",):
            (client.home.state / "client" / name).write_text("{")
        for path in (client.home.path / "cache").rglob("*.snapshot"):
            path.write_bytes(b"\xff" * 100)
        self.assertEqual(len(client.json("agents")), 3)
        profiles.write_text("[]")
        result = client.run("nodes")
        self.assertIn("damaged", result.err)
        moved, = [path for path in profiles.parent.iterdir() if path.name.startswith("nodes.json.damaged-")]
        self.assertEqual(moved.read_text(), "[]")
        client.run("pair", stdin=node.link)
        self.assertEqual(len(client.json("agents")), 3)


class CommandTests(ClientTest):
    def kinds(self, node):
        return [(fields["kind"], fields.get("keycapId"), fields.get("act"), fields.get("threadKey")) for _, fields in node.commands]

    def test_open_approve_decline_press(self):
        node = self.python_node()
        client = self.paired(node)
        first, second, third = (slot["threadKey"] for slot in node.snapshot["slots"][:3])
        self.assertEqual(client.json("open", "notes")["ok"], True)
        self.assertEqual(self.kinds(node), [("agent", None, 1, second), ("agent", None, 0, second)])
        gap = node.commands[1][0] - node.commands[0][0]
        self.assertTrue(0.07 < gap < 0.4, f"press and release are {gap:.3f} s apart")
        self.assertEqual(node.commands[0][1]["slot"], 1)
        node.commands.clear()
        client.run("open", "2")
        self.assertEqual(node.commands, [], "a task already open is reported without sending")
        client.run("approve", "login")
        self.assertEqual(self.kinds(node), [("agent", None, 1, first), ("agent", None, 0, first), ("keycap", "APPR", None, first)])
        node.commands.clear()
        client.run("decline", third.removeprefix("local:")[:8])
        self.assertEqual(self.kinds(node)[-1], ("keycap", "REJ", None, third))
        node.commands.clear()
        client.run("press", "fast")
        self.assertEqual(self.kinds(node)[0][:2], ("keycap", "FAST"))

    def test_refusals(self):
        node = self.python_node()
        client = self.paired(node)
        node.refusals["APPR"] = "Nothing is waiting \x1b[31mfor approval."
        line = client.refusal("approve", "1")
        self.assertIn("Nothing is waiting", line)
        self.assertNotIn("\x1b", line)
        node.refusals["agent"] = "That task is asleep."
        self.assertIn("asleep", client.refusal("open", "2"))
        self.assertEqual([fields["act"] for _, fields in node.commands[-2:]], [1, 0], "the release follows a press that failed")
        for words, expected in ((("open", "6"), "."), (("open", "no such title"), "No task"), (("open", "i"), "."), (("press", "NOPE"), None)):
            if expected is None:
                client.run(*words, code=2)
            else:
                self.assertIn(expected, client.refusal(*words))
        node.stop()
        line = client.refusal("open", "1")
        self.assertRegex(line, "(?i)offline|not connected|reach")

    def test_no_snapshot_confirms(self):
        node = self.python_node()
        client = self.paired(node)
        node.perform = lambda command: None
        result = client.run("open", "2", code=0)
        self.assertRegex(result.err, "(?i)snapshot")

    def test_a_node_that_never_answers(self):
        node = self.python_node()
        client = self.paired(node)

        def sleep(_):
            time.sleep(11)
        node.perform = sleep
        started = time.monotonic()
        client.refusal("press", "FAST")
        self.assertLess(time.monotonic() - started, 14)


class BoardTests(ClientTest):
    def test_two_computers_and_a_mirror(self):
        shared = "11111111-1111-4111-8111-111111111111"
        one = self.python_node((("Alpha", "working"), ("Shared", "working", shared)), name="One", platform="darwin")
        two = self.python_node((("Beta", "awaiting-approval"),), name="Two", port=47701)
        two.snapshot["slots"][1] = {"id": 1, "threadKey": f"local:{shared}", "title": "Shared", "status": "idle", "selected": False,
                                    "activityAt": 1_000_000, "ownedByHost": False}
        client = self.paired(two, self.paired(one))
        board = client.json("watch", "--once")
        slots = [slot for slot in board["slots"] if slot]
        self.assertEqual([slot["title"] for slot in slots][0], "Beta", "what waits comes first")
        self.assertEqual(sorted(slot["title"] for slot in slots), ["Alpha", "Beta", "Shared"], "a task seen twice is one")
        mirrored = next(slot for slot in slots if slot["title"] == "Shared")
        self.assertEqual((mirrored["hostName"], mirrored["status"], mirrored["mirrors"]), ("One", "working", [two.host]))
        client.run("open", "Shared")
        self.assertEqual([fields["threadKey"] for _, fields in one.commands], [f"local:{shared}"] * 2)
        self.assertEqual(two.commands, [], "only the owner is sent the command")

    def test_follows_changes_losses_and_returns(self):
        node = self.python_node()
        client = self.paired(node)
        running = self.watch(client, "--json")

        def status(title):
            board = self.board(running)
            return next(((slot["status"], slot["offline"]) for slot in board["slots"] if slot and slot["title"] == title), None) if board else None
        wait_until(lambda: status("Idle around") == ("idle", False), "the board")
        node.snapshot["slots"][2]["status"] = "error"
        started = time.monotonic()
        node.publish()
        wait_until(lambda: status("Idle around") == ("error", False), "the change", every=0.002)
        self.notes = [f"a change is printed after {(time.monotonic() - started) * 1000:.0f} ms"]
        node.drop_clients()
        node.stop()
        wait_until(lambda: status("Idle around") == ("error", True), "the loss to be shown with what was last known")
        # A command that looks now has what was kept.
        wait_until(lambda: [task["offline"] for task in client.json("agents")] == [True] * 3, "the state that was kept", 10, 0.2)
        node.start()
        wait_until(lambda: status("Idle around") == ("error", False), "the return", 20)
        node.repeats = False
        wait_until(lambda: self.board(running)["computers"][0]["health"] == "degraded", "silence to be noticed", 10)
        self.assertEqual(running.stop(), 0)

    def test_plain_lines(self):
        node = self.python_node()
        client = self.paired(node)
        running = self.watch(client, "--plain")
        wait_until(lambda: "Fix the login" in running.log, "the first lines")
        size = len(running.log)
        time.sleep(2.5)
        self.assertEqual(len(running.log), size, "nothing is printed while nothing changes")
        node.snapshot["slots"][1].update(status="complete", title="Write \x1b]0;evil\x07 notes")
        node.publish()
        wait_until(lambda: len(running.log) > size, "the change")
        added = running.log[size:]
        self.assertNotIn("\x1b", running.log)
        self.assertLessEqual(added.count("\n"), 2, added)
        self.assertEqual(running.stop(), 0)

    def test_no_terminal(self):
        client = self.paired(self.python_node())
        self.assertIn("--plain", client.refusal("watch"))

    def test_usage(self):
        node = self.python_node()
        node.snapshot["usage"] = {
            "windows": [{"id": "five-hour", "kind": "five-hour", "usedPercent": 37.5, "remainingPercent": 62.5, "windowDurationMins": 300,
                         "resetsAt": int(time.time() * 1000) + 3_600_000}],
            "observedAt": int(time.time() * 1000), "resetCreditsAvailable": None, "resetCreditsApplicable": None}
        usage = self.paired(node).json("usage")
        self.assertEqual(usage["fiveHour"]["usedPercent"], 37.5)
        self.assertIsNone(usage["weekly"], "missing is not zero")

    def test_through_a_tunnel(self):
        """The plain listener of the real node, as `deckclient add` uses it behind SSH."""
        node = self.node().start(demo=True)
        url, token = node.remote()
        client = self.client()
        for wrong in ("http://127.0.0.1:1", f"ws://{OTHER_ADDRESS}:47651", "ws://example.org:47651", "wss://", "nonsense"):
            self.assertNotIn(token, client.refusal("add", "Here", wrong, stdin=token))
        client.refusal("add", "Here", url, stdin="short\n")
        client.run("add", "Here", url, stdin=token + "\n")
        self.assertTrue(client.json("test", "Here")["ok"])
        self.assertEqual(len(client.json("agents")), 6)

    def test_another_token_address_and_name(self):
        node = self.node().start(demo=True)
        url, token = node.remote()
        client = self.client()
        client.run("add", "Here", url, stdin=token + "\n")
        before, = client.json("nodes")
        _, renewed = node.remote()
        self.assertIn("replace", client.refusal("test", "Here"))
        self.assertIn("no token", client.refusal("replace", "Here", stdin="short\n"))
        client.run("replace", "Here", stdin=renewed + "\n")
        self.assertTrue(client.json("test", "Here")["ok"])
        client.refusal("replace", "Here", "ws://example.org:1")
        moved = client.json("replace", "Here", "ws://127.0.0.1:1", "--name", "There")
        self.assertEqual((moved["id"], moved["name"], moved["url"]), (before["id"], "There", "ws://127.0.0.1:1"))
        client.refusal("test", "There")
        client.run("replace", "There", url)
        self.assertEqual(len(client.json("agents")), 6)
        self.assertIn("No node", client.refusal("replace", "Nobody"))

    def test_another_link(self):
        node, other = self.node().start(demo=True), self.python_node()
        client = self.client()
        client.run("pair", stdin=node.pair().link + "\n")
        before, = client.json("nodes")
        link = node.pair("--rotate").link
        self.assertIn("another computer", client.refusal("replace", before["name"], stdin=other.link + "\n"))
        client.run("replace", before["name"], "--token", code=2, stdin=link + "\n")
        client.run("replace", before["name"], "--name", "Desk", "-", stdin=link + "\n")
        after, = client.json("nodes")
        self.assertEqual((after["id"], after["name"], after["health"]), (before["id"], "Desk", "ready"))
