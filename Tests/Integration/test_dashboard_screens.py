"""The dashboard as it has to look: every view, in three sizes, in dark and in light terminals, compared with screens kept here."""

import re
import time

import expected_screen
from dashboard_case import SIZES, DashboardCase
from deck import wait_until
from python_node import PythonNode, milliseconds, usage

HOUR = 3_600_000
TASKS = (("Fix the login redirect loop", "approval", 45), ("Write the release notes", "working", 83), ("Import the old customers", "idle", 12),
         ("Find the memory leak", "working", 96), ("漢字のとても長いタイトル漢字のとても長いタイトル", "error", 7), ("שלום עולם עברית", "awaiting-response", None))
HOSTILE = (
    "\x1b]0;owned\x07\x1b[31mred\x1b[0m \x1b]52;c;b3duZWQ=\x07clip\x1b[2J\x1b[1;1H", "two\nlines\tand \x9b2J\x9d52;c;b3duZWQ=\x9c C1 \x7f\x08\x0e\x00 bytes",
    "👩‍👩‍👧‍👦 family 🇩🇪 flag ❤️ 👍🏽 ⌚ ☺️ 1️⃣ thumb", "\u202eevil\u202c \u2066שלום\u2069 \u200fעולם\u200e \u061cمرحبا\u202b bidi\u202d",
    "Z" + "\u0301\u0323\u0302\u0489" * 30 + "algo \u200b\u200b\ufeff\u2060\u00ad zero\u3164\u115f\u1160 width", "漢字のとても長いタイトル" * 400)
VIEWS = (("board", ()), ("attention", ("b",)), ("detail", ("Enter",)), ("nodes", ("n",)), ("settings", ("s",)), ("layouts", ("l",)),
         ("hosts", ("h",)), ("keycaps", ("k",)), ("commands", ("e",)), ("help", ("?",)), ("pairing", ("p",)))


def clock():
    """A time zone in which it is ten in the morning now: what is later or earlier that day is on the same day."""
    seconds = int(time.time()) % 86_400 - 36_000
    return f"TST{'-' if seconds < 0 else '+'}{abs(seconds) // 3600:02}:{abs(seconds) // 60 % 60:02}:{abs(seconds) % 60:02}"


def steady(row):
    """A row without what depends on the day and on how long the test has run."""
    row = re.sub(r"\b\d\d:\d\d\b", "HH:MM", row)
    row = re.sub(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) HH", "Day HH", row)
    return re.sub(r"  [1-9] min( |$)", r"    now\1", row)


class ScreensTest(DashboardCase):
    limit = 120

    def desk(self, *tasks, name=None, port=47700):
        """A computer whose facts are the same whenever the test runs, a client that is its engine already, and a clock."""
        node = PythonNode(self.home("python").path, name="Desk", host="10000000-0000-4000-8000-000000000001", port=port)
        node.set_tasks(*((title, status, f"00000000-0000-4000-8000-{index:012}") for index, (title, status, _) in enumerate(tasks)))
        for index, (slot, session) in enumerate(zip(node.snapshot["slots"], node.snapshot["hostSessions"])):
            slot["contextUsedPercent"] = tasks[index][2]
            # In the middle of an hour: the age does not change while the test looks.
            slot["activityAt"] = session["activityAt"] = milliseconds() - (2 * index + 1) * HOUR - HOUR // 2
        node.capabilities += ["joystick", "reasoning", "rate-limit-reset"]
        node.snapshot["usage"] = usage(credits=1)
        node.start()
        self.addCleanup(lambda: node._thread.is_alive() and node.stop())
        client = self.client()
        client.run("pair", stdin=node.link)
        # No link has such a name; what a computer says later may.
        node.name = name or node.name
        engine = self.spawn(client.command("daemon"), client.environment, client.home.path / "daemon.log")
        wait_until(lambda: "runs." in engine.log, "the engine")
        wait_until(lambda: [computer["health"] for computer in client.json("watch", "--once")["computers"]] == ["ready"], "the computer")
        return node, client

    def happen(self, node, client, *changes):
        """Changes the status of slots, one after another, and waits for the event of each."""
        for number, (slot, status) in enumerate(changes):
            node.snapshot["slots"][slot]["status"] = status
            node.publish()
            wait_until(lambda: len(client.json("attention")) == number + 1, f"the event of {status}")

    def pair_of_terminals(self, client, size, clipboard="external"):
        """A dark and a light terminal with a dashboard each; `clipboard` is whether programs may fill that of tmux."""
        zone = clock()
        terminals = [self.dashboard(client, *size, background=background, TZ=zone) for background in ("black", "white")]
        for terminal in terminals:
            terminal.set("set-clipboard", clipboard)
            terminal.wait_for("q quit")
        return terminals

    def check(self, name, size, terminals):
        self.keep(terminals[0], f"{name}-{size[0]}x{size[1]}-dark")
        self.keep(terminals[1], f"{name}-{size[0]}x{size[1]}-light", light=True)
        for terminal in terminals:
            self.check_rows(terminal, *size)
        with self.subTest(f"{name}-{size[0]}x{size[1]}"):
            expected_screen.check(f"{name}-{size[0]}x{size[1]}", *terminals, steady)

    def look_at(self, prefix, views, size, terminals):
        for name, keys in views:
            for terminal in terminals:
                for key in keys:
                    terminal.type(key)
            self.check(prefix + name, size, terminals)
            for terminal in terminals:
                if keys:
                    terminal.type("Escape")
                    terminal.wait_for("q quit")


class ViewScreensTests(ScreensTest):
    def views(self, size):
        node, client = self.desk(*TASKS)
        self.happen(node, client, (2, "approval"), (3, "error"))
        self.look_at("", VIEWS, size, self.pair_of_terminals(client, size))

    def test_small(self):
        self.views(SIZES[0])

    def test_medium(self):
        self.views(SIZES[1])

    def test_large(self):
        self.views(SIZES[2])


class WelcomeScreensTests(ScreensTest):
    def test_nobody_is_paired(self):
        for size in SIZES:
            client = self.client()
            terminals = [self.dashboard(client, *size, background=background) for background in ("black", "white")]
            for terminal in terminals:
                terminal.wait_for("Welcome to Codex Deck")
            self.check("welcome", size, terminals)


class QuestionScreensTests(ScreensTest):
    def test_question(self):
        for size in SIZES:
            _, client = self.desk(*TASKS, port=47700 + size[0])
            terminals = self.pair_of_terminals(client, size)
            for terminal in terminals:
                terminal.type("a")
                terminal.wait_for("y/n")
            self.check("question", size, terminals)


class HostileScreensTests(ScreensTest):
    """Titles and names that mean no good are shown as text, and nothing else comes of them."""

    VIEWS = (("board", ()), ("attention", ("b",)), ("nodes", ("n",)), *((f"detail-{key}", ("Tab",) * (key > 1) + ("Enter",)) for key in range(1, 7)))
    ALLOWED = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b[()][0AB]|\x1b[=>78M]|\x1b\\]11;\\?\x1b\\\\|[\x0f\r\n\t\x08\x07]")

    def hostile(self, size):
        statuses = "working", "idle", "idle", "idle", "idle", "error"
        name = "De\x1b[2Jsk\x9b\u202e\x1b]52;c;eA==\x07 漢"
        node, client = self.desk(*((title, status, 10) for title, status in zip(HOSTILE, statuses)), name=name)
        self.happen(node, client, (1, "approval"), (4, "awaiting-response"))
        terminals = self.pair_of_terminals(client, size, clipboard="on")
        self.look_at("hostile-", self.VIEWS, size, terminals)
        for terminal in terminals:
            self.assertNotEqual(terminal.ask("#{pane_title}"), "owned")
            self.assertEqual(terminal.buffers(), "", "nothing got into the clipboard")
            terminal.type("q")
            terminal.wait_for("ended with 0")
            sent = self.ALLOWED.sub("", terminal.bytes.read_bytes().decode().split("watch", 1)[1])
            bad = {character for character in sent if not character.isprintable()}
            self.assertEqual(bad, set(), "what a terminal would take for a command")

    def test_small(self):
        self.hostile(SIZES[0])

    def test_medium(self):
        self.hostile(SIZES[1])

    def test_large(self):
        self.hostile(SIZES[2])
