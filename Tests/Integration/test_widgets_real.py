"""The snippets of docs/widgets.md in the bars they are for, word for word: Waybar in a compositor, Polybar on a screen, i3blocks as i3's bar runs
it. A mouse clicks on them, and a scripted computer tells what reached it. (tmux is tried in test_client_daemon.py.)
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess

from deck import CLIENT, ROOT, wait_for, wait_until
from desktop_case import DesktopTest
from scenario_case import Task

HOSTILE = "%{A1:touch here:}<i>&'\"\\"
WAITING, FAILED = (0xE0, 0x86, 0x2A), (0xE0, 0x55, 0x55)
"""The colours of these states in the document's style sheet."""
FAST, BOARD = (0x10, 0x20, 0xF0), (0x10, 0xF0, 0x20)
"""What the test paints a strip of two modules with, to find them by."""
STYLE = f"""
* {{ font-size: 20px; font-weight: bold; }}
#custom-codex-fast {{ border-right: 30px solid rgb{FAST}; }}
#custom-codex-board {{ border-right: 30px solid rgb{BOARD}; }}
"""
SWAY = "xwayland disable\ndefault_border none\n"
POLYBAR = """[bar/test]
width = 100%
height = 30
background = #101010
foreground = #f0f0f0
font-0 = monospace:size=12
modules-left = codex-fast
modules-right = codex

"""


class WidgetTest(DesktopTest):
    def setUp(self):
        super().setUp()
        (self.folder / "bin" / "deckclient").symlink_to(CLIENT)
        self.state_file = self.viewer.home.state / "client" / "widget.json"
        self.node = self.computer("Desk", 47_700)
        self.nodes = [self.node.start()]
        self.node.show(Task(HOSTILE, "working", age=10), Task("Beta", age=20))
        self.pair(self.node)
        self.launch()
        wait_until(lambda: "Beta" in self.viewer.run("widget", "board").out, "the board")

    def snippet(self, heading, language):
        text = (ROOT / "docs" / "widgets.md").read_text()
        section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.S | re.M).group(1)
        found, = re.findall(rf"^```{language}\n(.*?)^```$", section, re.S | re.M)
        return found

    def tails(self):
        """The widgets of this test that run, by process id."""
        home = f"\0HOME={self.folder}\0".encode()
        found = {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
                if words[:2] == [b"deckclient", b"widget"] and home in b"\0" + (path / "environ").read_bytes():
                    found[int(path.name)] = b" ".join(words[2:-1]).decode()
            except OSError:
                continue
        return found

    def wait_for_tails(self, *wanted, but=()):
        """Waits until these widgets run, each once, and none of the processes `but`."""
        return wait_for(self.tails, lambda tails: sorted(tails.values()) == sorted(wanted) and not set(but) & set(tails), f"the widgets {wanted}")

    def expect_keys(self, *keys):
        """Waits until these keys, and no others, have reached the computer."""
        wait_for(self.node.sent, lambda sent: sent == list(keys), f"the keys {keys}")

    def grow_old(self):
        """The engine ends, and ten minutes pass."""
        self.assertEqual(self.engine.stop(), 0)
        state = json.loads(self.state_file.read_text())
        again = self.state_file.with_suffix(".again")
        again.write_text(json.dumps({**state, "writtenAt": state["writtenAt"] - 600_000}))
        again.rename(self.state_file)

    def expect_dashboard(self):
        """The click opened a dashboard; it is left, for it would keep the file up to date as the engine does."""
        self.opened_terminal(lambda screen: "Beta" in screen and "Desk" in screen)
        self.assertEqual((self.folder / "opened").read_text(), "deckclient watch\n")
        self.leave_terminal("q")


class TailTests(WidgetTest):
    def test_a_widget_ends_when_nobody_reads_it(self):
        """Without a change, that is: nothing is written that could fail. Most of all it must not fill a list of processes."""
        command = self.viewer.command("widget", "board", "--tail")
        self.assertEqual(self.engine.stop(), 0)
        reader = subprocess.Popen(command, env=self.viewer.environment, stdout=subprocess.PIPE)
        self.addCleanup(reader.kill)
        self.assertIn(b"Beta", reader.stdout.readline())
        reader.stdout.close()
        self.assertEqual(reader.wait(10), 0)
        # One whose terminal has gone, and one that is only asked to end.
        terminal, screen = os.openpty()
        viewer = subprocess.Popen(command, env=self.viewer.environment, stdout=screen, stderr=screen, stdin=screen)
        self.addCleanup(viewer.kill)
        os.close(screen)
        self.assertIn(b"Beta", os.read(terminal, 1000))
        os.close(terminal)
        self.assertEqual(viewer.wait(10), 0)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asked = subprocess.Popen(command, env=self.viewer.environment, stdout=subprocess.PIPE)
            self.addCleanup(asked.kill)
            asked.stdout.readline()
            asked.send_signal(number)
            self.assertEqual(asked.wait(10), 0)
            self.assertEqual(asked.stdout.read(), b"")
            asked.stdout.close()


class WaybarTests(WidgetTest):
    TAILS = ("board --three --format waybar --tail", "capacity --both --format waybar --tail", "command FAST --format waybar --tail")

    def start(self):
        """Sway in a window on the screen, and Waybar in it."""
        self.start_bus()
        self.start_screen()
        modules = json.loads(self.snippet("Waybar", "json"))
        (self.folder / "waybar.json").write_text(json.dumps({"layer": "top", "height": 40, "modules-left": list(modules), **modules}))
        (self.folder / "waybar.css").write_text(self.snippet("Waybar", "css") + STYLE)
        (self.folder / "sway").write_text(SWAY)
        # Sway will not run as root; in a user namespace it is somebody else with the same files.
        nested = {"WLR_BACKENDS": "x11", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1"}
        self.spawn(["unshare", "--user", "--map-user=1000", "--map-group=1000", "sway", "-c", str(self.folder / "sway")],
                   {**self.viewer.environment, **nested}, self.folder / "sway.log")
        socket = wait_until(lambda: [path for path in self.viewer.home.runtime.glob("wayland-*") if path.suffix != ".lock"], "sway")[0]
        self.viewer.environment.update(WAYLAND_DISPLAY=socket.name, NO_AT_BRIDGE="1")
        self.bar = self.spawn(["waybar", "-c", str(self.folder / "waybar.json"), "-s", str(self.folder / "waybar.css")],
                              {**self.viewer.environment, "GDK_BACKEND": "wayland"}, self.folder / "waybar.log")

    def expect_color(self, color):
        return wait_for(lambda: self.find_color(color, near=6), lambda place: place, f"the colour {color} on the screen")

    def test_modules(self):
        self.install_terminal()
        self.start()
        self.expect_color(BOARD)
        self.node.show(Task(HOSTILE, "approval", age=9), Task("Beta", age=20))
        self.expect_color(WAITING)
        self.picture("waybar-waiting")
        self.node.show(Task(HOSTILE, "error", age=8), Task("Beta", age=20))
        self.expect_color(FAILED)
        self.assertIsNone(self.find_color(WAITING, near=6), "the one line that a widget prints takes the place of the last")
        self.click(*self.expect_color(FAST))
        self.expect_keys("FAST")
        self.click(*self.expect_color(BOARD))
        self.expect_dashboard()
        self.picture("waybar-failed")
        # A widget that dies is run again, once, and the dead one does not stay in the list of processes. (Waybar's own reload is not tried: in
        # 0.9.17 it waits for ever, now and then, for a child that goes on.)
        before = self.wait_for_tails(*self.TAILS)
        victim = next(process for process, words in before.items() if words == self.TAILS[0])
        os.kill(victim, signal.SIGKILL)
        self.wait_for_tails(*self.TAILS, but=[victim])
        self.assertNotIn("Z", subprocess.check_output(["ps", "-o", "stat=", "--ppid", str(self.bar.pid)], text=True))
        self.expect_color(FAILED)
        self.grow_old()
        wait_until(lambda: self.find_color(FAILED, near=6) is None, "the style of what is old")
        self.picture("waybar-old")
        self.assertRegex("\n".join(line for line in self.bar.log.splitlines() if "[error]" in line), r"\A\S+ \S+ \[error\] codex-board stopped.*\Z")
        self.bar.process.kill()
        self.wait_for_tails()
        self.assertEqual(self.node.sent(), ["FAST"])


class PolybarTests(WidgetTest):
    TAILS = ("agent --tail", "command FAST --tail")

    def sides(self):
        """What is drawn on the left and on the right of the bar."""
        image = self.picture()
        return [bytes(image.crop((left, 0, left + 512, 30)).tobytes()) for left in (0, 512)]

    def test_modules(self):
        self.install_terminal()
        self.start_bus()
        self.start_screen()
        empty = self.sides()
        (self.folder / "polybar").write_text(POLYBAR + self.snippet("Polybar", "ini"))
        bar = self.spawn(["polybar", f"--config={self.folder / 'polybar'}", "test"], self.viewer.environment, self.folder / "polybar.log")
        self.wait_for_tails(*self.TAILS)
        bright = (0xF0, 0xF0, 0xF0)
        wait_until(lambda: all(side.count(bytes(bright)) > 20 for side in self.sides()), "text on both sides")
        self.picture("polybar")
        shown = self.sides()
        self.assertNotEqual(shown, empty)
        self.click(20, 15)
        self.expect_keys("FAST")
        self.click(1000, 15)
        self.expect_dashboard()
        self.node.show(Task(HOSTILE, "approval", age=1), Task("Beta", age=20))
        changed = wait_for(self.sides, lambda sides: sides[1] != shown[1], "the change")
        self.assertEqual(changed[0], shown[0], "the key is the same")
        self.grow_old()
        wait_until(lambda: self.sides()[0] != shown[0] and self.sides()[1] != changed[1], "the age")
        self.picture("polybar-old")
        self.assertEqual([line for line in bar.log.splitlines() if "error" in line.lower()], [])
        bar.process.kill()
        self.wait_for_tails()
        self.assertEqual(self.node.sent(), ["FAST"])


class I3blocksTests(WidgetTest):
    def start(self):
        """i3blocks as i3bar runs it. Which blocks it runs, and for which button, is written down."""
        self.ran = self.folder / "ran"
        program = self.folder / "bin" / "deckclient"
        program.unlink()
        program.write_text(f"#!/bin/sh\necho \"$BLOCK_NAME $BLOCK_BUTTON\" >> '{self.ran}'\nexec '{CLIENT}' \"$@\"\n")
        program.chmod(0o755)
        (self.folder / "i3blocks").write_text(self.snippet("i3blocks", "ini"))
        self.lines = self.folder / "i3blocks.out"
        with open(self.lines, "wb") as output, open(self.folder / "i3blocks.log", "wb") as log:
            self.bar = subprocess.Popen(["i3blocks", "-c", str(self.folder / "i3blocks")], env=self.viewer.environment, stdin=subprocess.PIPE,
                                        stdout=output, stderr=log)
        self.addCleanup(self.bar.wait)
        self.addCleanup(self.bar.kill)
        self.addCleanup(self.bar.stdin.close)

    def blocks(self):
        """The newest status line: the blocks by name."""
        whole = self.lines.read_text().split("\n")[:-1]
        status = [line.lstrip(",[") for line in whole if line.startswith(",[{") or line.startswith("[[{")]
        return {block.get("name"): block for block in json.loads(f"[{status[-1]}")} if status else {}

    def expect_block(self, name, holds):
        return wait_for(lambda: self.blocks().get(name, {}).get("full_text", ""), holds, f"{name} in the bar")

    def press(self, name, button):
        """Clicks, and once more when the click was lost: i3blocks drops those on a block that it is just running."""
        clicks = self.ran.read_text().splitlines().count(f"{name} {button}") + 1
        for patience in (4, 4, 10):
            self.bar.stdin.write(json.dumps({"name": name, "button": button, "x": 1, "y": 1}).encode() + b"\n")
            self.bar.stdin.flush()
            with contextlib.suppress(AssertionError):
                return wait_until(lambda: self.ran.read_text().splitlines().count(f"{name} {button}") >= clicks, "the click", patience)
        self.fail(f"the click on {name} was lost")

    def test_blocks(self):
        self.start()
        self.bar.stdin.write(b"[\n")
        title = re.escape(HOSTILE)
        text = self.expect_block("codex-agent", lambda text: "working" in text)
        self.assertRegex(text, rf"^working {title[:20]}")
        self.assertEqual(self.blocks()["codex-agent"]["color"], "#3B8EEA")
        self.assertEqual(self.blocks()["codex-agent"]["short_text"], "working")
        self.expect_block("codex-fast", lambda text: text.startswith("FAST · "))
        self.expect_block("codex-deck", lambda text: text.startswith("PLAY DIFF · "))
        keys = []
        for name, button, key in (("codex-fast", 1, "FAST"), ("codex-deck", 2, "DIFF"), ("codex-fast", 3, None), ("codex-deck", 1, "PLAY"),
                                  ("codex-agent", 1, None), ("codex-deck", 4, None), ("codex-fast", 1, "FAST")):
            self.press(name, button)
            keys += [key] if key else []
            self.expect_keys(*keys)
        # What changes shows at the next interval; so does the age of what nobody writes any more.
        self.node.show(Task(HOSTILE, "approval", age=1), Task("Beta", age=20))
        self.expect_block("codex-agent", lambda text: text.startswith("approve? "))
        self.grow_old()
        self.expect_block("codex-agent", lambda text: text.endswith("(10 min old)"))
        self.assertEqual((self.folder / "i3blocks.log").read_bytes(), b"")
        self.expect_keys(*keys)
