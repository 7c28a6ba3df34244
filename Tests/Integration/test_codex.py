"""The whole way: the official Codex CLI works on one computer, and a screen on another shows it, paired by a picture of the terminal."""

import json
import os
import pathlib
import subprocess
import sys
import threading
import time

from deck import wait_for, wait_until
from laboratory import entered, LaboratoryTest
from terminal import Terminal
from wire import Ended, Peer

CODEX = os.environ.get("CODEX_BINARY", "codex")
CONFIGURATION = """
model = "gpt-5.4"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "read-only"
[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
"""


class Tail:
    """Follows a session file on a thread and notes when each decisive record was there."""

    def __init__(self, sessions):
        self.sessions, self.seen, self.ending = pathlib.Path(sessions), [], False
        self.thread = threading.Thread(target=self._follow, daemon=True)
        self.thread.start()

    def _follow(self):
        position, rest, path = 0, b"", None
        while not self.ending:
            path = path or next(iter(self.sessions.rglob("rollout-*.jsonl")), None)
            if path and path.stat().st_size > position:
                now = time.monotonic()
                with open(path, "rb") as file:
                    file.seek(position)
                    data = file.read()
                position += len(data)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    payload = json.loads(line)["payload"]
                    if payload.get("type") in ("task_started", "task_complete", "turn_aborted"):
                        self.seen.append((now, payload["type"]))
            time.sleep(0.0005)

    def stop(self):
        self.ending = True
        self.thread.join(5)


def without_birth(statuses):
    """A session's file exists for a moment before its first turn begins; whether a snapshot falls into that moment is chance."""
    return [status for index, status in enumerate(statuses)
            if not (status == "idle" and statuses[index - 1:index] == ["off"] and statuses[index + 1:index + 2] in ([], ["working"]))]


class Observer:
    """A peer on the other computer that notes when it was told of each change of the only task's status."""

    def __init__(self, computer, pairing):
        with entered(computer):
            self.peer = Peer.paired(pairing)
        self.changes, self.ending = [], False
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        while not self.ending:
            try:
                slot = self.peer.next("snapshot", 5)["snapshot"]["slots"][0]
            except (Ended, OSError, TimeoutError):
                return
            if not self.changes or self.changes[-1][1] != slot["status"]:
                self.changes.append((time.monotonic(), slot["status"], slot))

    def statuses(self):
        return without_birth([status for _, status, _ in self.changes])

    def stop(self):
        self.ending = True
        self.thread.join(6)
        self.peer.close()


class RealCodexTests(LaboratoryTest):
    def start_model(self, steps):
        home = self.home("codex")
        script = home.path / "script.json"
        script.write_text(json.dumps(steps))
        server = self.lab.a.popen(
            [sys.executable, pathlib.Path(__file__).with_name("model_server.py"), "--script", script, "--usage", "129200"],
            stdout=subprocess.PIPE, text=True)
        port = int(server.stdout.readline())
        home.codex.mkdir()
        (home.codex / "config.toml").write_text(CONFIGURATION.format(port=port))
        (home.path / "work").mkdir()
        return home

    def codex(self, home, *words):
        """Starts `codex exec` on the first computer."""
        return self.spawn(
            self.lab.a.command([CODEX, "exec", *words[:-1], "--skip-git-repo-check", *words[-1:]]),
            home.environment, home.path / "codex.log", cwd=home.path / "work")

    def finish(self, running, seconds=40):
        wait_until(lambda: not running.is_running, f"codex to end; it says\n{running.log}", seconds)
        self.assertEqual(running.process.returncode, 0, running.log)

    def pair_by_picture(self, node, client, columns=110, rows=60):
        """Shows the code in a terminal, takes a picture, and pairs the client with that."""
        with Terminal(node.home, columns, rows, environment=node.environment, computer=self.lab.a) as terminal:
            terminal.line(f"clear; {node.binary} pair")
            terminal.wait_for("Certificate")
            picture = terminal.picture(client.home.path / "screen.png")
            screen = "\n".join(terminal.text())
        client.run("pair", "--picture", picture)
        return screen

    def test_codex_exec_on_a_paired_screen(self):
        home = self.start_model([
            {"match": "Count", "delay": 0.7, "text": "One, two, three.", "pause": 0.7,
             "headers": {"x-codex-primary-used-percent": "37.5", "x-codex-primary-window-minutes": "300", "x-codex-primary-reset-at": "4000000000"}},
            {"match": "list", "exec": {"cmd": "echo tool-ran"}},
            {"match": "list", "after": "tool-ran", "delay": 0.5, "text": "There it is."},
        ])
        node = self.lab_node(home).start()
        client = self.lab_client()
        screen = self.pair_by_picture(node, client)
        pairing = node.pair()
        self.assertTrue(pairing.address.startswith("10."))
        self.assertIn(f"{pairing.address}:{pairing.port}", screen)
        self.assertNotIn(pairing.token, screen)
        # What one computer announces, the other hears, and it is the certificate of the picture.
        found, = wait_until(lambda: client.json("discover", "--seconds", "2"), "the announcement", 15)
        self.assertEqual((found["hostId"], found["fingerprint"], found["address"]), (pairing.host, pairing.fingerprint, pairing.address))

        watch = self.spawn(client.command("watch", "--json"), client.environment, client.home.path / "watch.log")
        observer, tail = Observer(self.lab.b, pairing), Tail(home.codex / "sessions")
        self.addCleanup(tail.stop)
        self.addCleanup(observer.stop)
        wait_until(lambda: observer.statuses() == ["off"], "the empty board")
        run = self.codex(home, "Count to three")
        wait_until(lambda: observer.statuses() == ["off", "working"], "the task to work", 20)
        self.finish(run)
        wait_until(lambda: observer.statuses() == ["off", "working", "complete"], "the task to be complete")
        slot = observer.changes[-1][2]
        self.assertEqual((slot["title"], slot["contextUsedPercent"]), ("Count to three", 50))
        session = slot["threadKey"].removeprefix("local:")

        self.finish(self.codex(home, "resume", session, "list the files"))
        wait_until(lambda: observer.statuses() == ["off", "working", "complete", "working", "complete"], "the second turn")
        agents = wait_for(lambda: client.json("agents"), lambda tasks: tasks and tasks[0]["status"] == "complete", "the client's view")
        self.assertEqual([(task["title"], task["id"]) for task in agents], [("Count to three", session)])
        self.assertEqual(client.json("usage")["fiveHour"]["usedPercent"], 37.5)
        opened = client.json("open", "Count")
        self.assertTrue(opened["ok"])
        wait_until(lambda: observer.statuses()[-1:] == ["idle"], "the acknowledgement")
        watch.stop()
        boards = [json.loads(line)["slots"][0] for line in watch.log.splitlines() if line.startswith("{")]
        seen = [board["status"] if board else "off" for board in boards]
        order = [status for index, status in enumerate(seen) if index == 0 or seen[index - 1] != status]
        self.assertEqual(without_birth(order), ["off", "working", "complete", "working", "complete", "idle"])
        self.report(tail, observer)

    def report(self, tail, observer):
        """How long each decisive record took from the file to the peer on the other computer."""
        told = [at for at, status, _ in observer.changes if status in ("working", "complete")]
        delays = [(after - before) * 1000 for (before, _), after in zip(tail.seen, told)]
        self.assertEqual(len(delays), 4, tail.seen)
        self.notes = ["record in the file to snapshot on the other computer: " + ", ".join(f"{max(delay, 0):.1f}" for delay in delays) + " ms"]
        self.assertLess(max(delays), 1_000)

    def test_failed_and_killed_turns(self):
        home = self.start_model([
            {"match": "fail", "status": 429, "body": {"error": {"type": "usage_limit_reached", "message": "limit"}}, "repeat": True},
            {"match": "hang", "hang": True},
        ])
        node = self.lab_node(home).start()
        pairing = node.pair()
        observer = Observer(self.lab.b, pairing)
        self.addCleanup(observer.stop)
        run = self.codex(home, "Please fail")
        wait_until(lambda: "error" in observer.statuses(), "the failure", 30)
        wait_until(lambda: not run.is_running, "codex to end", 30)
        run = self.codex(home, "Please hang")
        wait_until(lambda: "Please hang" in [task["title"] for task in node.json("agents") if task["status"] == "working"], "the task to work", 20)
        run.kill()
        time.sleep(0.5)
        task = next(task for task in node.json("agents") if task["title"] == "Please hang")
        self.assertEqual(task["status"], "working", "a silence of half a second ends no turn")

    def test_the_address_moves(self):
        node = self.lab_node().start(demo=True)
        client = self.lab_client()
        pairing = node.pair()
        client.run("pair", stdin=pairing.link)
        watch = self.spawn(client.command("watch", "--json"), client.environment, client.home.path / "watch.log")

        def live():
            lines = [line for line in watch.log.splitlines() if line.startswith("{")]
            # One that was never heard is no computer yet.
            return any(computer["live"] for computer in json.loads(lines[-1])["computers"]) if lines else False
        wait_until(live, "the board")
        self.lab.a.remove_address("10.77.0.1")
        self.lab.a.add_address("10.77.0.9")
        self.lab.a.set_default_route()
        wait_until(lambda: node.status()["nearby"].get("address", "").startswith("10.77.0.9:"), "the node to follow its address", 15, 0.1)
        moved = time.monotonic()
        wait_until(lambda: client.json("nodes")[0]["url"] == "wss://10.77.0.9:47653", "the client to hear of it", 20, 0.3)
        wait_until(live, "the board to live again", 20)
        self.notes = [f"live again {time.monotonic() - moved:.1f} s after the node moved"]
