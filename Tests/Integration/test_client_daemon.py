"""`deckclient daemon` and what hangs on it: events, notifications, settings, the widgets and the snippets of docs/widgets.md."""

import configparser
import json
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree

from deck import CLIENT, DeckTest, ROOT, wait_for, wait_until
from python_node import milliseconds, PythonNode, usage
from terminal import Terminal

TASKS = (("Fix the login", "idle"), ("Write the notes", "working"), ("Idle around", "idle"))
FORMATS = "waybar", "i3blocks", "tmux", "plain", "json"
WIDGETS = (("capacity",), ("capacity", "--both"), ("agent",), ("board",), ("board", "--three"), ("command", "FAST"), ("deck", "FAST", "APPR"),
           ("follow",))
HOSTILE = "<b>&'\"\\ #(touch here) #[fg=red] %{A1:touch here:} %H"
NOTIFY_SEND = """#!/bin/sh
# Stands in for the real one: each call is a line in a file, and every notification has the number of its line.
if [ "$1" = --help ]; then echo '--urgency --print-id --replace-id=ID'; exit; fi
printf '%s\\n' "$*" >> "$HOME/notified"
wc -l < "$HOME/notified"
"""


class DaemonCase(DeckTest):
    def setUp(self):
        super().setUp()
        self.node = PythonNode(self.home("python").path, name="Desk").start()
        self.addCleanup(lambda: self.node._thread.is_alive() and self.node.stop())
        self.node.set_tasks(*TASKS)
        self.node.snapshot["usage"] = usage()
        home = self.home("client")
        programs = home.path / "bin"
        programs.mkdir()
        (programs / "notify-send").write_text(NOTIFY_SEND)
        (programs / "notify-send").chmod(0o755)
        (programs / "deckclient").symlink_to(CLIENT)
        self.client = self.client(home, environment={"PATH": f"{programs}:{os.environ['PATH']}"})
        self.client.run("pair", stdin=self.node.link)
        self.widgets = home.state / "client" / "widget.json"
        self.daemons = 0

    def daemon(self):
        """A daemon that has heard the node."""
        self.daemons += 1
        before = self.node.connections
        running = self.spawn(self.client.command("daemon"), self.client.environment, self.client.home.path / f"daemon-{self.daemons}.log")
        wait_until(lambda: "The background engine runs." in running.log, "the engine")
        wait_until(lambda: self.node.connections > before, "a connection")
        wait_until(lambda: self.client.json("nodes")[0]["health"] == "ready", "the first snapshot")
        return running

    def change(self, slot, **fields):
        self.node.snapshot["slots"][slot].update(fields, activityAt=milliseconds())
        self.node.publish()

    def events(self):
        return [(event["kind"], event["title"]) for event in reversed(self.client.json("attention"))]

    def notified(self):
        path = self.client.home.path / "notified"
        return path.read_text().splitlines() if path.exists() else []

    def widget(self, *words, **options):
        return self.client.run("widget", *words, **options).out


class DaemonTests(DaemonCase):
    def test_events_survive_a_kill_and_are_told_once(self):
        self.client.run("settings", "set", "notifications", "on")
        running = self.daemon()
        self.assertEqual(self.events(), [], "what was so before is no event")
        self.change(0, status="approval")
        wait_until(lambda: len(self.notified()) == 1, "the notification")
        first, = self.notified()
        self.assertIn("--urgency=critical", first)
        self.assertNotIn("Fix the login", first, "titles are shown only when that is allowed")
        running.kill()
        self.assertEqual(self.events(), [("approval", "Fix the login")], "nothing that was told is lost")
        for _ in range(2):
            running = self.daemon()
            # Two snapshots more than the one that the daemon has heard.
            time.sleep(2.2)
            self.assertEqual(self.events(), [("approval", "Fix the login")])
            self.assertEqual(running.stop(), 0)
        self.assertEqual(self.notified(), [first], "a restart tells nothing again")
        self.client.run("settings", "set", "showTaskTitles", "on")
        running = self.daemon()
        self.node.snapshot["hostSessions"][1].update(status="complete", completionRevision=4_096)
        self.change(1, status="complete")
        wait_until(lambda: len(self.notified()) == 2, "the second notification")
        self.change(1, status="unread")
        time.sleep(2.2)
        self.assertEqual(self.events(), [("approval", "Fix the login"), ("completion", "Write the notes")])
        self.assertEqual(len(self.notified()), 2, "the word of a completion may flip")
        self.assertIn("Write the notes", self.notified()[1])
        self.client.run("attention", "read", "--all")
        running.kill()
        self.assertEqual(self.client.json("attention", "--unread"), [], "nor is what was read")

    def test_hang_up_reads_settings_and_nodes_again(self):
        running = self.daemon()
        self.change(0, status="approval")
        wait_until(lambda: len(self.events()) == 1, "the event")
        self.assertEqual(self.notified(), [], "notifications are off until they are turned on")
        settings = self.client.home.config / "client.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text('{"notifications": true}')
        nodes = self.client.home.state / "client" / "nodes.json"
        nodes.write_text(nodes.read_text().replace('"Desk"', '"Bureau"'))
        running.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "read again" in running.log, "the settings to be read")
        self.assertEqual([node["name"] for node in self.client.json("nodes")], ["Bureau"])
        self.change(2, status="error")
        wait_until(lambda: len(self.notified()) == 1, "the notification")
        self.assertIn("--urgency=normal", self.notified()[0])
        self.assertTrue(running.is_running)
        # A file that cannot be read is complained about and left alone.
        settings.write_text("{")
        running.process.send_signal(signal.SIGHUP)
        wait_until(lambda: running.log.count("read again") == 2, "the second reading")
        self.assertTrue(running.is_running)
        self.assertIn("mend or remove the file", running.log)
        self.change(1, status="awaiting-response")
        wait_until(lambda: len(self.events()) == 3, "an event after that")
        self.assertEqual(running.stop(), 0)

    def test_without_notify_send_it_is_said_once(self):
        (self.client.home.path / "bin" / "notify-send").unlink()
        empty = self.client.home.path / "none"
        empty.mkdir()
        self.client.environment["PATH"] = str(empty)
        self.client.run("settings", "set", "notifications", "on")
        running = self.daemon()
        self.change(0, status="approval")
        self.change(1, status="error")
        wait_until(lambda: len(self.events()) == 2, "the events")
        wait_until(lambda: "notify-send" in running.log, "the warning")
        self.change(2, status="complete")
        wait_until(lambda: len(self.events()) == 3, "another event")
        time.sleep(1.2)
        self.assertEqual(running.log.count("notify-send"), 1, running.log)

    def test_a_second_daemon_waits_for_the_first(self):
        first = self.daemon()
        second = self.spawn(self.client.command("daemon"), self.client.environment, self.client.home.path / "second.log")
        wait_until(lambda: f"process {first.pid}" in second.log, "the second one to say whom it waits for")
        first.kill()
        wait_until(lambda: "The background engine runs." in second.log, "the second one to take over")
        self.assertEqual(second.stop(), 0)


class WidgetTests(DaemonCase):
    def test_every_widget_in_every_format(self):
        self.node.set_tasks((HOSTILE, "approval"), *TASKS)
        running = self.daemon()
        self.client.run("follow", "1")
        wait_for(lambda: self.widget("follow"), lambda text: "touch" in text, "the followed task")
        for words in WIDGETS:
            for kind in FORMATS:
                with self.subTest(widget=words, format=kind):
                    self.check(self.widget(*words, "--format", kind, "--width", "80"), kind)
        self.assertFalse(any(path.name == "here" for path in self.client.home.path.rglob("*")))
        self.assertEqual(running.stop(), 0)

    def check(self, text, kind):
        self.assertNotIn("\x1b", text)
        self.assertTrue(text.endswith("\n"))
        lines = text[:-1].split("\n")
        self.assertEqual(len(lines), 3 if kind == "i3blocks" else 1, text)
        if kind == "waybar":
            self.check_waybar(lines[0])
        elif kind == "i3blocks":
            self.assertTrue(lines[0] and lines[1])
            self.assertRegex(lines[2], r"\A(#[0-9A-F]{6})?\Z")
        elif kind == "tmux":
            # All that is left of a number sign are pairs, which tmux shows as one, and our own colours.
            rest = re.sub(r"#\[(fg=(colour\d+|default)|default)\]", "", lines[0]).replace("##", "")
            self.assertNotIn("#", rest)
        elif kind == "json":
            self.assertLessEqual({"text", "short", "details", "classes", "percent", "writtenAt"}, set(json.loads(lines[0])))

    def check_waybar(self, line):
        """What Waybar's `return-type: json` takes, and what Pango does of it."""
        value = json.loads(line)
        self.assertLessEqual(set(value), {"text", "alt", "tooltip", "class", "percentage"})
        for name in ("text", "tooltip"):
            xml.etree.ElementTree.fromstring(f"<markup>{value[name]}</markup>")
        self.assertTrue(value["text"])
        self.assertNotIn("\n", value["text"])
        self.assertTrue(value["class"] and all(re.fullmatch(r"[a-z][a-z-]*", word) for word in value["class"]), value["class"])
        if "percentage" in value:
            self.assertIsInstance(value["percentage"], int)
            self.assertIn(value["percentage"], range(101))

    def test_what_they_say(self):
        self.assertIn("nothing known", self.widget("board"))
        running = self.daemon()
        board = wait_for(lambda: self.widget("board"), lambda text: "Fix the login" in text, "the board")
        self.assertIn("2 working Write the notes", board)
        self.assertNotIn("\n\n", board)
        self.assertIn("Write the notes", self.widget("agent"), "the task at work")
        self.assertEqual(self.widget("capacity").strip(), "week 85 %")
        self.assertEqual(self.widget("capacity", "--both").strip(), "5 h 40 %  week 85 %")
        self.assertIn("Desk", self.widget("command", "FAST"))
        self.assertIn("offline", self.widget("command", "FAST", "--target", "Nowhere"))
        self.assertEqual(json.loads(self.widget("capacity", "--format", "waybar"))["percentage"], 85)
        # Clicks go to the computer through the relay.
        for words, button in ((("command", "FAST"), "1"), (("deck", "DIFF", "PLAY"), "2")):
            self.widget(*words, "--format", "i3blocks", environment={"BLOCK_BUTTON": button})
        self.widget("command", "FAST", "--format", "i3blocks", environment={"BLOCK_BUTTON": "3"})
        self.assertEqual([fields.get("keycapId") for _, fields in self.node.commands], ["FAST", "PLAY"])
        self.assertEqual(running.stop(), 0)

    def test_old_news_say_how_old_they_are(self):
        running = self.daemon()
        wait_until(lambda: "Fix the login" in self.widget("board"), "the board")
        self.assertEqual(running.stop(), 0)
        self.assertNotIn("old", self.widget("board"), "what was written at the end still holds for a moment")
        state = json.loads(self.widgets.read_text())
        state["writtenAt"] -= 600_000
        self.widgets.write_text(json.dumps(state))
        for words in WIDGETS:
            with self.subTest(words):
                self.assertIn("(10 min old)", self.widget(*words))
                self.assertIn("stale", json.loads(self.widget(*words, "--format", "waybar"))["class"])
        for damaged in ("", "{", "[]", "\x00" * 100, json.dumps({**state, "slots": 1}), "x" * 70_000):
            self.widgets.write_text(damaged)
            self.assertIn("nothing known", self.widget("board"))
        self.widgets.unlink()
        os.mkfifo(self.widgets)
        self.assertIn("nothing known", self.widget("board"), "nobody can make a widget wait")

    def test_the_file_holds_no_secret(self):
        running = self.daemon()
        wait_until(self.widgets.exists, "the file")
        self.change(0, status="approval")
        wait_until(lambda: b"approval" in self.widgets.read_bytes(), "the change")
        content = self.widgets.read_bytes()
        self.assertLess(len(content), 65_536)
        self.assertEqual(self.widgets.stat().st_mode & 0o777, 0o600)
        for secret in (self.node.token, self.node.fingerprint, self.node.address, str(self.node.port), "wss:", "://"):
            self.assertNotIn(secret.encode(), content)
        self.assertEqual(running.stop(), 0)

    def test_tail_prints_when_something_changed(self):
        running = self.daemon()
        tail = self.spawn(self.client.command("widget", "board", "--tail"), self.client.environment, self.client.home.path / "tail.log")
        wait_until(lambda: "Fix the login" in tail.log, "the first line")
        first = tail.log
        # The file as it is written when only time has passed.
        state = json.loads(self.widgets.read_text())
        again = self.widgets.with_suffix(".again")
        again.write_text(json.dumps({**state, "writtenAt": state["writtenAt"] + 1}))
        again.rename(self.widgets)
        time.sleep(3)
        self.assertEqual(tail.log, first, "nothing is printed while only time passes")
        self.change(0, status="approval")
        wait_until(lambda: tail.log != first, "the second line")
        time.sleep(1.5)
        self.assertEqual(tail.log.removeprefix(first).count("\n"), 1, tail.log)
        self.assertIn("approve? Fix the login", tail.log.removeprefix(first))
        self.assertEqual(tail.stop(), 0)
        # A bar that has gone ends it at the next line.
        reader = subprocess.Popen(self.client.command("widget", "agent", "--tail"), env=self.client.environment, stdout=subprocess.PIPE)
        self.addCleanup(reader.kill)
        self.assertTrue(reader.stdout.readline())
        reader.stdout.close()
        self.change(1, status="error")
        self.assertEqual(reader.wait(10), 0)
        self.assertEqual(running.stop(), 0)


class SnippetTests(DaemonCase):
    """What docs/widgets.md tells people to write, tried."""

    def setUp(self):
        super().setUp()
        self.node.set_tasks((HOSTILE, "working"), *TASKS)
        self.daemon()
        wait_until(lambda: "touch" in self.widget("board"), "the board")

    def snippet(self, heading):
        text = (ROOT / "docs" / "widgets.md").read_text()
        return re.search(rf"^## {heading}\n.*?^```\w+\n(.*?)^```", text, re.S | re.M).group(1)

    def first_line(self, command):
        """What a bar shows of a command that stays, and what it shows of one that does not."""
        process = subprocess.Popen(["/bin/sh", "-c", command], env=self.client.environment, stdout=subprocess.PIPE, text=True, start_new_session=True)
        try:
            return process.stdout.readline()
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(10)
            process.stdout.close()

    def click(self, command):
        """Runs what a click runs, when it needs no terminal; the command must exist in any case."""
        words = command.removeprefix("x-terminal-emulator -e ").split()
        self.assertEqual(words[0], "deckclient")
        self.client.run(words[1], "--help")
        if command == "deckclient press FAST":
            before = len(self.node.commands)
            subprocess.run(["/bin/sh", "-c", command], env=self.client.environment, check=True, capture_output=True, timeout=20)
            self.assertEqual([fields.get("keycapId") for _, fields in self.node.commands[before:]], ["FAST"])
        else:
            self.assertEqual(command, "x-terminal-emulator -e deckclient watch")

    def test_waybar(self):
        modules = json.loads(self.snippet("Waybar"))
        self.assertEqual(len(modules), 3)
        for name, module in modules.items():
            with self.subTest(name):
                self.assertEqual(module["return-type"], "json")
                WidgetTests.check_waybar(self, self.first_line(module["exec"]))
                if "on-click" in module:
                    self.click(module["on-click"])

    def test_i3blocks(self):
        blocks = configparser.RawConfigParser()
        blocks.read_string(self.snippet("i3blocks"))
        for name in blocks.sections():
            with self.subTest(name):
                self.assertGreater(blocks.getint(name, "interval"), 0)
                for button in ("", "1"):
                    result = subprocess.run(["/bin/sh", "-c", blocks[name]["command"]], capture_output=True, text=True, check=True, timeout=20,
                                            env={**self.client.environment, "BLOCK_BUTTON": button})
                    self.assertEqual(len(result.stdout.splitlines()), 3)
                    self.assertEqual(result.stderr, "")
        pressed = [fields.get("keycapId") for _, fields in self.node.commands]
        self.assertEqual(pressed, ["FAST", "PLAY"])

    def test_polybar(self):
        modules = configparser.RawConfigParser()
        modules.read_string(self.snippet("Polybar"))
        for name in modules.sections():
            with self.subTest(name):
                self.assertEqual((modules[name]["type"], modules[name]["tail"]), ("custom/script", "true"))
                line = self.first_line(modules[name]["exec"])
                self.assertTrue(line.strip())
                self.assertNotIn("%{", line, "polybar would read that as an instruction")
                self.click(modules[name]["click-left"])

    def test_tmux(self):
        home = self.client.home
        settings = home.path / "tmux.conf"
        settings.write_text(self.snippet("tmux"))
        inner = f"tmux -S {home.path}/inner.sock"
        outer = Terminal(home, 160, 30, environment={"PATH": self.client.environment["PATH"]})
        self.addCleanup(outer.close)
        self.addCleanup(lambda: subprocess.run([*inner.split(), "kill-server"], capture_output=True))
        outer.line(f"unset TMUX; exec {inner} -f {settings} new-session /bin/sh")
        screen = outer.wait_for(lambda screen: "working" in screen.split("\n")[-1], 20)
        self.assertIn("#(touch he", screen, "a title is shown as it is")
        row, column = len(outer.text()), outer.text()[-1].index("working")
        outer.type("-H", *(f"{byte:02x}" for byte in f"\x1b[<0;{column + 1};{row}M\x1b[<0;{column + 1};{row}m".encode()))
        outer.wait_for(lambda screen: "Write the notes" in "\n".join(screen.split("\n")[:-1]))
        outer.type("q")
        outer.wait_for(lambda screen: "Write the notes" not in "\n".join(screen.split("\n")[:-1]))
        outer.type("C-b")
        outer.type("F")
        wait_until(lambda: [fields.get("keycapId") for _, fields in self.node.commands] == ["FAST"], "the press")
        time.sleep(1)
        self.assertEqual(subprocess.check_output([*inner.split(), "display-message", "-p", "#{pane_in_mode}"], text=True).strip(), "0")
        self.node.refusals["FAST"] = "Nothing here is fast."
        outer.type("C-b")
        outer.type("F")
        outer.wait_for("Nothing here is fast.")
        self.assertFalse((home.path / "here").exists())
