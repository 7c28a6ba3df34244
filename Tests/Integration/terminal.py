"""A terminal of any size, made of tmux: to type into, to read, and to take pictures of."""

import itertools
import pathlib
import re
import subprocess

from PIL import Image, ImageDraw

from deck import wait_for, wait_until

BASIC = [(0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
         (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255)]
CELL = 8, 16
NUMBERS = itertools.count(1)


class Terminal:
    """A tmux server of its own with one window of `columns` × `rows`; runs a shell, or `words` until they end."""

    def __init__(self, home, columns, rows, words=(), environment=None, computer=None, background="black"):
        # A name of its own: a server that ends may still be about to remove its socket.
        self.socket = home.path / f"tmux-{next(NUMBERS)}.sock"
        self.environment = {**home.environment, **(environment or {}), "SHELL": "/bin/sh", "PS1": "$ "}
        self.computer = computer
        self._run("-f", "/dev/null", "new-session", "-d", "-s", "test", "-x", columns, "-y", rows, *(words or ("/bin/sh",)),
                  ";", "set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "status", "off", ";",
                  "resize-window", "-t", "test", "-x", columns, "-y", rows, ";", "set-option", "-g", "window-style", f"bg={background}")

    def _run(self, *words):
        words = ["tmux", "-S", str(self.socket), *map(str, words)]
        result = subprocess.run(self.computer.command(words) if self.computer else words, env=self.environment, capture_output=True, timeout=15)
        if result.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {result.stderr.decode()}")
        return result.stdout.decode(errors="surrogateescape")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the terminal and waits for what ran in it; once is enough."""
        if not self.socket.exists():
            return
        shell = self.ask("#{pane_pid}")
        inside = pathlib.Path("/proc", shell, "task", shell, "children")
        programs = [shell, *(inside.read_text().split() if inside.exists() else [])]
        subprocess.run(["tmux", "-S", str(self.socket), "kill-server"], capture_output=True, timeout=15)
        self.socket.unlink(missing_ok=True)
        wait_until(lambda: not any(pathlib.Path("/proc", program, "exe").exists() for program in programs), "the programs in the terminal to end")

    def type(self, *keys):
        """Presses keys, by tmux's names for them."""
        self._run("send-keys", "-t", "test", *keys)

    def line(self, text):
        """Types a line and presses return."""
        self._run("send-keys", "-t", "test", "-l", text)
        self.type("Enter")

    def paste(self, text):
        """Pastes text, marked as such for programs that asked for that."""
        self._run("set-buffer", "--", text, ";", "paste-buffer", "-p", "-r", "-t", "test")

    def set(self, option, value):
        """Sets an option of tmux."""
        self._run("set-option", "-s", option, value)

    def buffers(self):
        """What programs have put into the clipboard of tmux."""
        return self._run("list-buffers")

    def record(self, path):
        """Writes every byte that the programs send from now on to a file."""
        self._run("pipe-pane", "-t", "test", f"cat >> {path}")

    def resize(self, columns, rows):
        self._run("resize-window", "-t", "test", "-x", columns, "-y", rows)

    def text(self):
        """The screen, a string a row, without what fills the rows up."""
        return self._run("capture-pane", "-p", "-t", "test").split("\n")[:-1]

    def colored(self):
        """The screen with its escape sequences for colours."""
        return self._run("capture-pane", "-p", "-e", "-N", "-t", "test")

    def ask(self, words):
        """What tmux knows about the pane, such as `#{pane_pid}`."""
        return self._run("display-message", "-p", "-t", "test", words).strip()

    def wait_for(self, text, seconds=10):
        """Waits until the screen shows `text`, or fulfils it when it is a function of the screen; returns the screen."""
        holds = text if callable(text) else lambda screen: text in screen
        return wait_for(lambda: "\n".join(self.text()), holds, "the screen" if callable(text) else f"{text!r} on the screen", seconds)

    def wait_for_end(self, seconds=10):
        """Waits until the program that the window was made for has ended."""
        wait_until(lambda: self.ask("#{pane_dead}") == "1", "the program in the terminal to end", seconds)

    def picture(self, path, light=False):
        """Draws the screen as a terminal would show it, block by block, and saves it as a PNG."""
        draw(self.colored(), light).save(path)
        return path


def palette(index):
    if index < 16:
        return BASIC[index]
    if index < 232:
        steps = (0, 95, 135, 175, 215, 255)
        index -= 16
        return steps[index // 36], steps[index // 6 % 6], steps[index % 6]
    return (8 + 10 * (index - 232),) * 3


class Pen:
    """The colours in force while a screen is drawn."""

    def __init__(self, light):
        self.default = ((0, 0, 0), (255, 255, 255)) if light else ((229, 229, 229), (0, 0, 0))
        self.reset()

    def reset(self):
        self.foreground, self.background, self.reverse = *self.default, False

    def colors(self):
        return (self.background, self.foreground) if self.reverse else (self.foreground, self.background)

    def apply(self, parameters):
        """Takes the numbers of one `ESC [ … m`."""
        numbers = [int(number or 0) for number in re.split("[;:]", parameters)] if parameters else [0]
        while numbers:
            code = numbers.pop(0)
            if code == 0:
                self.reset()
            elif code in (7, 27):
                self.reverse = code == 7
            elif code in (38, 48):
                color = palette(numbers[1]) if numbers[0] == 5 else tuple(numbers[1:4])
                del numbers[:2 if numbers[0] == 5 else 4]
                if code == 38:
                    self.foreground = color
                else:
                    self.background = color
            elif code in (39, 49):
                self.foreground, self.background = (self.default[0], self.background) if code == 39 else (self.foreground, self.default[1])
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.foreground = BASIC[code - 30 if code < 90 else code - 82]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.background = BASIC[code - 40 if code < 100 else code - 92]


def draw(screen, light=False):
    """The picture of a captured screen. Blocks are drawn as blocks; other characters with a plain font, which is enough for a camera."""
    rows = screen.split("\n")[:-1]
    plain = [re.sub("\x1b\\[[0-9;:]*m", "", row) for row in rows]
    width, height = CELL
    pen = Pen(light)
    image = Image.new("RGB", (max(map(len, plain)) * width, len(rows) * height), pen.default[1])
    canvas = ImageDraw.Draw(image)
    for y, row in enumerate(rows):
        x = 0
        for piece in re.split("(\x1b\\[[0-9;:]*m)", row):
            if piece.startswith("\x1b["):
                pen.apply(piece[2:-1])
                continue
            for character in piece:
                cell(canvas, x * width, y * height, character, *pen.colors())
                x += 1
    return image


def cell(canvas, x, y, character, foreground, background):
    width, height = CELL
    canvas.rectangle((x, y, x + width - 1, y + height - 1), background)
    if character == "█":
        canvas.rectangle((x, y, x + width - 1, y + height - 1), foreground)
    elif character == "▀":
        canvas.rectangle((x, y, x + width - 1, y + height // 2 - 1), foreground)
    elif character == "▄":
        canvas.rectangle((x, y + height // 2, x + width - 1, y + height - 1), foreground)
    elif character == "#":
        canvas.rectangle((x, y, x + width - 1, y + height - 1), foreground)
    elif character != " " and ord(character) < 256:
        canvas.text((x + 1, y + 2), character, foreground)
