"""What can be wrong around the node: damaged files, busy ports, missing services, the kill signal. A clear line each time, nothing lost."""

import json
import os
import random
import signal
import socket
import stat
import subprocess
import threading
import time

from deck import ADDRESS, DeckTest, PORT, wait_for, wait_until
from rollout import Rollout
from wire import Ended, Peer, command

NEARBY = "mobile-local-relay-server.json"


class StateFileTests(DeckTest):
    def damaged(self, home, name):
        return [path for path in home.state.iterdir() if path.name.startswith(name + ".damaged-")]

    def test_damaged_files_are_set_aside(self):
        for name, content in (
            ("host.json", b"{\"hostId\":"), (NEARBY, b"\xff\xfe\x00"), ("relay-server.json", b"{\"enabled\":true,\"port\":47651}"),
            ("deck.json", b"[" * 10_000), ("deck.json", b""), (NEARBY, b"x" * 100_000),
        ):
            with self.subTest(name=name, content=content[:20]):
                home = self.home("node")
                node = self.node(home).start(demo=True)
                node.pair()
                node.remote()
                node.run("slots", "--mode", "recent")
                wait_until((home.state / "deck.json").exists, "deck.json")
                node.stop()
                (home.state / name).write_bytes(content)
                node.start(demo=True)
                moved, = self.damaged(home, name)
                self.assertEqual(moved.read_bytes(), content, "what was there is kept")
                self.assertEqual(node.log.count("was damaged"), 1, node.log)
                self.assertIn(moved.name, node.log)
                # It works on: a new pairing leads to a node that serves.
                with Peer.paired(node.pair()) as peer:
                    peer.snapshot()
                node.stop()

    def test_secrets_are_not_guessed_back(self):
        home = self.home("node")
        node = self.node(home).start(demo=True)
        first = node.pair()
        (home.state / NEARBY).write_text("{}")
        result = node.run("pair", "--link")
        self.assertIn("was damaged", result.err)
        self.assertNotIn(first.token, result.out)
        self.assertNotIn(first.fingerprint, result.out)

    def test_permissions(self):
        home = self.home("node")
        node = self.node(home).start(demo=True)
        old = node.pair()
        node.remote()
        for path in home.state.iterdir():
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600, path)
        for folder in (home.state, home.runtime / "codex-deck"):
            self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700, folder)
        self.assertEqual(stat.S_IMODE((home.runtime / "codex-deck" / "node.sock").stat().st_mode), 0o600)
        (home.state / NEARBY).chmod(0o644)
        result = node.run("pair", "--link")
        self.assertIn("could be read by others", result.err)
        self.assertEqual(stat.S_IMODE((home.state / NEARBY).stat().st_mode), 0o600)
        new = node.pair("--rotate")
        self.assertNotEqual((old.token, old.fingerprint), (new.token, new.fingerprint))
        self.assertEqual(old.host, new.host)

    def test_files_that_are_none(self):
        for name in ("host.json", "deck.json"):
            for kind in ("folder", "dangling link", "pipe"):
                with self.subTest(name=name, kind=kind):
                    home = self.home("node")
                    home.state.mkdir(parents=True, mode=0o700)
                    path = home.state / name
                    {"folder": path.mkdir, "dangling link": lambda: path.symlink_to("nowhere"), "pipe": lambda: os.mkfifo(path)}[kind]()
                    line = self.node(home).refusal("serve", "--demo")
                    self.assertIn(str(path), line)
                    self.assertTrue(path.is_symlink() or path.exists(), "it is left as it is")

    def test_settings_that_cannot_be_used(self):
        for content, words in (("{", "not valid JSON"), ('{"titles":true}', "titles"), ('{"codex":{"home":"x"}}', "codex.home")):
            home = self.home("node")
            home.config.mkdir(parents=True)
            (home.config / "node.json").write_text(content)
            node = self.node(home)
            self.assertIn(words, node.refusal("serve"))
            self.assertEqual((home.config / "node.json").read_text(), content)
            # The doctor says it too, and goes on.
            out = node.run("doctor", code=1).out
            self.assertRegex(out, f"problem Settings: .*{words}")
            self.assertIn("Clock: set.", out)

    def test_settings_that_are_not_known(self):
        home = self.home("node")
        home.config.mkdir(parents=True)
        (home.config / "node.json").write_text('{"titels":"hidden","codex":{"hone":7}}')
        node = self.node(home).start()
        self.assertEqual(node.log.count("titels"), 0, "the first in order is named")
        self.assertEqual(node.log.count('"codex.hone" and 1 more are not known'), 1, node.log)
        self.assertIn("codex.hone", node.run("config").err)
        result = node.run("config", "set", "titles", "hidden")
        self.assertIn("the running node uses it", result.out)
        self.assertIn("codex.hone", result.err)
        self.assertEqual(node.log.count("codex.hone"), 1, "said once")
        kept = json.loads((home.config / "node.json").read_text())
        self.assertEqual(kept, {"titels": "hidden", "titles": "hidden", "codex": {"hone": 7}})
        self.assertIn("note    Settings: ", node.run("doctor", code=None).out)

    def test_killed_while_it_writes(self):
        home = self.home("node")
        rollouts = [Rollout(home.codex, f"Task {index}") for index in range(6)]
        for rollout in rollouts:
            rollout.begin_turn()
        node = self.node(home).start()
        pairing = node.pair()
        chance, expected = random.Random(7), None
        for round_ in range(30):
            acknowledged, stop = [], threading.Event()

            def press():
                try:
                    with Peer.paired(pairing) as peer:
                        for number in range(10_000):
                            if stop.is_set():
                                return
                            key = rollouts[number % 6].key
                            if peer.ask(f"{number}", kind="agent", slot=0, threadKey=key, act=1)["ok"]:
                                acknowledged.append(key.removeprefix("local:"))
                except (Ended, TimeoutError, OSError):
                    pass
            thread = self.in_background(press)
            wait_until(lambda: acknowledged, "the first press")
            time.sleep(chance.uniform(0, 0.03))
            node.running.kill()
            stop.set()
            thread.join(10)
            state = json.loads((home.state / "deck.json").read_text()) if (home.state / "deck.json").exists() else None
            self.assertTrue(state is None or "selection" in state)
            expected = pairing.link
            node.start()
            self.assertNotIn("damaged", node.log)
            self.assertEqual(node.pair().link, expected, "identity and pairing outlive it")
        self.assertEqual([path.name for path in home.state.iterdir() if "damaged" in path.name], [])
        leftovers = [path.name for path in home.state.iterdir() if path.name.endswith(".tmp")]
        self.assertLessEqual(len(leftovers), 1, "what a killed writer left is cleaned up")

    def test_killed_while_it_pairs(self):
        home = self.home("node")
        node = self.node(home)
        chance = random.Random(11)
        host = None
        for _ in range(30):
            process = subprocess.Popen(node.command("pair", "--link", "--rotate"), env=node.environment, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0, 0.05))
            process.kill()
            process.wait()
            result = node.run("pair", "--link")
            self.assertNotIn("damaged", result.err)
            fields = result.out.split("hostId=")[1].split("&")[0]
            self.assertIn(host, (None, fields))
            host = fields


class SurroundingsTests(DeckTest):
    def test_port_in_use(self):
        with socket.create_server((ADDRESS, PORT)):
            node = self.node().start(demo=True)
            result = node.run("pair", "--link")
            self.assertIn(f"{ADDRESS}:{PORT} is already in use", result.err)
            self.assertIn(f"--port {PORT + 1}", result.err)
            self.assertIn("://", result.out)
            state = wait_for(lambda: node.status()["nearby"], lambda state: state["state"] == "failing", "the failure")
            self.assertIn("47653", state["reason"])
            self.assertRegex(state["reason"], "in use|already")
            text = node.run("status").out
            self.assertIn("not reachable", text)
            node.stop()
            node.start(demo=True)
            wait_until(lambda: "is ready" in node.log, "the greeting")
            self.assertIn("for the reason above", node.log)
            self.assertEqual(node.log.count("run `decknode pair`"), 1, "by the first start only")
            # The other listener does not suffer.
            url, token = node.remote()
            with Peer("127.0.0.1", int(url.rsplit(":", 1)[1])) as peer:
                peer.authenticate(token)
        wait_until(lambda: node.status()["nearby"]["state"] == "listening", "the port to be taken once it is free", 8, 0.1)
        self.assertLessEqual(node.log.count("47653"), 8, "said once, not at each attempt")

    def test_second_node_of_one_user(self):
        node = self.node().start(demo=True)
        self.assertIn("running already", self.node(node.home).refusal("serve", "--demo"))
        node.run("status")

    def test_no_private_address(self):
        def network(*words):
            subprocess.run(["ip", *words], check=True, capture_output=True)
        node = self.node().start(demo=True)
        pairing = node.pair()
        with Peer.paired(pairing) as peer:
            url, token = node.remote()
            with Peer("127.0.0.1", int(url.rsplit(":", 1)[1])) as loopback:
                loopback.authenticate(token)
                network("link", "set", "eth0", "down")
                self.addCleanup(lambda: network("route", "replace", "default", "dev", "eth0", "src", ADDRESS))
                self.addCleanup(lambda: network("link", "set", "eth0", "up"))
                wait_until(lambda: node.status()["nearby"]["state"] == "failing", "the loss to be noticed")
                self.assertIn("private", node.status()["nearby"]["reason"])
                for words in (("pair",), ("pair", "--link"), ("nearby", "enable")):
                    self.assertIn("private", node.refusal(*words))
                for _ in range(3):
                    loopback.snapshot()
                network("link", "set", "eth0", "up")
                network("route", "replace", "default", "dev", "eth0", "src", ADDRESS)
                wait_until(lambda: node.status()["nearby"]["state"] == "listening", "the address to be taken again")
                loopback.snapshot()
                self.assertEqual(node.pair().link, pairing.link, "the pairing is the same")
            del peer

    def test_no_avahi(self):
        node = self.node().start(demo=True)
        with Peer.paired(node.pair()) as peer:
            peer.snapshot()
        status = wait_for(lambda: node.status()["discovery"], lambda text: text not in ("off", "registering"), "the remark")
        self.assertRegex(status, "(?i)avahi")
        time.sleep(1)
        lines = [line for line in node.log.splitlines() if "not announced" in line]
        self.assertEqual(len(lines), 1, f"said once\n{node.log}")
        result = node.run("doctor", code=None)
        self.assertRegex(result.out, "(?i)avahi")
        self.assertIn("Sandbox: bubblewrap", result.out)
        bare = node.run("doctor", code=None, environment={"PATH": str(node.home.path)}).out
        self.assertIn("apt install bubblewrap", bare)

    def test_no_node(self):
        node = self.node()
        for words in (("status",), ("agents",), ("open", "1"), ("press", "APPR"), ("slots",), ("layout",)):
            self.assertIn("decknode serve", node.refusal(*words))
        self.assertEqual(node.run("nonsense", code=2).out, "")
        self.assertEqual(node.run("serve", "--demo", "--port", "1", code=2).out, "")
        for words in (("pair", "--listen", "8.8.8.8"), ("pair", "--port", "80"), ("relay", "enable", "0.0.0.0"), ("relay", "enable", "192.0.2.1")):
            self.assertNotEqual(node.run(*words, code=None).code, 0, words)

    def test_unreadable_rollouts(self):
        home = self.home("node")
        good = Rollout(home.codex, "The good one")
        good.begin_turn()
        folder = good.path.parent
        names = [good.path.name.replace(good.id, f"01a22a90-8d9a-7e33-9ed4-31f1e757400{index}") for index in range(4)]
        (folder / names[0]).mkdir()
        (folder / names[1]).symlink_to("/nowhere/at/all")
        (folder / names[2]).write_bytes(b"\x28\xb5\x2f\xfd" + random.Random(3).randbytes(4_000) + b"\n\xff\xfe\n")
        os.mkfifo(folder / names[3])
        (folder / (names[3] + ".zst")).write_bytes(b"no zstd at all")
        damaged = Rollout(home.codex, "With damage inside")
        damaged.begin_turn()
        with open(damaged.path, "ab") as file:
            file.write(b"{\"type\":\"event_msg\",\n\xff\xff\xff\n" + b"[" * 5_000 + b"\n" + b'{"timestamp":7}\n' + b"\0" * 100 + b"\n")
            file.write(b'{"type":"response_item","payload":{"type":"message","content":"' + b"x" * 20_000_000 + b'"}}\n')
        damaged.finish_turn()
        node = self.node(home).start()

        def statuses():
            return {task["title"]: task["status"] for task in node.json("agents")}
        self.assertEqual(statuses(), {"The good one": "working", "With damage inside": "complete"})
        rollouts = node.status()["sources"]["rollouts"]
        self.assertTrue(rollouts["unreadable"], rollouts)
        good.finish_turn()
        wait_until(lambda: statuses()["The good one"] == "complete", "the good one to be followed")

    def test_home_that_comes_later(self):
        home = self.home("node")
        node = self.node(home).start()
        self.assertEqual(node.json("agents"), [])
        self.assertIn("does not exist yet", node.run("status").out)
        Rollout(home.codex, "The first session ever").begin_turn()
        task, = wait_until(lambda: node.json("agents"), "the session in the new folder")
        self.assertEqual((task["title"], task["status"]), ("The first session ever", "working"))

    def test_ends_in_time(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            node = self.node().start(demo=True)
            with Peer.paired(node.pair()) as peer:
                peer.snapshot()
                started = time.monotonic()
                self.assertEqual(node.stop(number=number), 0)
                self.assertLess(time.monotonic() - started, 2)
                self.assertEqual(peer.end().code, 1001)
            self.assertFalse((node.home.runtime / "codex-deck" / "node.sock").exists())

    def test_rotation_drops_old_clients(self):
        node = self.node().start(demo=True)
        old = node.pair()
        with Peer.paired(old) as peer:
            new = node.pair("--rotate")
            self.assertEqual(peer.end(5).code, 1008)
        with self.assertRaises(AssertionError):
            Peer.paired(old)
        with Peer.paired(new) as peer:
            peer.send(command("1", kind="encoder", act=0))
        node.run("nearby", "disable", "--yes")
        with self.assertRaises(ConnectionRefusedError):
            Peer.paired(new)
        self.assertEqual(sorted(path.name for path in node.home.state.iterdir() if "mobile" in path.name), [])
