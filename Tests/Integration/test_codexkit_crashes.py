"""What the SDK's stores hold after the program was killed in the middle of a turn, hundreds of times."""

import json
import pathlib
import random
import re
import select
import sqlite3
import subprocess
import time

from codexkit_case import ExampleTest, ModelServer, PNG


class CrashTest(ExampleTest):
    """Kills the chat in the middle of turns, 200 times for each kind of store; what the next run finds must hold together."""

    limit = 180
    kills = 200
    text = "The label is ready and lies in the printer."

    def test_sqlite(self):
        self.crash("chat.sqlite")

    def test_file(self):
        self.crash("chat.json")

    def crash(self, name):
        self.server = ModelServer(self)
        self.chat = self.example("ExampleChat", self.server)
        self.state, self.picture = self.user.path / name, self.user.path / "photo.png"
        self.picture.write_bytes(PNG)
        self.frozen, self.images, interrupted, resumed = {}, 0, 0, 0
        chance = random.Random(time.time_ns())
        _, whole = self.live(0, 30)
        number = 0
        while number < self.kills or interrupted < self.kills // 2:
            number += 1
            if number % 10 == 0:
                self.begin_thread(number)
            limit = chance.uniform(0, whole)
            seen, seconds = self.live(number, limit)
            # How long a turn takes depends on what else the computer does.
            whole = seconds if seconds < limit else whole * 1.01
            was_cut = self.check(number, seen)
            interrupted += was_cut
            if was_cut and number % 5 == 0:
                out = self.run_chat("/resume", "/history")
                self.assertNotIn("turn interrupted\n", "".join(out.splitlines(True)[-2:]))
                resumed += 1
        self.notes = [f"{number} kills, in the end within {whole * 1000:.0f} ms, {interrupted} in a turn, {resumed} of them gone on with"]

    def run_chat(self, *lines, words=()):
        return self.chat.run("--state", self.state, *words, stdin="".join(line + "\n" for line in lines)).out

    def begin_thread(self, number):
        self.frozen.update(self.count_threads(self.run_chat("/threads")))
        self.run_chat(f"/new Thread {number}", "/threads")

    @staticmethod
    def count_threads(out):
        return {title: int(count) for title, count in re.findall(r"^(?:> )?[* ] (.+), (\d+) messages, \w+$", out, re.M)}

    def live(self, number, seconds):
        """One turn with pictures and a tool, killed after `seconds` or at its end. Returns what was printed, and how long it lived."""
        order = f"order {number}."
        self.server.add({"match": order, "after": f"Label for {order}", "text": f"{self.text} {number}", "pause": 0.03},
                        {"match": order, "call": {"name": "print_label", "arguments": {"order": str(number)}}})
        process = subprocess.Popen(
            self.chat.command("--state", self.state), env=self.chat.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(f"/image {self.picture}\nPrint a label for {order}\n".encode())
        process.stdin.flush()
        started, out = time.monotonic(), b""
        deadline = started + seconds
        # Its prompts are before the picture, before the question and after the answer; old questions look the same.
        while (left := deadline - time.monotonic()) > 0 and out.count(b"> ") < 3 + out.count(b"> Print"):
            if select.select([process.stdout], [], [], left)[0]:
                out += process.stdout.read1(65536)
        lived = time.monotonic() - started
        process.kill()
        return (out + process.communicate()[0]).decode(errors="replace"), lived

    def check(self, number, seen):
        """Whether the turn of this round was cut."""
        out = self.run_chat("/history", "/threads")
        self.assertNotIn("!", out, "no notice and no failure")
        history = out[out.index("> "):]
        asked = len(re.findall(r"^(?:> )?\d+ user: ", history, re.M))
        turns = re.findall(r"^turn (\w+)$", history, re.M)
        self.assertEqual(len(turns), asked, "each question has its turn")
        self.assertLessEqual(set(turns), {"completed", "interrupted"})
        answer = f"assistant: {self.text} {number} [{len(PNG)} bytes]"
        was_asked = f"user: Print a label for order {number}. [{len(PNG)} bytes]" in history
        # The line for the picture comes with the event that the message is kept.
        if f"{self.text} {number}\n[image/png, {len(PNG)} bytes]\n" in seen:
            self.assertIn(answer, history, "what was shown as complete is kept")
        if was_asked and turns[-1] == "completed":
            self.assertIn(answer, history)
        self.assertNotIn("[0 bytes]", history, "each picture has its file")
        self.check_attachments()
        threads = self.count_threads(out)
        for title, count in self.frozen.items():
            self.assertEqual(threads.get(title), count, "other threads stay as they are")
        return was_asked and turns[-1] == "interrupted"

    def check_attachments(self):
        """The files of the pictures are those that the state names."""
        folder = pathlib.Path(f"{self.state}.attachments")
        files = {path.name for path in folder.iterdir()} if folder.exists() else set()
        if self.state.suffix == ".json":
            threads = json.loads(self.state.read_text())["threads"].values() if self.state.exists() else []
            records = [record for thread in threads for record in thread["history"]]
        else:
            with sqlite3.connect(self.state) as database:
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
                self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [])
                records = [json.loads(body) for (body,) in database.execute("SELECT body FROM history")]
        named = {f"{record['id']}.{index}" for record in records for index in range(self.image_count(record))}
        self.assertEqual(files, named)

    @staticmethod
    def image_count(record):
        message = record["item"].get("message")
        return len(message["_0"]["images"]) if message else 0
