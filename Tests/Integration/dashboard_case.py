"""What the tests of the dashboard share: a computer to show, terminals to show it in, and a mouse."""

import os
import pathlib
import re
import shlex

from deck import DeckTest, wait_until
from expected_screen import columns
from python_node import PythonNode, usage
from terminal import Terminal

SIZES = (40, 12), (80, 24), (200, 50)
TASKS = (("Fix the login", "approval"), ("Write the notes", "working"), ("Idle around", "idle"), ("All done", "complete"),
         ("Went wrong", "error"), ("Asks something", "awaiting-response"))
KEEP = os.environ.get("DECK_CAPTURES")
"""A folder for the captures, for those who want to look at them."""


def width(text):
    return sum(map(columns, text))


def place(terminal, text):
    """The row and the column of the first place where `text` stands on the screen, from 0."""
    for row, line in enumerate(terminal.text()):
        if text in line:
            return row, width(line[:line.index(text)])
    raise AssertionError(f"{text!r} is not on the screen:\n" + "\n".join(terminal.text()))


def mouse(terminal, button, row, column, release=True):
    """Presses a button of the mouse, as the terminal tells a program of it; 64 and 65 are the wheel."""
    if terminal.ask("#{mouse_sgr_flag}") == "1":
        codes = f"\x1b[<{button};{column + 1};{row + 1}M".encode() + (f"\x1b[<{button};{column + 1};{row + 1}m".encode() if release else b"")
    else:
        codes = b"\x1b[M" + bytes((32 + button, column + 33, row + 33)) + (b"\x1b[M" + bytes((35, column + 33, row + 33)) if release else b"")
    terminal.type("-H", *(f"{byte:02x}" for byte in codes))


def click(terminal, text):
    mouse(terminal, 0, *place(terminal, text))


def wheel(terminal, direction):
    """Turns the wheel one notch, `up` or `down`, in the middle of nowhere."""
    mouse(terminal, {"up": 64, "down": 65}[direction], 2, 2, release=False)


def press(node, kind):
    """The commands of that kind, once there are some."""
    return wait_until(lambda: [fields for _, fields in node.commands if fields["kind"] == kind], f"a command of the kind {kind}")


class DashboardCase(DeckTest):
    def board(self, *tasks, **options):
        node = PythonNode(self.home("python").path, name="Desk", **options)
        node.set_tasks(*(tasks or TASKS))
        node.capabilities += ["joystick", "reasoning", "rate-limit-reset"]
        node.snapshot["usage"] = usage(credits=1)
        node.start()
        self.addCleanup(lambda: node._thread.is_alive() and node.stop())
        client = self.client()
        client.run("pair", stdin=node.link)
        return node, client

    def dashboard(self, client, columns, rows, words="", background="black", **environment):
        """A terminal with a dashboard in it. The modes before and after it go to files of the client's home; so does all that it sends."""
        terminal = Terminal(client.home, columns, rows, environment=environment, background=background)
        self.addCleanup(terminal.close)
        terminal.bytes = client.home.path / f"bytes-{terminal.socket.name}"
        terminal.record(terminal.bytes)
        modes = [shlex.quote(str(client.home.path / name)) for name in ("modes-before", "modes-after")]
        terminal.line(f"clear; stty -a > {modes[0]}; {client.binary} watch {words}; code=$?; stty -a > {modes[1]}; echo ended with $code")
        return terminal

    def check_shell_has(self, terminal, client, modes="modes-after"):
        """The terminal is as it was before the dashboard: what the kernel does with keys, and what the terminal itself does."""
        flags = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag} #{keypad_cursor_flag} #{keypad_flag} #{insert_flag} #{wrap_flag}"
        self.assertEqual(terminal.ask(flags), "0 1 0 0 0 0 0 1")
        before, after = ((client.home.path / name).read_text() for name in ("modes-before", modes))
        self.assertIn("-icrnl", before.replace(" icrnl", " -icrnl"), "stty says something")
        self.assertEqual(after, before)
        sent = terminal.bytes.read_bytes()
        for mode, is_off in ((1049, b"l"), (1000, b"l"), (1006, b"l"), (2004, b"l"), (25, b"h")):
            switches = re.findall(rb"\x1b\[\?[0-9;]*\b%d\b[0-9;]*([hl])" % mode, sent)
            self.assertTrue(not switches or switches[-1] == is_off, f"mode {mode} stays: {switches}")
        self.assertIn(b"\x1b[?2004h", sent, "pastes were marked meanwhile")
        reset = max(sent.rfind(code) for code in (b"\x1b[m", b"\x1b[0m", b"\x1b(B\x1b[m"))
        self.assertIsNone(re.search(rb"\x1b\[[1-9][0-9;]*m", sent[reset:]), "no colour stays")

    def pid(self, client):
        """The process of the dashboard."""
        return next(int(path.parent.name) for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
                    if path.read_bytes().startswith(bytes(client.binary) + b"\0watch"))

    def keep(self, terminal, name, light=False):
        if KEEP:
            pathlib.Path(KEEP, name + ".txt").write_text("\n".join(terminal.text()))
            terminal.picture(pathlib.Path(KEEP, name + ".png"), light)

    def check_rows(self, terminal, columns, rows):
        screen = terminal.text()
        self.assertLessEqual(len(screen), rows)
        for row in screen:
            self.assertLessEqual(width(row), columns, row)
        return "\n".join(screen)
