"""What the tests of the dashboard share: a computer to show, terminals to show it in, and a mouse."""

import pathlib
import os
import unicodedata

from deck import DeckTest, wait_until
from python_node import PythonNode, milliseconds
from terminal import Terminal

SIZES = (40, 12), (80, 24), (200, 50)
TASKS = (("Fix the login", "approval"), ("Write the notes", "working"), ("Idle around", "idle"), ("All done", "complete"),
         ("Went wrong", "error"), ("Asks something", "awaiting-response"))
KEEP = os.environ.get("DECK_CAPTURES")
"""A folder for the captures, for those who want to look at them."""


def width(text):
    """Columns a text takes, nearly: what matters is that nothing is cut off or pushed to the next row."""
    return sum(0 if unicodedata.combining(one) or unicodedata.category(one) in ("Cf", "Mn") else
               2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def usage():
    """An account with a credit to reset its limit."""
    now = milliseconds()
    windows = [{"id": name, "kind": kind, "usedPercent": used, "remainingPercent": 100 - used, "durationMinutes": minutes, "resetsAt": now + left}
               for name, kind, used, minutes, left in (("5h", "five-hour", 40, 300, 7_200_000), ("week", "weekly", 85, 10_080, 259_200_000))]
    return {"windows": windows, "resetCreditsAvailable": 1, "resetCreditsApplicable": 1, "observedAt": now}


def click(terminal, text):
    """Clicks on the first place on the screen where `text` stands, as the terminal tells a program of it."""
    for row, line in enumerate(terminal.text()):
        if text in line:
            column = width(line[:line.index(text)])
            break
    else:
        raise AssertionError(f"{text!r} is not on the screen:\n" + "\n".join(terminal.text()))
    if terminal.ask("#{mouse_sgr_flag}") == "1":
        codes = f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m".encode()
    else:
        codes = b"\x1b[M" + bytes((32, column + 33, row + 33)) + b"\x1b[M" + bytes((35, column + 33, row + 33))
    terminal.type("-H", *(f"{byte:02x}" for byte in codes))


def press(node, kind):
    """The commands of that kind, once there are some."""
    return wait_until(lambda: [fields for _, fields in node.commands if fields["kind"] == kind], f"a command of the kind {kind}")


class DashboardCase(DeckTest):
    def board(self, *tasks, **options):
        node = PythonNode(self.home("python").path, name="Desk", **options)
        node.set_tasks(*(tasks or TASKS))
        node.capabilities += ["joystick", "reasoning", "rate-limit-reset"]
        node.snapshot["usage"] = usage()
        node.start()
        self.addCleanup(lambda: node._thread.is_alive() and node.stop())
        client = self.client()
        client.run("pair", stdin=node.link)
        return node, client

    def dashboard(self, client, columns, rows, **environment):
        terminal = Terminal(client.home, columns, rows, environment=environment)
        self.addCleanup(terminal.close)
        terminal.line(f"clear; {client.binary} watch; echo ended with $?")
        return terminal

    def pid(self, client):
        """The process of the dashboard."""
        return next(int(path.parent.name) for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
                    if path.read_bytes().startswith(bytes(client.binary) + b"\0watch"))

    def keep(self, terminal, name):
        if KEEP:
            pathlib.Path(KEEP, name + ".txt").write_text("\n".join(terminal.text()))
            terminal.picture(pathlib.Path(KEEP, name + ".png"))

    def check_rows(self, terminal, columns, rows):
        screen = terminal.text()
        self.assertLessEqual(len(screen), rows)
        for row in screen:
            self.assertLessEqual(width(row), columns, row)
        return "\n".join(screen)
