"""The units in a real user's service manager: installed by scripts/install, started, killed, hung, stopped; and what they may do there."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import time

from deck import DeckTest, PROGRAMS, ROOT, wait_for, wait_until
from user_manager import CannotRun, HOME, RUNTIME, UserManager

NODE, CLIENT = "codex-deck-node.service", "codex-deck-client.service"
SOURCES = HOME.parent / "other"
PROBE = r"""#!/bin/sh
# Runs inside the fences of a service and writes down what it may do there.
exec >"$1" 2>&1
may() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "$name yes"; else echo "$name no"; fi; }
may home touch "$HOME/probe-wrote"
may state touch "$HOME/.local/state/codex-deck/probe-wrote"
may runtime touch "$XDG_RUNTIME_DIR/codex-deck/probe-wrote"
may system touch /usr/probe-wrote /var/tmp/../probe-wrote /etc/probe-wrote
may others ls /home/other/install
may kernel sh -c 'echo 1 >/proc/sys/vm/drop_caches'
may namespaces unshare --user true
may bubblewrap bwrap --unshare-user --unshare-ipc --unshare-pid --unshare-net --die-with-parent --new-session --cap-drop ALL --ro-bind / / \
    --dev /dev --proc /proc --tmpfs /run --tmpfs /tmp --bind "$HOME" "$HOME" --chdir "$HOME" -- sh -c 'test "$(cat /proc/1/comm)" = bwrap'
may git git init -q "$HOME/probe-repository"
may limits sh -c 'test "$(ulimit -c)" = 0'
may gain sh -c 'grep -q "^NoNewPrivs:.0" /proc/self/status'
"""
CODEX = """#!/bin/sh
# Stands in for the CLI: it has a daemon to start, which goes on by itself.
echo "$*" >>"$HOME/codex-calls"
case "$*" in
    "app-server daemon start") sleep 1000 </dev/null >/dev/null 2>&1 & echo $! >"$HOME/codex-daemon" ;;
esac
"""


class UserManagerTests(DeckTest):
    limit = 150

    def setUp(self):
        super().setUp()
        self.manager = None
        manager = UserManager(pathlib.Path(tempfile.mkdtemp(prefix="deck-log-")) / "manager.log")
        try:
            # What the user is given: the repository's own scripts and the programs.
            for name in ("scripts", "packaging", "systemd"):
                shutil.copytree(ROOT / name, manager.files / "install" / name)
            shutil.copy(ROOT / "CHANGELOG.md", manager.files / "install")
            (manager.files / "bin").mkdir()
            for program in ("decknode", "deckclient"):
                shutil.copy(PROGRAMS / program, manager.files / "bin")
            subprocess.run(["chmod", "-R", "a+rX", manager.files], check=True)
            self.addCleanup(shutil.rmtree, manager.log_path.parent)
            self.addCleanup(manager.stop)
            self.manager = manager
            manager.start()
        except CannotRun as error:
            # Said in the report of the run; the units' files and the protocol are tested without a manager.
            self.notes = [f"not run: {error}"]
            self.manager = None
            return
        # No bus of this computer is asked for anything.
        self.manager.systemctl("set-environment", "CODEX_DECK_SECRETS=file", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere")

    def logs(self):
        if not self.manager:
            return ""
        return f"--- the manager\n{self.manager.log[-6000:]}"

    def install(self, *words):
        return self.manager.run(SOURCES / "install/scripts/install", "--bin-dir", SOURCES / "bin", *words, timeout=60)

    def drop_in(self, unit, text):
        self.manager.run("mkdir", "-p", f".config/systemd/user/{unit}.d")
        self.manager.run("tee", f".config/systemd/user/{unit}.d/test.conf", stdin=text)
        self.manager.systemctl("daemon-reload")

    def left(self, *folders):
        """The files and links in these folders, which need not exist."""
        return self.manager.run("find", *folders, "-type", "f", "-o", "-type", "l", code=None).stdout

    def active(self, unit):
        return self.manager.show(unit, "ActiveState") == "active"

    def main_process(self, unit):
        return self.manager.show(unit, "MainPID")

    def restarted(self, unit, former):
        wait_until(lambda: self.main_process(unit) not in ("0", former) and self.active(unit), f"a new process of {unit}", seconds=30)

    def test_installed_started_and_gone_again(self):
        if not self.manager:
            return
        said = self.install("--enable").stderr
        self.assertIn("codex-deck-node runs, and starts at every login", said)
        for unit in (NODE, CLIENT):
            self.assertEqual(self.manager.systemctl("is-active", unit, unit.replace("service", "socket")), "active\nactive")
            self.assertEqual(self.manager.systemctl("is-enabled", unit), "enabled")
        self.assertRegex(self.manager.show(NODE, "StatusText"), r"^\d+ tasks, 0 screens connected\.$")
        self.assertEqual(self.manager.show(CLIENT, "StatusText"), "0 of 0 computers connected.")
        self.assertIn("host", json.loads(self.manager.run("decknode", "status", "--json").stdout))
        for unit in (NODE, CLIENT):
            former = self.main_process(unit)
            self.manager.systemctl("reload", unit)
            self.assertEqual((self.main_process(unit), self.active(unit)), (former, True))
        # Again: the same, and both still run.
        self.install("--enable")
        self.assertTrue(self.active(NODE) and self.active(CLIENT))
        self.assertIn("Removed", self.manager.run(SOURCES / "install/scripts/uninstall").stderr)
        for unit in (NODE, CLIENT):
            self.assertEqual(self.manager.show(unit, "LoadState"), "not-found")
            self.assertEqual(self.manager.show(unit, "ActiveState"), "inactive")
        self.assertEqual(self.left(".local/bin", ".local/share", ".config/systemd"), "")

    def test_another_prefix_is_found_and_left_without_a_trace(self):
        if not self.manager:
            return
        self.install("--prefix", HOME / "opt", "--enable=node")
        self.assertTrue(self.active(NODE))
        self.assertEqual(self.manager.show(CLIENT, "LoadState"), "loaded")
        self.manager.run("opt/bin/decknode", "status")
        self.manager.run(SOURCES / "install/scripts/uninstall", "--prefix", HOME / "opt")
        self.assertEqual(self.manager.show(NODE, "LoadState"), "not-found")
        self.assertEqual(self.left("opt", ".config/systemd"), "")

    def test_failures_are_mended_and_stops_are_quick(self):
        if not self.manager:
            return
        self.install("--enable")
        for unit, socket in ((NODE, "node.sock"), (CLIENT, "client.sock")):
            with self.subTest(unit=unit):
                results = RUNTIME / f"results-{unit}"
                self.drop_in(unit, f"[Service]\nWatchdogSec=2s\nExecStopPost=/bin/sh -c 'echo $SERVICE_RESULT >>{results}'\n")
                self.manager.systemctl("restart", unit)
                first = self.main_process(unit)
                file = self.manager.run("stat", "-c", "%i", RUNTIME / "codex-deck" / socket).stdout
                self.manager.run("kill", "-KILL", first)
                self.restarted(unit, first)
                self.assertEqual(self.manager.run("stat", "-c", "%i", RUNTIME / "codex-deck" / socket).stdout, file, "the socket outlives it")
                second = self.main_process(unit)
                # It lives well with a watchdog that expects it every two seconds, until it hangs.
                wait_until(lambda: self.manager.show(unit, "WatchdogTimestampMonotonic") != "0", "a sign of life")
                self.manager.run("kill", "-STOP", second)
                self.restarted(unit, second)
                # By hand, without the socket that would start it again.
                began = time.monotonic()
                self.manager.systemctl("stop", unit.replace("service", "socket"), unit)
                self.assertLess(time.monotonic() - began, 2.5)
                self.assertEqual((self.manager.show(unit, "Result"), self.manager.show(unit, "ActiveState")), ("success", "inactive"))
                self.assertEqual(self.manager.run("cat", results).stdout.split(), ["success", "signal", "watchdog", "success"])

    def test_a_command_starts_what_it_needs(self):
        if not self.manager:
            return
        self.install("--no-enable")
        self.manager.systemctl("start", "codex-deck-node.socket", "codex-deck-client.socket")
        self.assertFalse(self.active(NODE) or self.active(CLIENT))
        self.manager.run("decknode", "status")
        self.assertTrue(self.active(NODE))
        self.assertEqual(json.loads(self.manager.run("deckclient", "attention", "--json").stdout), [])
        self.assertTrue(self.active(CLIENT))

    def test_what_they_may_do_inside(self):
        if not self.manager:
            return
        self.install("--no-enable")
        self.manager.run("tee", "probe", stdin=PROBE)
        self.manager.run("chmod", "+x", "probe")
        same = {"runtime yes", "state yes", "system no", "others no", "kernel no", "limits yes", "gain no"}
        for unit, special in (
            (NODE, {"home yes", "bubblewrap yes", "namespaces yes", "git yes"}), (CLIENT, {"home no", "bubblewrap no", "namespaces no", "git no"}),
        ):
            with self.subTest(unit=unit):
                answers = RUNTIME / f"probe-{unit}"
                self.drop_in(unit, f"[Service]\nExecStartPost=/bin/sh {HOME}/probe {answers}\n")
                self.manager.systemctl("start", unit)
                self.assertEqual(set(self.manager.run("cat", answers).stdout.splitlines()), same | special)

    def test_the_daemon_of_codex_is_no_part_of_the_node(self):
        if not self.manager:
            return
        self.install("--no-enable")
        self.manager.run("tee", ".local/bin/codex", stdin=CODEX)
        self.manager.run("chmod", "+x", ".local/bin/codex")
        self.manager.run("mkdir", "-p", ".codex")
        self.manager.run("decknode", "config", "set", "codex.autostart", "true")
        self.manager.systemctl("start", NODE)
        daemon = wait_for(lambda: self.manager.run("cat", "codex-daemon", code=None).stdout.strip(), bool, "the daemon", seconds=30)
        group = self.manager.run("cat", f"/proc/{daemon}/cgroup").stdout
        self.assertNotIn(NODE, group)
        self.assertRegex(group, r"/run-\w+\.service")
        self.assertIn("NoNewPrivs:\t0", self.manager.run("cat", f"/proc/{daemon}/status").stdout, "it is free of the node's fences")
        self.manager.systemctl("stop", NODE)
        self.manager.run("kill", "-0", daemon)
