"""Keys that open something on the desktop: with a desktop (whose programs are stand-ins that note their words), without one, and those
that need a person at the computer."""

import os

from app_server_case import AppServerTest, NO_DESKTOP
from deck import wait_for

NOTE = """#!/bin/sh
{{ printf '%s' "$(basename "$0")"; printf '\\037%s' "$@"; printf '\\037in %s' "$PWD"; {more} printf '\\n'; }} >> {log}
"""
NEEDS_DESKTOP = ("TERM", "TIME", "APPS", "NAV", "OAI", "BUG", "FOLD", "SETUP", "LAB")
NEEDS_PERSON = ("UPL", "PAINT", "MIC")


class DesktopTests(AppServerTest):
    def test_headless(self):
        codex, rpc, node, screen = self.trio()
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        screen.open(thread)
        for keycap in NEEDS_DESKTOP:
            self.assertEqual(screen.refused(keycap), NO_DESKTOP, keycap)

    def test_keys_for_a_person(self):
        codex, rpc, node, screen = self.trio()
        thread = rpc.work(codex.folder, "hello")
        screen.slot(thread, "complete")
        screen.open(thread)
        for keycap in NEEDS_PERSON:
            self.assertIn("person at the computer", screen.refused(keycap), keycap)

    def desktop(self, *programs, code=0):
        """A node with a display and stand-ins for its programs, with an open task."""
        codex = self.codex()
        self.log = codex.home.path / "desktop.log"
        folder = codex.home.path / "bin"
        folder.mkdir()
        for name in programs:
            more = "printf '\\037gets %s' \"$(cat)\";" if name in ("xclip", "wl-copy") else ""
            script = folder / name
            script.write_text(NOTE.format(more=more, log=self.log) + f"exit {code}\n")
            script.chmod(0o755)
        rpc = codex.rpc()
        thread = rpc.work(codex.folder, "hello there")
        node = self.node_beside(codex, environment={"PATH": f"{folder}:{os.environ['PATH']}", "DISPLAY": ":99"})
        node.run("config", "set", "codex.path", codex.binary)
        screen = self.screen(node)
        screen.slot(thread)
        screen.open(thread)
        return codex, node, screen, thread

    def called(self, count=1):
        """The calls so far, each a list: the program, its words, and where it ran."""
        def calls():
            lines = self.log.read_text().split("\n")[:-1] if self.log.exists() else []
            return [line.split("\037") for line in lines]
        return wait_for(calls, lambda found: len(found) >= count, f"{count} calls")

    def test_pages_and_folders(self):
        codex, node, screen, thread = self.desktop("xdg-open")
        expected = {"OAI": "https://chatgpt.com/codex", "BUG": "https://github.com/openai/codex/issues", "LAB": "https://developers.openai.com/codex",
                    "FOLD": str(codex.folder), "SETUP": str(codex.home.codex / "config.toml")}
        for number, (keycap, what) in enumerate(expected.items(), start=1):
            screen.key(keycap)
            call = self.called(number)[-1]
            self.assertEqual(call[0], "xdg-open")
            self.assertTrue(call[1].startswith(what), (keycap, call))
            self.assertEqual(len(call), 3)

    def test_terminals(self):
        codex, node, screen, thread = self.desktop("x-terminal-emulator")
        expected = {"TERM": ["resume", thread], "TIME": ["agents"], "APPS": []}
        for number, (keycap, words) in enumerate(expected.items(), start=1):
            screen.key(keycap)
            call = self.called(number)[-1]
            self.assertEqual(call[:2], ["x-terminal-emulator", "-e"])
            at = call.index(codex.binary)
            self.assertIn(f"CODEX_HOME={codex.home.codex}", call[2:at])
            self.assertEqual(call[at + 1:-1], words, keycap)
            self.assertEqual(call[-1], f"in {codex.folder}")
        screen.press(kind="encoder")
        call = self.called(4)[-1]
        self.assertEqual(call[call.index(codex.binary) + 1:-1], ["resume", thread])
        screen.key("NAV")
        self.assertIn(codex.binary, self.called(5)[-1])

    def test_the_terminal_that_the_owner_names(self):
        codex, node, screen, thread = self.desktop("x-terminal-emulator", "my-terminal")
        node.run("config", "set", "terminal.command", "my-terminal --title 'Codex Deck' --")
        screen.key("TERM")
        self.assertEqual(self.called()[-1][:4], ["my-terminal", "--title", "Codex Deck", "--"])

    def test_the_clipboard(self):
        codex, node, screen, thread = self.desktop("xclip")
        screen.key("DWN")
        text = wait_for(lambda: self.log.read_text() if self.log.exists() else "", lambda text: text.endswith("\n"), "the call")
        self.assertTrue(text.startswith("xclip\037-selection\037clipboard\037"), text)
        self.assertIn("hello there", text.partition("\037gets ")[2])

    def test_programs_that_fail_or_are_missing(self):
        codex, node, screen, thread = self.desktop("xdg-open", code=3)
        self.assertIn("xdg-open", screen.refused("OAI"))
        self.assertNotIn("/", screen.refused("FOLD"))
        node.run("config", "set", "terminal.command", "no-such-terminal")
        self.assertIn("no-such-terminal", screen.refused("TERM"))

    def test_a_press_of_the_command_line(self):
        codex, node, screen, thread = self.desktop("xdg-open")
        node.run("press", "OAI")
        self.assertTrue(self.called()[-1][1].startswith("https://"))
