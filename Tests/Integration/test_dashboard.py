"""The dashboard as people see it: in terminals of three sizes, with names that mean it no good, and left in every way."""

import os
import re
import signal
import time

from dashboard_case import SIZES, TASKS, DashboardCase
from deck import wait_until
from terminal import Terminal


class DashboardTests(DashboardCase):
    def test_three_sizes(self):
        _, client = self.board()
        for columns, rows in SIZES:
            with self.subTest(f"{columns}x{rows}"):
                terminal = self.dashboard(client, columns, rows)
                terminal.wait_for(lambda screen: "ready" in screen and all(title[:8] in screen for title, _ in TASKS))
                self.keep(terminal, f"dashboard-{columns}x{rows}")
                screen = self.check_rows(terminal, columns, rows)
                self.assertIn("Desk", screen)
                for number in range(1, 7):
                    self.assertIn(str(number), screen)
                if columns >= 80:
                    for title, _ in TASKS:
                        self.assertIn(title, screen)
                    for word in ("approve?", "working", "idle", "done", "error", "answer?"):
                        self.assertIn(word, screen.lower(), "the state is there in words, not by colour alone")
                terminal.type("?")
                terminal.wait_for("Keys")
                self.keep(terminal, f"help-{columns}x{rows}")
                self.check_rows(terminal, columns, rows)
                terminal.type("Escape")
                terminal.wait_for(TASKS[0][0][:8])
                terminal.type("q")
                terminal.wait_for("ended with 0")
                self.check_shell_has(terminal, client)
                terminal.close()

    def test_the_demo_moves(self):
        node = self.node().start(demo=True)
        client = self.client()
        client.run("pair", stdin=node.pair().link)
        terminal = self.dashboard(client, 80, 24)
        for title in ("login test", "importer", "release notes", "memory leak", "schema", "payment"):
            terminal.wait_for(title)
        first = terminal.wait_for("orking")
        self.keep(terminal, "demo-80x24")
        wait_until(lambda: "\n".join(terminal.text()) != first, "something to move", 15, 0.2)

    def test_keys_reach_the_owner(self):
        node, client = self.board()
        terminal = self.dashboard(client, 80, 24)
        terminal.wait_for("Write the notes")
        terminal.type("2")
        key = wait_until(lambda: [fields for _, fields in node.commands if fields["kind"] == "agent"], "the press")[0]["threadKey"]
        wait_until(lambda: len(node.commands) == 2, "the release")
        shown = client.json("agents")
        self.assertEqual(key, "local:" + shown[1]["id"], "the key opens what lies on it")
        node.commands.clear()
        terminal.type("a")
        terminal.wait_for("is not waiting for an answer")
        terminal.type("Home", "a")
        terminal.wait_for("y/n")
        terminal.type("Escape")
        terminal.wait_for("Nothing was sent.")
        self.assertEqual(node.commands, [], "nothing is approved without a confirmation, and leaving the question decides nothing")
        terminal.type("1", "a")
        terminal.wait_for("y/n")
        waiting = "local:" + shown[0]["id"]
        wait_until(lambda: len(node.commands) == 2, "the press and the release of the other key")
        terminal.type("y")
        approved = wait_until(lambda: [fields for _, fields in node.commands if fields["kind"] == "keycap"], "the approval")[0]
        self.assertEqual((approved["keycapId"], approved["threadKey"]), ("APPR", waiting))
        terminal.wait_for(lambda screen: "Sending" not in screen)
        self.keep(terminal, "approved-80x24")

    def test_partial_redraws_are_whole(self):
        """What is drawn bit by bit is what is drawn at once."""
        for columns, rows in SIZES:
            node, client = self.board(port=47700 + columns)
            terminal = self.dashboard(client, columns, rows)
            terminal.wait_for(lambda screen: "ready" in screen)
            for index, status in ((0, "working"), (3, "idle"), (5, "error"), (1, "error")):
                node.snapshot["slots"][index]["status"] = status
                node.publish()
                terminal.wait_for(lambda screen: f"{index + 1} {status}" in screen)
                partial = terminal.text()
                terminal.type("C-l")
                time.sleep(0.25)
                self.assertEqual("\n".join(terminal.text()), "\n".join(partial), f"key {index + 1} to {status}")
            terminal.close()

    def test_resizing(self):
        _, client = self.board()
        terminal = self.dashboard(client, 200, 50)
        terminal.wait_for("Fix the login")
        for columns, rows in ((40, 12), (30, 8), (1, 1), (120, 30), (1, 5), (5, 1), (2, 2), (1, 1), (40, 12), (1, 1), (80, 24)):
            terminal.resize(columns, rows)
            if columns < 40:
                # ncurses cannot draw in a single column: the terminal shows nothing then.
                small = "" if columns == 1 else "Too small"[:columns - 1] + "…" if columns < 30 else "Too small"
                terminal.wait_for(lambda screen: screen.rstrip() == small or screen.startswith(small) and columns == 30)
            else:
                terminal.wait_for(lambda screen: "Fix the login"[:8] in screen)
            self.check_rows(terminal, columns, rows)
        for title, _ in TASKS:
            terminal.wait_for(title)

    def test_without_colours(self):
        _, client = self.board()
        terminal = self.dashboard(client, 80, 24, NO_COLOR="1")
        terminal.wait_for("Fix the login")
        colors = re.findall("\x1b\\[([0-9;]*)m", terminal.colored())
        used = {code for parameters in colors for code in parameters.split(";")}
        self.assertEqual(used & {str(code) for code in [*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108)]}, set())
        self.keep(terminal, "no-color-80x24")

    def test_computer_that_goes(self):
        node, client = self.board()
        terminal = self.dashboard(client, 80, 24)
        terminal.wait_for("Fix the login")
        node.drop_clients()
        node.stop()
        screen = terminal.wait_for(lambda screen: "offline" in screen.lower() or "last known" in screen.lower())
        self.assertIn("Fix the login", screen)
        self.keep(terminal, "offline-80x24")

    # Ways out

    def left(self, client, terminal, code):
        screen = terminal.wait_for("ended with")
        self.assertRegex(screen, rf"ended with {code}\b")
        self.check_shell_has(terminal, client)
        terminal.line("echo typed")
        terminal.wait_for(lambda screen: screen.count("typed") == 2)
        terminal.close()

    def test_left_by_keys(self):
        _, client = self.board()
        for columns, rows in SIZES:
            for keys in (("q",), ("C-c",), ("?", "Escape", "q"), ("n", "p", "x", "C-c")):
                with self.subTest(f"{columns}x{rows} {keys}"):
                    terminal = self.dashboard(client, columns, rows)
                    terminal.wait_for("Fix the login")
                    for key in keys:
                        terminal.type(key)
                        time.sleep(0.1)
                    self.left(client, terminal, "(0|130)")

    def test_left_by_signals(self):
        _, client = self.board()
        for name, number in (("TERM", 143), ("INT", 130), ("HUP", 129)):
            with self.subTest(name):
                terminal = self.dashboard(client, 80, 24)
                terminal.wait_for("Fix the login")
                os.kill(self.pid(client), getattr(signal, "SIG" + name))
                self.left(client, terminal, f"(0|{number})")

    def test_left_by_crashes(self):
        _, client = self.board()
        for name in ("SEGV", "ABRT", "QUIT", "BUS", "ILL", "FPE", "TRAP"):
            with self.subTest(name):
                # The runtime of Swift would ask at the terminal what to do about the crash.
                terminal = self.dashboard(client, 80, 24, SWIFT_BACKTRACE="enable=no")
                terminal.wait_for("Fix the login")
                os.kill(self.pid(client), getattr(signal, "SIG" + name))
                self.left(client, terminal, 128 + getattr(signal, "SIG" + name))

    def test_suspended_and_resumed(self):
        _, client = self.board()
        stopped = client.home.path / "modes-stopped"
        for columns, rows in SIZES:
            with self.subTest(f"{columns}x{rows}"):
                stopped.unlink(missing_ok=True)
                terminal = self.dashboard(client, columns, rows)
                terminal.wait_for("Fix the login")
                terminal.type("C-z")
                terminal.wait_for(lambda screen: terminal.ask("#{alternate_on}") == "0")
                terminal.line(f"stty -a > {stopped}; echo stopped with $?")
                terminal.wait_for("stopped with 0")
                self.check_shell_has(terminal, client, "modes-stopped")
                terminal.line("clear; fg")
                terminal.wait_for("Write the")
                wait_until(lambda: terminal.ask("#{alternate_on} #{cursor_flag} #{mouse_any_flag}") == "1 0 1", "the mouse to be the dashboard's")
                self.assertTrue(terminal.bytes.read_bytes().rfind(b"\x1b[?2004h") > terminal.bytes.read_bytes().rfind(b"\x1b[?2004l"))
                terminal.type("?")
                terminal.wait_for("Keys")
                terminal.type("Escape")
                terminal.wait_for("Write the")
                terminal.type("q")
                terminal.wait_for(lambda screen: terminal.ask("#{alternate_on}") == "0")
                terminal.line(f"stty -a > {stopped}; echo left with $?")
                terminal.wait_for("left with 0")
                self.check_shell_has(terminal, client, "modes-stopped")
                terminal.close()

    def test_suspended_with_the_script_that_runs_it(self):
        _, client = self.board()
        terminal = Terminal(client.home, 80, 24)
        self.addCleanup(terminal.close)
        script = client.home.path / "script"
        script.write_text(f"{client.binary} watch\necho script ended\n")
        terminal.line(f"clear; sh {script}")
        terminal.wait_for("Fix the login")
        terminal.type("C-z")
        terminal.wait_for(lambda screen: terminal.ask("#{alternate_on}") == "0")
        terminal.line("echo the shell is back | tr a-z A-Z")
        terminal.wait_for("THE SHELL IS BACK")
        terminal.line("clear; fg")
        terminal.wait_for("Write the notes")
        terminal.type("q")
        terminal.wait_for("script ended")

    def test_a_node_that_is_killed(self):
        for columns, rows in SIZES:
            with self.subTest(f"{columns}x{rows}"):
                node = self.node().start(demo=True)
                client = self.client()
                client.run("pair", stdin=node.pair().link)
                terminal = self.dashboard(client, columns, rows)
                terminal.wait_for("Demo: fix")
                node.running.kill()
                screen = terminal.wait_for(lambda screen: "offline" in screen.lower() or "last known" in screen.lower(), 20)
                self.assertIn("Demo: fix", screen)
                terminal.type("q")
                self.left(client, terminal, 0)
