#!/usr/bin/env python3
"""Runs the tests of the two programs, one after the other: `run.py [NAME…]`, where a name is a part of a module's or test's name.

The suite lives in a network of its own (a namespace with one interface, 10.66.0.1 and 10.66.0.2), so nothing leaves this computer and
no port of it is taken. The programs are those of `.build/release`, or of the folder in DECK_BIN_DIR; CODEX_BINARY and CODEX_BINARY_OLDER
name two versions of the official Codex CLI. Without root it makes itself root of a user namespace. Nothing is skipped: a tool that is
missing is a failure that says so. A few failures are tried once more at the end; what passes only then is named.
"""

import ctypes
import importlib
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
SECOND_TRIES = 3
"""So many failures at most are tried once more, at the end."""
TOOLS = {
    "ip": "iproute2", "tmux": "tmux", "zbarimg": "zbar-tools", "avahi-daemon": "avahi-daemon", "avahi-browse": "avahi-utils",
    "dbus-daemon": "dbus", "openssl": "openssl", "node": "nodejs", "git": "git",
    "notify-send": "libnotify-bin", "dunst": "dunst", "Xvfb": "xvfb", "xdotool": "xdotool", "waybar": "waybar", "sway": "sway",
    "i3blocks": "i3blocks", "polybar": "polybar", "lintian": "lintian", "debootstrap": "debootstrap", "systemd-analyze": "systemd",
    "bwrap": "bubblewrap",
}
MODULES = {"websockets": "python3-websockets", "PIL": "python3-pil"}


def complaints():
    """Why the suite cannot run here, a line each."""
    missing = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    missing += [package for module, package in MODULES.items() if not importlib.util.find_spec(module)]
    if not pathlib.Path("/usr/share/nodejs/ws").exists():
        missing.append("node-ws")
    lines = [f"Please install {' '.join(missing)}."] if missing else []
    from deck import CLIENT, NODE, PROGRAMS
    lines += [f"{program} is missing; build it, or set DECK_BIN_DIR." for program in (NODE, CLIENT, PROGRAMS / "DiscoveryProbe") if not program.exists()]
    for name, fetch in (("CODEX_BINARY", "scripts/fetch-codex"), ("CODEX_BINARY_OLDER", "CODEX_TEST_VERSION=0.149.0 scripts/fetch-codex")):
        codex = os.environ.get(name)
        if not codex or not os.access(codex, os.X_OK):
            lines.append(f"{name} must name an official Codex binary; {fetch} gets it.")
    return lines


def enter_network():
    """Leaves the computer's network for one that holds nothing but this suite."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET | CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "The suite needs a network namespace of its own")
    commands = """
        mount --make-rprivate /
        ip link set lo up
        ip link add eth0 type veth peer name cable
        ip address add 10.66.0.1/24 dev eth0
        ip address add 10.66.0.2/24 dev eth0
        ip link set cable up
        ip link set eth0 up
        ip route replace default dev eth0 src 10.66.0.1
    """
    for command in commands.strip().splitlines():
        subprocess.run(command.split(), check=True)
    if "DECK_USER_NAMESPACE" in os.environ:
        enter_user_namespace()


def enter_user_namespace():
    """Makes a namespace with a single user fit for daemons: a /run of its own, and their users are that one."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    for name in ("passwd", "group"):
        original = pathlib.Path("/etc", name)
        text = re.sub(r"^((?:avahi|messagebus):x):\d+(?=:)", r"\1:0", original.read_text(), flags=re.M)
        text = re.sub(r"^((?:avahi|messagebus):x:0):\d+(?=:)", r"\1:0", text, flags=re.M)
        copy = pathlib.Path("/run", name)
        copy.write_text(text)
        subprocess.run(["mount", "--bind", copy, original], check=True)


class TooLong(BaseException):
    """A test did not end in time. Not an Exception, so that no `except` of a test swallows it."""


def overdue(*_):
    raise TooLong("the test took longer than its limit")


def interrupted(*_):
    raise KeyboardInterrupt


def collect(names):
    """The tests whose name holds one of `names`, in the order of their files."""
    tests = []
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(path.stem)

        def walk(suite):
            for item in suite:
                if isinstance(item, unittest.TestSuite):
                    walk(item)
                else:
                    tests.append(item)
        walk(unittest.defaultTestLoader.loadTestsFromModule(module))
    return [test for test in tests if not names or any(name in test.id() for name in names)]


class Outcome(unittest.TestResult):
    """How a test ended; keeps the logs of what it started as they are at the moment of the failure."""

    def __init__(self, test):
        super().__init__()
        self.test, self.logs = test, ""

    def addError(self, test, err):
        super().addError(test, err)
        self.keep_logs()

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.keep_logs()

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.keep_logs()

    def keep_logs(self):
        if not self.logs and hasattr(self.test, "logs"):
            self.logs = self.test.logs()


def describe(outcome):
    """What went wrong, as text; `None` when nothing did."""
    problems = [f"{test}\n{text}" for test, text in outcome.failures + outcome.errors]
    problems += [f"it passed, which was not expected: {test}" for test in outcome.unexpectedSuccesses]
    problems += [f"skipped, which no test of this suite may do: {reason}" for _, reason in outcome.skipped]
    return "\n".join(problems + [outcome.logs]) if problems else None


def run_one(test):
    """Runs a test within its limit and returns its duration and what went wrong."""
    started = time.monotonic()
    outcome = Outcome(test)
    signal.signal(signal.SIGALRM, overdue)
    signal.alarm(getattr(test, "limit", 60))
    try:
        test.run(outcome)
        problem = describe(outcome)
    except (TooLong, KeyboardInterrupt) as end:
        problem = traceback.format_exc()
        test.doCleanups()
        if isinstance(end, KeyboardInterrupt):
            raise
    finally:
        signal.alarm(0)
    return time.monotonic() - started, problem


def passes(test):
    """Runs a test, tells how it went, and returns whether it passed."""
    seconds, problem = run_one(test)
    print(f"{'FAILED' if problem else 'ok    '} {seconds:6.1f} s  {test.id()}", flush=True)
    for note in getattr(test, "notes", []):
        print(f"                   {note}", flush=True)
    if problem:
        print(problem, flush=True)
    return not problem


def main():
    if os.geteuid() != 0:
        words = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, *sys.argv]
        os.execvpe("unshare", words, {**os.environ, "DECK_USER_NAMESPACE": "1"})
    sys.path.insert(0, str(HERE))
    lines = complaints()
    if lines:
        sys.exit("\n".join(lines))
    enter_network()
    signal.signal(signal.SIGTERM, interrupted)
    tests = collect(sys.argv[1:])
    if not tests:
        sys.exit(f"No test is called {' or '.join(sys.argv[1:])}.")
    started = time.monotonic()
    failed = [test for test in tests if not passes(test)]
    # Dozens of real programs share a small computer, and some chance remains. A single failure is looked at twice, and named in either case;
    # a fault that is there every time fails twice, and many at once are no chance.
    lucky = []
    if len(failed) <= SECOND_TRIES:
        lucky = [test for test in failed if passes(type(test)(test._testMethodName))]
        failed = [test for test in failed if test not in lucky]
    print(f"integration: {len(tests) - len(failed)} passed, {len(failed)} failed, in {time.monotonic() - started:.0f} s")
    for test in failed:
        print(f"  failed: {test.id()}")
    for test in lucky:
        print(f"  passed only at the second try, which somebody should look into: {test.id()}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
