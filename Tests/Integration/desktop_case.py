"""A desktop of the test's own: a screen, a bus, a daemon that shows notifications, and a terminal that programs may open.

The computer's own session, should there be one, is never touched: nothing here inherits its bus, its display or its folders.
"""

import dataclasses
import os
import pathlib
import re
import subprocess

from PIL import ImageGrab

from dashboard_case import KEEP
from deck import wait_for, wait_until
from scenario_case import ScenarioTest

BUS = """<busconfig><type>session</type><listen>unix:path=PATH</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
"""
DUNST = """[global]
    dmenu = MENU
    sticky_history = yes
    MARKUP
    notification_limit = 0
    history_length = 100
    ignore_dbusclose = false
[urgency_low]
    timeout = 0
[urgency_normal]
    timeout = 0
[urgency_critical]
    timeout = 0
"""
MENU = """#!/bin/sh
# The menu that dunst shows for the buttons of its notifications. Who sits before it takes what stands in the file `wanted`.
tee 'FOLDER/menu' | grep -m 1 -F -- "$(cat 'FOLDER/wanted')"
"""
TERMINAL = """#!/bin/sh
# Stands for the user's terminal: what is to run in it runs in tmux, where a test can read it.
if [ "$1" = -e ]; then shift; fi
echo "$*" >> 'FOLDER/opened'
exec tmux -S 'FOLDER/opened.sock' -f /dev/null new-session -d -x 100 -y 24 "$@"
"""


@dataclasses.dataclass(frozen=True)
class Notification:
    """What the daemon was told to show."""

    id: int
    summary: str
    body: str
    urgency: str
    timeout: int
    """Milliseconds; 0 for ever."""
    actions: tuple
    """Pairs of a name and a label."""


class DesktopTest(ScenarioTest):
    """The scenarios' client with a real desktop around it; `notifications` and the like tell what a real daemon was told."""

    limit = 60

    def setUp(self):
        super().setUp()
        self.folder = self.viewer.home.path
        # The suite's stand-in for notify-send is not wanted here.
        (self.folder / "bin" / "notify-send").unlink()
        self.server, self.servers, self.display = None, 0, None

    # The bus and the screen

    def start_bus(self):
        """A session bus where nothing starts by itself; what the tests start from now on uses it."""
        address = f"unix:path={self.folder}/bus"
        configuration = self.folder / "bus.conf"
        configuration.write_text(BUS.replace("PATH", f"{self.folder}/bus"))
        self.spawn(["dbus-daemon", f"--config-file={configuration}", "--nofork"], self.viewer.environment, self.folder / "bus.log")
        wait_until((self.folder / "bus").exists, "the bus")
        self.viewer.environment["DBUS_SESSION_BUS_ADDRESS"] = address

    def start_screen(self, width=1024, height=768):
        """An X server that nobody sees, on the first display that is free."""
        read, write = os.pipe()
        with os.fdopen(read) as answer:
            try:
                self.spawn(["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
                           self.viewer.environment, self.folder / "screen.log", pass_fds=[write])
            finally:
                os.close(write)
            number = answer.readline().strip()
        self.assertTrue(number, "Xvfb did not start; see screen.log")
        self.display = f":{number}"
        self.viewer.environment["DISPLAY"] = self.display

    def picture(self, name=None):
        """What is on the screen; kept under `name` for those who want to look."""
        image = ImageGrab.grab(xdisplay=self.display).convert("RGB")
        if KEEP and name:
            image.save(pathlib.Path(KEEP, f"{name}.png"))
        return image

    def find_color(self, color, near=0, rows=40):
        """The middle of what has this colour in the uppermost `rows`, give or take `near` in each part; `None` when nothing has."""
        image = self.picture()
        width, _ = image.size
        image = image.crop((0, 0, width, rows))
        places = [(index % width, index // width) for index, pixel in enumerate(image.getdata())
                  if all(abs(part - wanted) <= near for part, wanted in zip(pixel, color))]
        if not places:
            return None
        return tuple(sum(place[axis] for place in places) // len(places) for axis in (0, 1))

    def click(self, x, y, button=1):
        subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", str(button)], env=self.viewer.environment, check=True,
                       capture_output=True, timeout=10)

    # The daemon

    def start_server(self, markup=True):
        """dunst, which writes down all that it is told to show; by default it says that it reads markup, as its own configuration has it."""
        if not self.display:
            self.start_screen()
        self.servers += 1
        menu, configuration = self.folder / "menu.sh", self.folder / "dunstrc"
        menu.write_text(MENU.replace("FOLDER", str(self.folder)))
        menu.chmod(0o755)
        configuration.write_text(DUNST.replace("MENU", str(menu)).replace("MARKUP", "markup = full" if markup else ""))
        self.server = self.spawn(["dunst", "-config", str(configuration), "-print"], self.viewer.environment,
                                 self.folder / f"dunst-{self.servers}.log")
        wait_until(lambda: self.dunst("count", "displayed", check=False).returncode == 0, "dunst")

    def dunst(self, *words, check=True):
        """What the user's key bindings for dunst run."""
        return subprocess.run(["dunstctl", *words], env=self.viewer.environment, check=check, capture_output=True, text=True, timeout=10)

    def count(self, what="displayed"):
        """How many notifications are on the screen (`displayed`), or were and are closed (`history`)."""
        return int(self.dunst("count", what).stdout)

    def told_server(self):
        """All that the daemon was told to show, in order."""
        blocks = re.findall(r"^\{\n(.*?)^\}\n", self.server.log, re.S | re.M)
        return [self._notification(block) for block in blocks]

    @staticmethod
    def _notification(block):
        def field(name, pattern="'(.*)'"):
            return re.search(rf"^\t{name}: {pattern}$", block, re.M).group(1)
        actions = re.search(r"^\tactions: \{\n(.*?)^\t\}", block, re.S | re.M)
        pairs = re.findall(r'^\t\t"(.*)": "(.*)"$', actions.group(1), re.M) if actions else []
        return Notification(int(field("id", r"(\d+)")), field("summary"), field("body"), field("urgency", r"(\w+)").lower(),
                            int(field("timeout", r"(-?\d+)")), tuple(pairs))

    def notifications(self):
        """The same in words, as the other scenarios have it."""
        seen, lines = set(), []
        for one in self.told_server():
            self.assertEqual(set(one.actions), {("default", "Open"), ("open", "Open")}, "a notification can open the task and nothing else")
            lines.append(f"{one.urgency}: {one.summary} | {one.body}{' (replaced)' if one.id in seen else ''}")
            seen.add(one.id)
        return lines

    def press_button(self, words):
        """Takes `Open` of the notification whose summary holds `words`, from the menu of buttons."""
        (self.folder / "wanted").write_text(f"#Open ({words}")
        self.dunst("context")

    # Terminals

    def install_terminal(self, name="x-terminal-emulator"):
        """A terminal under that name in the programs' search path."""
        path = self.folder / "bin" / name
        path.write_text(TERMINAL.replace("FOLDER", str(self.folder)))
        path.chmod(0o755)
        self.addCleanup(subprocess.run, [*self._opened, "kill-server"], capture_output=True)

    def opened_terminal(self, holds):
        """Waits until the terminal that a program opened shows what is wanted, and returns that."""
        def screen():
            result = subprocess.run([*self._opened, "capture-pane", "-p"], capture_output=True, text=True, timeout=10)
            return result.stdout
        return wait_for(screen, holds, "the terminal that was opened")

    def leave_terminal(self, key):
        """Presses the key that ends what runs in the terminal, and waits for that."""
        subprocess.run([*self._opened, "send-keys", key], check=True, capture_output=True, timeout=10)
        wait_until(lambda: subprocess.run([*self._opened, "has-session"], capture_output=True, timeout=10).returncode != 0, "the terminal to close")

    @property
    def _opened(self):
        return ["tmux", "-S", str(self.folder / "opened.sock")]
