"""The views of the dashboard and its controls, with keys and with the mouse."""

import re
import time

from dashboard_case import SIZES, TASKS, DashboardCase, click, press, wheel
from deck import wait_until
from python_node import PythonNode


class DashboardViewTests(DashboardCase):
    VIEWS = {"b": "Attention", "n": "Nodes", "l": "Lower keys", "s": "Settings", "h": "Computers", "e": "The last commands", "k": "Keycaps",
             "Enter": "Owner"}

    def test_views_in_three_sizes(self):
        _, client = self.board()
        for columns, rows in SIZES:
            with self.subTest(f"{columns}x{rows}"):
                terminal = self.dashboard(client, columns, rows)
                terminal.wait_for("Fix the")
                for key, heading in self.VIEWS.items():
                    terminal.type(key)
                    terminal.wait_for(heading)
                    self.keep(terminal, f"{heading.split()[-1].lower()}-{columns}x{rows}")
                    self.check_rows(terminal, columns, rows)
                    terminal.type("Escape")
                    terminal.wait_for(lambda screen: heading not in screen and "6" in screen)
                terminal.close()

    def test_light_and_dark(self):
        """The terminal is asked for its background, and the settings and the command have their say before it."""
        _, client = self.board()
        cases = ("white", "", True), ("black", "", False), ("white", "--theme dark", False), ("black", "--theme light", True)
        for background, words, light in cases:
            with self.subTest(background + words):
                terminal = self.dashboard(client, 80, 24, words, background)
                terminal.wait_for(lambda screen: "ready" in screen and "approve?" in screen and "last known" not in screen)
                self.keep(terminal, f"theme-{background}{words}")
                row = next(row for row in terminal.colored().split("\n") if "approve?" in row)
                # What waits is brown on light terminals and orange on dark ones.
                self.assertEqual(("38;5;130m" in row, "38;5;214m" in row), (light, not light), repr(row))
                self.assertNotIn("rgb", "\n".join(terminal.text()), "the answer is not typed into anything")
                terminal.close()

    def test_a_theme_counts_at_once(self):
        _, client = self.board()
        terminal = self.dashboard(client, 80, 24)
        terminal.wait_for(lambda screen: "ready" in screen and "approve?" in screen and "last known" not in screen)
        for theme, color in (("light", "38;5;130m"), ("dark", "38;5;214m"), ("light", "38;5;130m")):
            client.run("settings", "set", "theme", theme)
            wait_until(lambda: color in terminal.colored(), f"the colours of {theme}")

    # Mouse and controls

    def test_mouse(self):
        for columns, rows in SIZES:
            with self.subTest(f"{columns}x{rows}"):
                node, client = self.board(port=47700 + columns)
                terminal = self.dashboard(client, columns, rows)
                terminal.wait_for("Idle around")
                self.assertEqual(terminal.ask("#{mouse_any_flag}"), "1")
                click(terminal, "Idle around")
                terminal.wait_for(lambda screen: re.search("▶ ?[1-6]+ idle", screen))
                self.assertEqual(node.commands, [], "a click on a card chooses it and no more")
                click(terminal, "Idle around")
                terminal.wait_for("Owner")
                click(terminal, "Esc back")
                terminal.wait_for("Write the")
                click(terminal, "FAST")
                sent = press(node, "action")
                self.assertEqual((sent[0]["slot"], sent[0]["threadKey"][:6]), ("ACT06", "local:"))
                terminal.type("q")
                terminal.wait_for("ended with 0")
                self.assertEqual(terminal.ask("#{mouse_any_flag}"), "0")
                terminal.close()

    def test_mouse_in_lists(self):
        for columns, rows in SIZES:
            with self.subTest(f"{columns}x{rows}"):
                node, client = self.board(port=47700 + columns)
                terminal = self.dashboard(client, columns, rows)
                terminal.wait_for("Idle around")
                terminal.type("s")
                terminal.wait_for("▶notifications")
                click(terminal, "contextRings")
                terminal.wait_for("▶contextRings              true")
                click(terminal, "contextRings")
                terminal.wait_for("▶contextRings              false")
                self.assertEqual(client.run("settings", "get", "contextRings").out.strip(), "false")
                for direction, setting in (("down", "bell"), ("down", "theme"), ("up", "bell")):
                    wheel(terminal, direction)
                    terminal.wait_for("▶" + setting)
                click(terminal, "Esc back")
                terminal.wait_for("q quit")
                terminal.type("l")
                terminal.wait_for("Lower keys")
                for _ in range(2):
                    click(terminal, "coding")
                terminal.wait_for("* coding")
                click(terminal, "Esc back")
                terminal.wait_for("q quit")
                terminal.type("k")
                terminal.wait_for("Keycaps")
                for _ in range(2):
                    click(terminal, "DIFF")
                self.assertEqual(press(node, "keycap")[0]["keycapId"], "DIFF")
                terminal.wait_for("q quit")
                terminal.type("n")
                terminal.wait_for("▶W Desk")
                click(terminal, "t test")
                terminal.wait_for("answered within")
                click(terminal, "Esc back")
                terminal.wait_for("q quit")
                click(terminal, "? help")
                first = terminal.wait_for("1-6")
                wheel(terminal, "down")
                if columns < 80:
                    terminal.wait_for(lambda screen: "1-6" not in screen)
                    wheel(terminal, "up")
                terminal.wait_for(lambda screen: screen == first)
                click(terminal, "Esc close")
                terminal.wait_for("q quit")
                click(terminal, "q quit")
                terminal.wait_for("ended with 0")
                self.check_shell_has(terminal, client)
                terminal.close()

    def test_mouse_in_the_attention_center(self):
        node, client = self.board()
        terminal = self.dashboard(client, 40, 12)
        terminal.wait_for("Idle around")
        for number, slot in enumerate((2, 3)):
            node.snapshot["slots"][slot]["status"] = "approval"
            node.publish()
            terminal.wait_for(f"bell {number + 1}")
        click(terminal, "bell 2")
        terminal.wait_for("▶* approve? All done")
        click(terminal, "Idle around")
        terminal.wait_for("▶* approve? Idle around")
        click(terminal, "Idle around")
        terminal.wait_for("Owner")
        click(terminal, "Esc back")
        terminal.wait_for(lambda screen: "▶  approve? Idle around" in screen and "1 unread" in screen)
        self.assertEqual(node.commands, [])

    # Pastes and the first run

    def test_pasted_text_presses_no_keys(self):
        node, client = self.board()
        terminal = self.dashboard(client, 80, 24)
        terminal.wait_for("Fix the login")
        for text in ("a\ny\n", "1o2", "FR" * 20, "q", "C\x1b[A\x1bOP"):
            terminal.paste(text)
            terminal.wait_for("Pasted text presses no keys.")
            terminal.type("Escape")
            terminal.wait_for(lambda screen: "Pasted" not in screen and "Fix the login" in screen)
        self.assertEqual(node.commands, [])
        terminal.type("2")
        press(node, "agent")
        terminal.type("q")
        terminal.wait_for("ended with 0")

    def test_the_first_run(self):
        node = PythonNode(self.home("python").path, name="Desk")
        node.set_tasks(*TASKS)
        node.start()
        self.addCleanup(lambda: node._thread.is_alive() and node.stop())
        client = self.client()
        for words in (["--once"], ["--plain"], ["--json"], ["--once", "--json"]):
            self.assertIn("deckclient pair", client.refusal("watch", *words))
        terminal = self.dashboard(client, 40, 12)
        terminal.wait_for("Welcome to Codex Deck")
        terminal.paste("https://example.org")
        terminal.wait_for("does not begin with")
        terminal.type("C-u")
        terminal.wait_for("Waiting for a link.")
        terminal.paste(node.link[:-9])
        terminal.type("Enter")
        screen = terminal.wait_for(lambda screen: "characters so far" in screen and "link" in screen.splitlines()[-2])
        self.assertNotIn(node.token[:8], screen)
        terminal.type("C-u")
        terminal.wait_for("Waiting for a link.")
        # As it comes out of a mail that breaks long lines.
        terminal.paste(f"  {node.link[:50]}\r\n{node.link[50:]}\n")
        terminal.wait_for(f"{len(node.link)} characters so far.")
        terminal.type("Enter")
        terminal.wait_for("Fix the login")
        self.assertEqual([found["health"] for found in client.json("nodes")], ["ready"])
        terminal.type("q")
        terminal.wait_for("ended with 0")
        self.check_shell_has(terminal, client)

    def test_the_first_run_can_wait(self):
        terminal = self.dashboard(self.client(), 80, 24)
        terminal.wait_for("Welcome to Codex Deck")
        terminal.type("Escape")
        terminal.wait_for("p pair a computer")
        terminal.type("p")
        terminal.wait_for("Welcome to Codex Deck")
        terminal.type("Escape")
        terminal.wait_for("p pair a computer")
        terminal.type("q")
        terminal.wait_for("ended with 0")

    def test_controls(self):
        for columns, rows in SIZES:
            node, client = self.board(port=47700 + columns)
            terminal = self.dashboard(client, columns, rows)
            terminal.wait_for("Fix the login")
            first = "local:" + client.json("agents")[0]["id"]
            for key, kind, field, value in (("P", "joystick", "direction", "up"), ("B", "joystick", "direction", "left"),
                                            ("+", "reasoning", "direction", "increase"), ("-", "reasoning", "direction", "decrease"),
                                            ("E", "encoder", "kind", "encoder"), ("F", "keycap", "keycapId", "FAST"),
                                            ("S", "keycap", "keycapId", "SPLIT"), ("N", "keycap", "keycapId", "NEW"),
                                            ("C", "keycap", "keycapId", "CODEX"), ("F1", "action", "slot", "ACT06")):
                with self.subTest(f"{columns}x{rows} {key}"):
                    node.commands.clear()
                    terminal.type(key)
                    sent = press(node, kind)[0]
                    self.assertEqual((sent[field], sent["threadKey"]), (value, first))
                    time.sleep(0.25)
            terminal.close()

    def test_layouts_and_settings(self):
        node, client = self.board()
        terminal = self.dashboard(client, 80, 24)
        terminal.wait_for("F1 FAST")
        terminal.type("l", "Down", "Down", "Enter")
        terminal.wait_for("F1  ACT06       DIFF")
        terminal.type("End", "Enter")
        terminal.wait_for("Keycap for ACT12")
        terminal.type("Right", "Enter")
        terminal.wait_for("ACT12       PAINT")
        terminal.type("Escape")
        terminal.wait_for("F6 PAINT")
        self.assertEqual(client.run("settings", "get", "layout").out.strip(), "review")
        self.assertEqual(node.commands, [], "no computer hears of it")
        terminal.type("F6")
        self.assertEqual(press(node, "keycap")[0]["keycapId"], "PAINT")
        terminal.type("s", "Down", "Down", "Down", "Down", "Enter")
        terminal.wait_for("contextRings              false")
        self.assertEqual(client.run("settings", "get", "contextRings").out.strip(), "false")
        terminal.type("Escape")
        terminal.wait_for(lambda screen: "Fix the login" in screen and "context" not in screen)

    def test_reset_limit(self):
        node, client = self.board()
        terminal = self.dashboard(client, 80, 24)
        terminal.wait_for("1 reset R")
        terminal.type("R")
        terminal.wait_for("Spend a credit on Desk?")
        terminal.type("n")
        terminal.wait_for("Nothing was sent.")
        self.assertEqual(node.commands, [])
        started = time.monotonic()
        while not node.commands and time.monotonic() < started + 5:
            terminal.type("R")
            time.sleep(0.05)
        self.assertEqual({fields["kind"] for _, fields in node.commands}, {"rate-limit-reset"})
        self.assertGreater(time.monotonic() - started, 1.2, "only a key that is held resets")

    # Attention and follow

    def test_attention_and_follow(self):
        node, client = self.board()
        terminal = self.dashboard(client, 80, 24)
        terminal.wait_for("Idle around")
        index = next(index for index, (title, _) in enumerate(TASKS) if title == "Idle around")
        node.snapshot["slots"][index]["status"] = "approval"
        node.publish()
        terminal.wait_for("bell 1")
        terminal.type("b")
        terminal.wait_for("* approve? Idle around")
        self.keep(terminal, "attention-one-80x24")
        terminal.type("Enter")
        terminal.wait_for("approve?")
        wait_until(lambda: not any(event["unread"] for event in client.json("attention")), "the event to be read")
        terminal.type("f")
        terminal.wait_for(re.compile("Follow +on").search)
        terminal.type("Escape", "Escape")
        terminal.wait_for("◆ approve? Idle around")
        self.assertNotIn("bell", terminal.text()[0])
        self.assertEqual(node.commands, [], "looking sends nothing")
        node.drop_clients()
        node.stop()
        terminal.wait_for("last known Idle around")

    # Nodes

    def test_nodes_are_tested_and_paired(self):
        node, client = self.board()
        other = PythonNode(self.home("other").path, name="Second", port=47790)
        other.start()
        self.addCleanup(lambda: other._thread.is_alive() and other.stop())
        terminal = self.dashboard(client, 80, 24)
        terminal.wait_for("Fix the login")
        terminal.type("n")
        terminal.wait_for("Pinned")
        terminal.type("t")
        terminal.wait_for("answered within")
        terminal.type("p")
        terminal.wait_for("Waiting for a link.")
        terminal.type("-l", other.link)
        terminal.wait_for(f"{len(other.link)} characters so far.")
        self.assertNotIn(other.token[:8], "\n".join(terminal.text()))
        terminal.type("Enter")
        terminal.wait_for("Paired with Second.")
        terminal.type("Escape")
        terminal.wait_for("Second ready")
        other.stop()
        terminal.type("n", "Down", "t")
        terminal.wait_for(re.compile("Test +(?!connecting|t tests|answered)").search)
        self.keep(terminal, "nodes-failed-80x24")
        self.assertEqual(node.commands, [])
