"""`deckclient open-link`, which the desktop runs when somebody clicks on a `codexdeck://` link."""

import configparser
import os
import shutil
import subprocess

from deck import ADDRESS, DeckTest, ROOT, wait_until
from python_node import PythonNode
from terminal import Terminal

DESKTOP = ROOT / "packaging" / "codex-deck.desktop"
TASK = "0194d2f0-7b1c-7000-8000-00000000abcd"
TASKS = (("Fix the login", "approval"), ("Write the notes", "working", TASK))


class OpenLinkTest(DeckTest):
    def setUp(self):
        super().setUp()
        self.desk = PythonNode(self.home("python").path, name="Desk").start()
        self.addCleanup(lambda: self.desk._thread.is_alive() and self.desk.stop())
        self.desk.set_tasks(*TASKS)
        self.client = self.client()

    def terminal(self, *words, rows=24):
        terminal = Terminal(self.client.home, 100, rows)
        self.addCleanup(terminal.close)
        if words:
            terminal.line(f"clear; {self.client.binary} {' '.join(words)}; echo ended with $?")
        return terminal


class PairLinkTests(OpenLinkTest):
    def test_pairs_after_a_yes(self):
        terminal = self.terminal("open-link", f"'{self.desk.link}'")
        screen = terminal.wait_for("Pair with it?")
        self.assertIn(ADDRESS, screen)
        self.assertIn(self.desk.fingerprint[:16], screen)
        terminal.line("n")
        terminal.wait_for("ended with 0")
        self.assertEqual(self.client.json("nodes"), [])
        self.assertEqual(self.desk.connections, 0, "nothing was even tried")
        terminal.line(f"clear; {self.client.binary} open-link --hold '{self.desk.link}'; echo ended with $?")
        terminal.wait_for(lambda screen: "Pair with it?" in screen and "ended" not in screen)
        terminal.line("y")
        screen = terminal.wait_for("Press Return to close this.")
        self.assertIn("Paired with Desk", screen)
        self.assertNotIn("ended", screen)
        terminal.type("Enter")
        terminal.wait_for("ended with 0")
        self.assertEqual([node["health"] for node in self.client.json("nodes")], ["ready"])

    def test_warns_of_another_certificate(self):
        self.client.run("open-link", "--yes", self.desk.link)
        terminal = self.terminal("open-link", f"'{self.desk.link}'")
        self.assertIn("the same certificate", terminal.wait_for("Pair with it?"))
        terminal.line("n")
        terminal.wait_for("ended with 0")
        other = self.desk.link.replace(self.desk.fingerprint, "ab" * 32)
        terminal.line(f"clear; {self.client.binary} open-link '{other}'")
        terminal.wait_for(lambda screen: "ANOTHER certificate" in screen and "Pair with it?" in screen)
        terminal.line("n")
        terminal.wait_for("Nothing was changed.")
        self.assertEqual(self.client.json("nodes")[0]["health"], "ready")

    def test_refuses_without_anybody_to_ask(self):
        self.assertIn("no terminal", self.client.run("open-link", self.desk.link, code=1).err)
        self.assertEqual(self.client.json("nodes"), [])

    def test_other_links(self):
        for link in ("codexdeck://press/FAST", "codexdeck://agent/", f"codexdeck://agent/{TASK}/approve", f"https://agent/{TASK}", "x" * 5_000,
                     f"codexdeck://agent/{TASK}?title=%", self.desk.link + "&token=" + "t" * 43, "file:///etc/passwd", ""):
            with self.subTest(link[:60]):
                line = self.client.refusal("open-link", "--yes", link)
                self.assertNotIn(self.desk.token, line)
        self.assertEqual(self.client.json("nodes"), [])


class TaskLinkTests(OpenLinkTest):
    link = f"'codexdeck://agent/{TASK}?title=Anything&platform=win32'"

    def setUp(self):
        super().setUp()
        self.client.run("pair", stdin=self.desk.link)

    def is_detail(self, screen):
        return "Write the notes" in screen and "Fix the login" not in screen

    def test_opens_a_dashboard_on_the_task(self):
        terminal = self.terminal("open-link", "--hold", self.link)
        terminal.wait_for(self.is_detail)
        terminal.type("Escape")
        terminal.wait_for("Fix the login")
        terminal.type("q")
        terminal.wait_for("ended with 0")
        self.assertEqual(self.desk.commands, [], "a link shows, and presses nothing")

    def test_uses_the_dashboard_that_is_open(self):
        for daemon in (False, True):
            with self.subTest(daemon=daemon):
                if daemon:
                    engine = self.spawn(self.client.command("daemon"), self.client.environment, self.client.home.path / "daemon.log")
                    wait_until(lambda: "runs." in engine.log, "the engine")
                board = self.terminal("watch")
                board.wait_for("Fix the login")
                result = self.client.run("open-link", self.link.strip("'"))
                self.assertIn("dashboard that is open", result.err)
                board.wait_for(self.is_detail)
                board.close()
        self.assertEqual(self.desk.commands, [])

    def test_needs_a_terminal_when_none_is_open(self):
        programs, opened = self.home("programs").path, self.client.home.path / "opened"
        (programs / "xdg-terminal-exec").write_text(f"#!/bin/sh\necho \"$*\" >> {opened}\n")
        (programs / "xdg-terminal-exec").chmod(0o755)
        engine = self.spawn(self.client.command("daemon"), {**self.client.environment, "PATH": f"{programs}:{os.environ['PATH']}"},
                            self.client.home.path / "daemon.log")
        wait_until(lambda: "runs." in engine.log, "the engine")
        self.assertIn("terminal", self.client.refusal("open-link", self.link.strip("'")))
        # Somebody else's dashboard is none of ours.
        other = self.home("other")
        stranger = Terminal(other, 80, 24)
        self.addCleanup(stranger.close)
        again = type(self.client)(other)
        again.run("pair", stdin=self.desk.link)
        stranger.line(f"{again.binary} watch")
        stranger.wait_for("Fix the login")
        self.client.refusal("open-link", self.link.strip("'"))
        terminal = self.terminal("open-link", self.link)
        terminal.wait_for(self.is_detail)
        self.assertFalse(opened.exists(), "an engine that opened a terminal for a link would do so for ever")

    def test_a_task_that_is_not_known_yet(self):
        self.desk.stop()
        terminal = self.terminal("open-link", self.link)
        screen = terminal.wait_for("not known: Desk was not reached so far")
        self.assertNotIn("not on a key", screen)
        self.desk.start()
        terminal.wait_for(lambda screen: self.is_detail(screen) and "fresh" in screen, 20)
        terminal.type("Escape")
        terminal.wait_for("Fix the login")
        terminal.type("q")
        terminal.wait_for("ended with 0")
        self.assertEqual(self.desk.commands, [])

    def test_without_a_node(self):
        client = type(self.client)(self.home("other"))
        terminal = Terminal(client.home, 100, 24)
        self.addCleanup(terminal.close)
        terminal.line(f"clear; {client.binary} open-link {self.link}; echo ended with $?")
        screen = terminal.wait_for("ended with 1")
        self.assertIn("No node is paired, so nobody knows the task.", screen)

    def test_a_task_that_is_gone(self):
        gone = "codexdeck://agent/00000000-0000-4000-8000-000000000001"
        terminal = self.terminal("open-link", gone)
        terminal.wait_for("no computer shows this task")
        terminal.type("Escape")
        terminal.wait_for("Fix the login")
        terminal.type("q")
        terminal.wait_for("ended with 0")
        self.assertEqual(self.desk.commands, [])


class DesktopEntryTests(DeckTest):
    def test_the_entry(self):
        entry = configparser.RawConfigParser()
        entry.optionxform = str
        entry.read(DESKTOP)
        fields = entry["Desktop Entry"]
        self.assertEqual((fields["Type"], fields["MimeType"], fields["Terminal"]), ("Application", "x-scheme-handler/codexdeck;", "true"))
        words = fields["Exec"].split()
        self.assertEqual((words[0], words[1], words[-1]), ("deckclient", "open-link", "%u"))
        # The line as it stands must be one the program takes.
        result = self.client().run(*words[1:-1], "codexdeck://nothing", code=1)
        self.assertIn("not a pairing link", result.err)
        validator = shutil.which("desktop-file-validate")
        if validator:
            self.assertEqual(subprocess.run([validator, DESKTOP], capture_output=True, text=True).stdout, "")
