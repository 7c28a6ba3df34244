"""What the tests of the two programs share: homes of their own, running nodes and clients, and waiting for things to happen."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import netlab

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("DECK_BIN_DIR") or ROOT / ".build" / "release")
NODE = PROGRAMS / "decknode"
CLIENT = PROGRAMS / "deckclient"
ADDRESS = "10.66.0.1"
"""The address of this computer in the suite's own network; see run.py."""
OTHER_ADDRESS = "10.66.0.2"
"""A second one, for peers that are somebody else."""
PORT = 47653
REMOTE_PORT = 47651


def wait_until(condition, what, seconds=10.0, every=0.02):
    """Waits until `condition()` is true and returns its value; fails the test after `seconds`."""
    return netlab.wait_until(condition, what, seconds, AssertionError, every)


def wait_for(read, holds, what, seconds=10.0, every=0.02):
    """Reads again and again until what `read()` returns fulfils `holds`, and returns that; fails after `seconds`, with the last value."""
    last = [None]

    def once():
        last[0] = read()
        return holds(last[0])
    try:
        wait_until(once, what, seconds, every)
    except AssertionError as error:
        raise AssertionError(f"{error}; the last was\n{last[0]}") from None
    return last[0]


class Home:
    """A user's folders, all of them in one temporary folder, and the environment that leads there."""

    def __init__(self, name="home", parent=None):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=f"deck-{name}-", dir=parent))
        self.codex = self.path / "codex"
        self.state = self.path / "state" / "codex-deck"
        self.config = self.path / "config" / "codex-deck"
        self.runtime = self.path / "run"
        self.temporary = self.path / "tmp"
        for folder in (self.runtime, self.temporary):
            folder.mkdir(mode=0o700)

    @property
    def environment(self):
        environment = {key: os.environ[key] for key in ("PATH",) if key in os.environ}
        environment.update(
            HOME=str(self.path), CODEX_HOME=str(self.codex), XDG_STATE_HOME=str(self.path / "state"),
            XDG_CONFIG_HOME=str(self.path / "config"), XDG_DATA_HOME=str(self.path / "data"), XDG_CACHE_HOME=str(self.path / "cache"),
            # A folder of its own: the CLI makes no helpers of its own below the temporary folder, and its sandbox wants them.
            XDG_RUNTIME_DIR=str(self.runtime), TMPDIR=str(self.temporary), CODEX_DECK_SECRETS="file", LANG="C.UTF-8", TERM="xterm-256color",
            # No bus of the machine is asked for anything.
            DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={self.path}/no-bus", DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.path}/no-bus")
        return environment

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def everything(self):
        """The content of every file below, for tests that look for what must not be there."""
        return {path: path.read_bytes() for path in self.path.rglob("*") if path.is_file() and not path.is_symlink()}


class Result:
    """How a command ended."""

    def __init__(self, completed):
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"

    @property
    def json(self):
        return json.loads(self.out)


class Program:
    """One of the two programs, with a home, on this computer or on one of a laboratory's."""

    def __init__(self, binary, home, computer=None, environment=None):
        self.binary = binary
        self.home = home
        self.computer = computer
        self.environment = {**home.environment, **(environment or {})}

    def command(self, *words):
        words = [str(self.binary), *map(str, words)]
        return self.computer.command(words) if self.computer else words

    def run(self, *words, stdin="", timeout=30, code=0, environment=None):
        """Runs a command to its end; fails when it ends with another code than `code` (`None`: any)."""
        completed = subprocess.run(
            self.command(*words), input=stdin, capture_output=True, text=True, timeout=timeout, env={**self.environment, **(environment or {})},
            start_new_session=True)
        result = Result(completed)
        if code is not None and result.code != code:
            raise AssertionError(f"{self.binary.name} {' '.join(map(str, words))} ended with {result.code}, not {code}\n{result}")
        return result

    def json(self, *words, **options):
        return self.run(*words, "--json", **options).json

    def refusal(self, *words, code=1, **options):
        """Runs a command that must fail and returns the one line it says; fails when it says more, or says nothing."""
        result = self.run(*words, code=code, **options)
        lines = result.err.strip().splitlines()
        if len(lines) != 1 or not lines[0].startswith(self.binary.name + ": "):
            raise AssertionError(f"{self.binary.name} {words} must say one line that begins with its name\n{result}")
        return lines[0].removeprefix(self.binary.name + ": ")


class Running:
    """A process whose output goes to a file; it ends with its test."""

    def __init__(self, command, environment, log, **options):
        self.log_path = log
        self._log = open(log, "ab")
        self.process = subprocess.Popen(command, env=environment, stdout=self._log, stderr=self._log, stdin=subprocess.DEVNULL, **options)
        self.pid = self.process.pid

    @property
    def log(self):
        return pathlib.Path(self.log_path).read_text(errors="replace")

    @property
    def is_running(self):
        return self.process.poll() is None

    def memory(self):
        """Resident memory, in KiB."""
        return int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def cpu(self):
        """Seconds of processor time so far."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self, number=signal.SIGTERM, seconds=5):
        """Ends the process and returns how it ended; one that does not listen is killed, and the test fails."""
        if self.is_running:
            self.process.send_signal(number)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"process {self.pid} did not end within {seconds} s of signal {number}") from None
            finally:
                self._log.close()
        return self.process.returncode

    def kill(self):
        if self.is_running:
            self.process.kill()
            self.process.wait()
        self._log.close()


class Client(Program):
    """`deckclient` with a home."""

    def __init__(self, home, computer=None, environment=None):
        super().__init__(CLIENT, home, computer, environment)


class Node(Program):
    """`decknode` with a home; `start` runs it."""

    def __init__(self, home, computer=None, environment=None):
        super().__init__(NODE, home, computer, environment)
        self.running = None

    def start(self, *words, demo=False):
        """Runs `decknode serve` and waits until it answers."""
        words = ["serve", *(["--demo"] if demo else []), *words]
        self.running = Running(self.command("--log-level", "debug", *words), self.environment, self.home.path / "node.log")
        self.run("status", "--wait", "15", timeout=20)
        return self

    def status(self):
        return self.json("status")

    def pair(self, *words):
        """Makes or shows the pairing and returns it as a `Pairing`."""
        return Pairing(self.run("pair", "--link", *words).out.strip())

    def remote(self, *words):
        """Turns the loopback listener on and returns its URL and token."""
        value = self.json("relay", "enable", *words)
        return value["url"], value["token"]

    def stop(self, **options):
        return self.running.stop(**options)

    @property
    def log(self):
        return self.running.log if self.running else ""


class Pairing:
    """A pairing link, taken apart."""

    def __init__(self, link):
        from urllib.parse import parse_qs, urlsplit
        self.link = link
        self.fields = {key: values[0] for key, values in parse_qs(urlsplit(link).query, strict_parsing=True).items()}
        endpoint = urlsplit(self.fields["endpoint"])
        self.address, self.port = endpoint.hostname, endpoint.port
        self.token = self.fields["token"]
        self.fingerprint = self.fields["fingerprint"]
        self.host = self.fields["hostId"]


class DeckTest(unittest.TestCase):
    """A test that begins with nothing and leaves nothing; when it fails, the logs of what it started are shown."""

    limit = 60
    """Seconds one test may take; run.py ends the suite when a test overstays by far."""

    def setUp(self):
        self.homes, self.processes = [], []
        self.addCleanup(self._clean)

    def home(self, name="home"):
        home = Home(name)
        self.homes.append(home)
        return home

    def node(self, home=None, **options):
        node = Node(home or self.home("node"), **options)
        start = node.start

        def tracked(*words, **more):
            try:
                return start(*words, **more)
            finally:
                self.processes.append(node.running)
        node.start = tracked
        return node

    def client(self, home=None, **options):
        return Client(home or self.home("client"), **options)

    def spawn(self, command, environment, log, **options):
        running = Running(command, environment, log, **options)
        self.processes.append(running)
        return running

    def in_background(self, body):
        """Runs `body` on a thread of its own and returns the thread."""
        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        return thread

    def logs(self):
        """The end of every log, for the report of a failure."""
        parts = []
        for process in self.processes:
            text = process.log.splitlines()
            parts.append(f"--- {process.log_path} (its last lines)\n" + "\n".join(text[-40:]))
        return "\n".join(parts)

    def _clean(self):
        for process in reversed(self.processes):
            process.kill()
        for home in self.homes:
            home.remove()
