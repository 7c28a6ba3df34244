"""The service manager: what the programs tell it, the sockets it hands them, and the units, checked by systemd's own tools."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from deck import DeckTest, NODE, REMOTE_PORT, ROOT, wait_until
from wire import Peer

UNITS = ROOT / "systemd"
STOPS_WITHIN = 2.0
"""Seconds from the signal to the end: what the units promise, and the product with them."""


class Manager:
    """The end of the notification socket that a service manager has."""

    def __init__(self, folder, abstract=False):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.name = f"@deck-test-{os.getpid()}-{time.monotonic_ns()}" if abstract else str(folder / "notify")
        self.socket.bind(self.name.replace("@", "\0", 1) if abstract else self.name)
        self.seen = []

    def next(self, seconds=20.0):
        """The next message, as a dictionary."""
        self.socket.settimeout(seconds)
        text = self.socket.recv(4096).decode()
        message = dict(line.split("=", 1) for line in text.splitlines())
        self.seen.append(message)
        return message

    def until(self, name, seconds=20.0):
        """The next message that has this assignment."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            message = self.next(max(deadline - time.monotonic(), 0.1))
            if name in message:
                return message
        raise AssertionError(f"no {name} was told; what was: {self.seen}")


LAUNCHER = """
import os, sys
count = int(os.environ["LISTEN_FDS"])
for number, descriptor in enumerate(map(int, sys.argv[1:1 + count])):
    os.dup2(descriptor, 3 + number)
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.argv[1 + count], sys.argv[1 + count:])
"""
"""Becomes a program that gets sockets as a manager hands them over: from descriptor 3 on, and named, for that very process."""


class ServiceCase(DeckTest):
    def setUp(self):
        super().setUp()
        self.starts = 0

    def serve(self, program, *words, manager, variables=None, listeners=()):
        """Starts a program as a service of `manager`."""
        self.starts += 1
        command = program.command(*words)
        environment = {**program.environment, "NOTIFY_SOCKET": manager.name, **(variables or {})}
        descriptors = [listener.fileno() for _, listener in listeners]
        if listeners:
            environment.update(LISTEN_FDS=str(len(listeners)), LISTEN_FDNAMES=":".join(name for name, _ in listeners))
            command = [sys.executable, "-c", LAUNCHER, *map(str, descriptors), *command]
        return self.spawn(command, environment, program.home.path / f"service-{self.starts}.log", pass_fds=descriptors)

    def listener(self, path):
        """A socket that somebody opened before the program was there."""
        path.parent.mkdir(mode=0o700, exist_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(path))
        listener.listen(16)
        return listener

    def ends_in_time(self, running, manager):
        started = time.monotonic()
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(manager.until("STOPPING")["STATUS"], "Stopping.")
        self.assertEqual(running.process.wait(20), 0, running.log)
        self.assertLess(time.monotonic() - started, STOPS_WITHIN)


class NodeServiceTests(ServiceCase):
    def test_ready_means_that_it_serves(self):
        for abstract in (False, True):
            with self.subTest(abstract=abstract):
                node = self.node()
                manager = Manager(node.home.path, abstract)
                running = self.serve(node, "serve", "--demo", manager=manager)
                ready = manager.next()
                node.run("status")
                self.assertEqual((ready["READY"], ready["MAINPID"]), ("1", str(running.pid)))
                self.assertRegex(ready["STATUS"], r"^\d+ tasks of the demo, 0 screens connected\.$")
                self.ends_in_time(running, manager)

    def test_a_second_node_is_never_ready(self):
        node = self.node().start(demo=True)
        path = node.home.runtime / "codex-deck" / "node.sock"
        for handed_over in (False, True):
            with self.subTest(handed_over=handed_over):
                listeners = []
                if handed_over:
                    # As a manager does it: the name now leads to its own socket.
                    path.unlink()
                    listeners = [("control", self.listener(path))]
                manager = Manager(pathlib.Path(tempfile.mkdtemp(dir=node.home.path)))
                running = self.serve(node, "serve", "--demo", manager=manager, listeners=listeners)
                self.assertEqual(running.process.wait(20), 1)
                self.assertIn("A node of yours is running already", running.log)
                manager.socket.setblocking(False)
                with self.assertRaises(BlockingIOError):
                    manager.socket.recv(4096)

    def test_signs_of_life_with_the_number_of_screens(self):
        node = self.node()
        manager = Manager(node.home.path)
        _, token = node.remote()
        self.serve(node, "serve", "--demo", manager=manager, variables={"WATCHDOG_USEC": "200000"})
        manager.until("READY")
        for _ in range(3):
            self.assertEqual(manager.next(), {"WATCHDOG": "1"})
        with Peer("127.0.0.1", REMOTE_PORT) as peer:
            peer.authenticate(token)
            status = manager.until("STATUS")
            self.assertRegex(status["STATUS"], r"^\d+ tasks of the demo, 1 screen connected\.$")
            self.assertEqual(status["WATCHDOG"], "1")

    def test_a_reload_is_told_from_its_beginning_to_its_end(self):
        node = self.node()
        manager = Manager(node.home.path)
        running = self.serve(node, "serve", "--demo", manager=manager)
        manager.until("READY")
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        running.process.send_signal(signal.SIGHUP)
        self.assertGreaterEqual(int(manager.until("RELOADING")["MONOTONIC_USEC"]), before)
        self.assertEqual(manager.next()["READY"], "1")

    def test_it_stops_in_time_whatever_its_clients_do(self):
        node, client = self.node(), self.client()
        manager = Manager(node.home.path)
        running = self.serve(node, "serve", "--demo", manager=manager)
        manager.until("READY")
        client.run("pair", stdin=node.pair().link)
        watching = self.spawn(client.command("daemon"), client.environment, client.home.path / "watch.log")
        hanging = Peer.paired(node.pair())
        hanging.snapshot()
        wait_until(lambda: node.status()["clients"] == 2, "both clients")
        # One reads nothing any more, another does not even run.
        watching.process.send_signal(signal.SIGSTOP)
        self.addCleanup(watching.process.send_signal, signal.SIGCONT)
        self.ends_in_time(running, manager)
        hanging.socket.close()

    def test_the_control_socket_can_be_there_before_the_node(self):
        node = self.node()
        path = node.home.runtime / "codex-deck" / "node.sock"
        listener = self.listener(path)
        for _ in range(2):
            # Asked before there is anybody: answered as soon as there is.
            asking = subprocess.Popen(node.command("status", "--json"), env=node.environment, stdout=subprocess.PIPE, text=True)
            manager = Manager(pathlib.Path(tempfile.mkdtemp(dir=node.home.path)))
            running = self.serve(node, "serve", "--demo", manager=manager, listeners=[("control", listener)])
            self.assertIn("host", json.loads(asking.communicate(timeout=30)[0]))
            self.assertEqual(asking.returncode, 0)
            manager.until("READY")
            self.ends_in_time(running, manager)
            self.assertTrue(path.is_socket(), "it belongs to the manager, who needs it again")

    def test_a_socket_that_is_not_its_own_is_left_alone(self):
        node = self.node()
        elsewhere = self.listener(node.home.path / "elsewhere" / "node.sock")
        manager = Manager(node.home.path)
        running = self.serve(node, "serve", "--demo", manager=manager, listeners=[("control", elsewhere)])
        manager.until("READY")
        node.run("status")
        self.ends_in_time(running, manager)
        self.assertFalse((node.home.runtime / "codex-deck" / "node.sock").exists(), "its own it removes")

    def test_an_idle_service_costs_next_to_nothing(self):
        """No demo, no screen, and a watchdog that wants to be fed every two seconds: far more often than that of the unit."""
        node = self.node()
        manager = Manager(node.home.path)
        running = self.serve(node, "serve", manager=manager, variables={"WATCHDOG_USEC": "4000000"})

        def used():
            """Seconds of processor time so far, by the clock that the kernel keeps for the process; the ticks of `cpu()` are too coarse."""
            return time.clock_gettime(~running.pid << 3 | 2)
        manager.until("READY")
        manager.until("WATCHDOG")   # starting is over
        began, before = time.monotonic(), used()
        for _ in range(5):
            manager.until("WATCHDOG")
        share = (used() - before) / (time.monotonic() - began)
        self.notes = [f"idle node: {share:.3%} of a core"]
        self.assertLess(share, 0.001)


class ClientServiceTests(ServiceCase):
    def test_the_engine_is_ready_watched_and_stops_in_time(self):
        node = self.node().start(demo=True)
        client = self.client()
        client.run("pair", stdin=node.pair().link)
        manager = Manager(client.home.path)
        running = self.serve(client, "daemon", manager=manager, variables={"WATCHDOG_USEC": "200000"})
        ready = manager.next()
        self.assertEqual((ready["READY"], ready["MAINPID"]), ("1", str(running.pid)))
        self.assertEqual(manager.until("WATCHDOG")["WATCHDOG"], "1")
        connected = "1 of 1 computers connected."
        wait_until(lambda: any(one.get("STATUS") == connected for one in [*manager.seen, manager.next()]), "the number of computers")
        running.process.send_signal(signal.SIGHUP)
        manager.until("RELOADING")
        manager.until("READY")
        # A dashboard that hangs, and a node that does.
        looking = self.spawn(client.command("watch", "--plain"), client.environment, client.home.path / "watch.log")
        wait_until(lambda: looking.log, "a board")
        for process in (looking.process, node.running.process):
            process.send_signal(signal.SIGSTOP)
            self.addCleanup(process.send_signal, signal.SIGCONT)
        self.ends_in_time(running, manager)

    def test_waiting_for_another_engine_counts_as_started(self):
        client = self.client()
        first = self.spawn(client.command("daemon"), client.environment, client.home.path / "first.log")
        wait_until(lambda: "The background engine runs." in first.log, "the first engine")
        manager = Manager(client.home.path)
        running = self.serve(client, "daemon", manager=manager)
        self.assertIn("waiting for it to end", manager.until("READY")["STATUS"])
        first.stop()
        wait_until(lambda: "The background engine runs." in running.log, "the second engine")
        self.assertEqual(manager.until("READY")["STATUS"], "0 of 0 computers connected.")
        self.ends_in_time(running, manager)

    def test_the_engines_socket_can_be_there_before_it(self):
        client = self.client()
        path = client.home.runtime / "codex-deck" / "client.sock"
        listener = self.listener(path)
        asking = subprocess.Popen(client.command("attention", "--json"), env=client.environment, stdout=subprocess.PIPE, text=True)
        manager = Manager(client.home.path)
        running = self.serve(client, "daemon", manager=manager, listeners=[("engine", listener)])
        self.assertEqual(json.loads(asking.communicate(timeout=30)[0]), [])
        manager.until("READY")
        self.ends_in_time(running, manager)
        self.assertTrue(path.is_socket())


class UnitFileTests(DeckTest):
    """What systemd's own tools say of the units, as they are once installed."""

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="deck-units-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for unit in UNITS.glob("codex-deck-*"):
            (self.folder / unit.name).write_text(unit.read_text().replace("@bindir@", str(NODE.parent)))
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder), "LANG": "C.UTF-8"}

    def analyze(self, *words):
        completed = subprocess.run(
            ["systemd-analyze", "--user", "--no-pager", *words], capture_output=True, text=True, env=self.environment, cwd=self.folder, timeout=50)
        return completed.returncode, completed.stdout + completed.stderr

    def test_they_verify(self):
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(names, [f"codex-deck-{part}.{kind}" for part in ("client", "node") for kind in ("service", "socket")])
        # The manuals are installed with the units, and not looked for here.
        self.assertEqual(self.analyze("verify", "--man=no", *(f"./{name}" for name in names)), (0, ""))

    def test_their_exposure_is_small(self):
        self.notes = []
        for name in ("codex-deck-node.service", "codex-deck-client.service"):
            code, text = self.analyze("security", "--offline=true", "--threshold=25", f"./{name}")
            exposure = re.search(r"Overall exposure level for \S+: (\S+)", text)
            self.assertEqual(code, 0, text)
            self.notes.append(f"exposure of {name}: {exposure[1]}")

    def test_the_example_of_the_readme_verifies(self):
        text = (UNITS / "README.md").read_text()
        block, = re.findall(r"(?m)^    \[Unit\]\n    Description=Tailscale(?:.*\n)+?(?=^\S)", text)
        unit = "\n".join(line.removeprefix("    ") for line in block.splitlines())
        self.assertIn("ExecStart=/usr/bin/tailscale serve ", unit)
        (self.folder / "codex-deck-tailscale.service").write_text(unit.replace("/usr/bin/tailscale", "/bin/true"))
        self.assertEqual(self.analyze("verify", "--man=no", "./codex-deck-tailscale.service"), (0, ""))

    def test_no_option_of_theirs_is_without_effect(self):
        """A unit that names an option which a user's manager cannot honour would look safer than it is."""
        for path in self.folder.glob("*.service"):
            text = path.read_text()
            for option in ("IPAddressDeny", "IPAddressAllow", "DynamicUser", "User=", "DeviceAllow", "RootDirectory"):
                self.assertNotRegex(text, f"(?m)^{option}", path.name)
            self.assertRegex(text, r"(?m)^PrivateUsers=yes$")
