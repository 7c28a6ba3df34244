"""Screens of a terminal as they have to look, in files that people can read.

A file holds the rows, then one letter a column for its look, then what the letters stand for: once in a dark and once in a light terminal.
With DECK_RECORD_GOLDEN in the environment the files are written instead of compared; read the difference before you keep it.
"""

import os
import pathlib
import re
import string
import time
import unicodedata

from deck import wait_for

FOLDER = pathlib.Path(__file__).resolve().parent / "Screens"
IS_RECORDING = bool(os.environ.get("DECK_RECORD_GOLDEN"))
LETTERS = string.ascii_letters + string.digits
PLAIN = "plain"


def columns(character):
    """Columns a character takes, nearly: what matters is that nothing is cut off or pushed to the next row."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Look:
    """The colours and attributes in force while a captured screen is read."""

    def __init__(self):
        self.attributes, self.foreground, self.background = set(), None, None

    def apply(self, parameters):
        numbers = [int(number or 0) for number in re.split("[;:]", parameters)]
        while numbers:
            code = numbers.pop(0)
            if code == 0:
                self.__init__()
            elif code in (1, 2, 4, 7):
                self.attributes.add({1: "bold", 2: "dim", 4: "underlined", 7: "reversed"}[code])
            elif code in (38, 48):
                assert numbers[0] == 5, parameters
                setattr(self, "foreground" if code == 38 else "background", str(numbers[1]))
                del numbers[:2]
            elif code in (39, 49):
                setattr(self, "foreground" if code == 39 else "background", None)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.foreground = str(code - 30 if code < 90 else code - 82)
            else:
                raise AssertionError(f"the look {parameters} is not one of ours")

    def __str__(self):
        return " ".join([*sorted(self.attributes), *([self.foreground] if self.foreground else []),
                         *([f"on {self.background}"] if self.background else [])]) or PLAIN


def read(capture):
    """The rows of a capture with escape sequences: for each its text and the look of each column."""
    look, rows = Look(), []
    for line in capture.split("\n")[:-1]:
        text, looks = "", []
        for piece in re.split("(\x1b\\[[0-9;:]*m)", line):
            if piece.startswith("\x1b["):
                look.apply(piece[2:-1])
                continue
            # What tmux draws lines with, where it does not know better.
            assert "\x1b" not in piece and "\x0e" not in piece, repr(line)
            text += piece
            looks += [str(look)] * sum(map(columns, piece))
        rows.append((text, looks))
    return rows


def describe(dark, light, steady):
    """The text of the file for two captures of the same screen; `steady` takes out of a row what the time of day changes."""
    dark, light = ([(steady(text), looks) for text, looks in read(capture)] for capture in (dark, light))
    if [text for text, _ in dark] != [text for text, _ in light]:
        raise AssertionError("a dark and a light terminal do not show the same:\n" + "\n".join(text for text, _ in dark + light))
    letters, rows = {(PLAIN, PLAIN): " "}, []
    for (_, first), (_, second) in zip(dark, light):
        rows.append("".join(letters.setdefault(pair, LETTERS[len(letters) - 1]) for pair in zip(first, second)))
    legend = [f"{letter}  dark: {pair[0]}, light: {pair[1]}" for pair, letter in letters.items() if letter != " "]
    return "\n".join([*(text.rstrip() for text, _ in dark), "----", *(row.rstrip() for row in rows), "----", *legend]) + "\n"


def check(name, dark, light, steady):
    """Waits until two terminals show the screen of that name, or, when recording, until nothing moves any more."""
    path = FOLDER / f"{name}.txt"

    def look():
        try:
            return describe(dark.colored(), light.colored(), steady)
        except AssertionError as error:
            return str(error)
    if IS_RECORDING:
        text, since = look(), time.monotonic()
        while time.monotonic() < since + 1:
            time.sleep(0.1)
            if (now := look()) != text:
                text, since = now, time.monotonic()
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text)
        return
    expected = path.read_text()
    wait_for(look, lambda text: text == expected, f"the screen of {path}:\n{expected}", 15)
