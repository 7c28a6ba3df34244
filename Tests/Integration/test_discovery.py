"""Discovery between two computers, each with an Avahi daemon of its own: the module itself, at the end of a pipe (DiscoveryProbe)."""

import json
import queue
import subprocess
import threading
import time
import unittest

import netlab
from deck import PROGRAMS

HOST = "12345678-9abc-4def-8123-456789abcdef"
OTHER = "99999999-9abc-4def-8123-456789abcdef"
PRINT = "0123456789abcdef" * 4
PROBE = PROGRAMS / "DiscoveryProbe"


class Probe:
    """The Discovery module at the end of a pipe, on one of the computers."""

    def __init__(self, computer):
        self.process = computer.popen([PROBE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.events = queue.Queue()
        self.history = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.events.put(json.loads(line))

    def send(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def expect(self, seconds=15, **fields):
        """Waits for an event with these fields; a function as value is asked."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                event = self.events.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no event {fields}; since the start: {self.history}") from None
            self.history.append(event)
            if all(value(event.get(key, "")) if callable(value) else event.get(key) == value for key, value in fields.items()):
                return event

    def published(self, name=None):
        return self.expect(event="publisher", state=lambda state: "published" in state and (name is None or f'"{name}"' in state))

    def nothing(self, seconds, **fields):
        """Makes sure that no such event comes for a while."""
        try:
            event = self.expect(seconds=seconds, **fields)
        except AssertionError:
            return
        raise AssertionError(f"unexpected {event}")

    def cpu_ticks(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        return int(fields[11]) + int(fields[12])


class DiscoveryTests(unittest.TestCase):
    def setUp(self):
        self.lab = netlab.NetLab().__enter__()
        self.addCleanup(self.lab.close)

    def publish(self, probe, name="Studio_PC", host=HOST, address="10.77.0.1", port=47653, fingerprint=PRINT, index=None):
        probe.send("publish", name, host, address, port, fingerprint, index or self.lab.a.interface_index)

    def both(self):
        self.lab.a.start_avahi()
        self.lab.b.start_avahi()
        return Probe(self.lab.a), Probe(self.lab.b)

    def test_announces_moves_and_withdraws(self):
        a, b = self.both()
        b.send("browse")
        self.publish(a)
        a.published("Codex Deck Studio PC")
        found = b.expect(event="found", hostId=HOST)
        self.assertEqual((found["address"], found["port"], found["fingerprint"], found["os"]), ("10.77.0.1", "47653", PRINT, "linux"))
        # The wire form, as other programs see it.
        text = self.lab.b.run(["avahi-browse", "-rpt", "_codexdeck._tcp"]).stdout
        for entry in ("protocol=1", f"hostId={HOST}", "hostName=Studio PC", "platform=darwin", "secure=1", "os=linux", "port=47653"):
            self.assertIn(f'"{entry}"', text)
        self.assertNotIn("token", text)
        # Another address in the record alone: the new self comes before the old one goes.
        self.publish(a, address="10.77.0.9")
        b.expect(event="found", address="10.77.0.9")
        b.expect(event="lost", address="10.77.0.1")
        # Another port: registered anew.
        self.publish(a, address="10.77.0.9", port=50000)
        b.expect(event="found", port="50000")
        a.send("withdraw")
        b.expect(event="lost", port="50000")
        # And again after that.
        self.publish(a)
        b.expect(event="found", address="10.77.0.1")

    def test_survives_the_daemon(self):
        a, b = self.both()
        b.send("browse")
        self.publish(a)
        b.expect(event="found", hostId=HOST)
        for kill in (False, True):
            self.lab.a.stop_avahi(kill=kill)
            a.expect(event="log", level="warning")
            a.expect(event="publisher", state=lambda state: "unavailable" in state)
            self.lab.a.start_avahi()
            a.published()
        # The browsing side's daemon restarts, then its whole bus.
        self.lab.b.stop_avahi()
        b.expect(event="lost", hostId=HOST)
        self.lab.b.start_avahi()
        b.expect(event="found", hostId=HOST)
        self.lab.b.stop_avahi()
        self.lab.b.stop_bus()
        b.expect(event="lost", hostId=HOST)
        self.lab.b.start_avahi()
        b.expect(event="found", hostId=HOST)

    def test_starts_before_bus_and_daemon(self):
        a = Probe(self.lab.a)
        self.publish(a)
        a.expect(event="log", level="warning")
        a.expect(event="publisher", state=lambda state: "unavailable" in state)
        a.nothing(1, event="log")  # said once, however often it tries
        self.lab.a.start_bus()
        a.nothing(1, event="log")
        self.lab.a.start_avahi()
        a.published()

    def test_takes_another_name_when_two_computers_share_one(self):
        a, b = self.both()
        seer = Probe(self.lab.b)
        seer.send("browse")
        self.publish(a)
        a.published("Codex Deck Studio PC")
        seer.expect(event="found", hostId=HOST)
        self.publish(b, host=OTHER, address="10.77.0.2", index=self.lab.b.interface_index)
        seer.expect(event="found", hostId=OTHER)

        # Whose name gives way is for the two daemons to settle; the identities never mix.
        def names():
            lines = self.lab.b.run(["avahi-browse", "-rpt", "_codexdeck._tcp"]).stdout.splitlines()
            fields = [line.split(";") for line in lines if line.startswith("=;eth0;")]
            return sorted((field[3], OTHER in field[-1]) for field in fields)

        plain, second = "Codex\\032Deck\\032Studio\\032PC", "Codex\\032Deck\\032Studio\\032PC\\032\\0352"
        netlab.wait_until(
            lambda: [name for name, _ in names()] == [plain, second] and sum(other for _, other in names()) == 1, "two names", 20)

    def test_two_nodes_of_one_computer(self):
        a, b = self.both()
        second = Probe(self.lab.a)
        self.publish(a)
        a.published("Codex Deck Studio PC")
        self.publish(second, host=OTHER, port=47654)
        second.published("Codex Deck Studio PC #2")
        b.send("browse", OTHER)
        b.expect(event="found", hostId=HOST)
        b.nothing(1, event="found", hostId=OTHER)  # itself, in its own eyes

    def test_ignores_what_is_no_node(self):
        a, b = self.both()
        publish = ["avahi-publish", "-s"]
        self.lab.a.popen([*publish, "Nonsense", "_codexdeck._tcp", "47653", "protocol=1"], stderr=subprocess.DEVNULL)
        self.lab.a.popen([*publish, "Empty", "_codexdeck._tcp", "47653"], stderr=subprocess.DEVNULL)
        self.publish(a)
        b.send("browse")
        b.expect(event="found", hostId=HOST)
        b.nothing(1.5, event="found")
        b.send("stop")
        self.assertGreaterEqual(int(b.expect(event="ignored")["count"]), 2)

    def test_only_the_interface_of_the_address(self):
        a, b = self.both()
        b.send("browse")
        self.publish(a, index=1)  # the loopback, which nobody else hears
        b.nothing(3, event="found")

    def test_drops_everything_at_any_moment(self):
        a, b = self.both()
        for _ in range(5):
            self.publish(a)
            b.send("browse")
            a.send("drop")
            b.send("drop")
        self.publish(a)
        b.send("browse")
        b.expect(event="found", hostId=HOST)
        self.assertIsNone(a.process.poll())
        self.assertIsNone(b.process.poll())

    def test_costs_nothing_at_rest(self):
        a, b = self.both()
        self.publish(a)
        b.send("browse")
        b.expect(event="found", hostId=HOST)
        time.sleep(1)
        before = a.cpu_ticks() + b.cpu_ticks()
        time.sleep(3)
        self.assertLessEqual(a.cpu_ticks() + b.cpu_ticks() - before, 1)

    def test_follows_addresses(self):
        a = Probe(self.lab.a)
        a.send("choose")
        a.expect(event="chosen", address="10.77.0.1", interface="eth0")
        a.send("watch")
        a.expect(event="watching")
        self.lab.a.add_address("10.77.0.77")
        a.expect(event="chosen", address="10.77.0.1")
        self.lab.a.remove_address("10.77.0.1")
        # Removing a primary address takes its secondaries along, unless the kernel is told otherwise.
        a.expect(event="chosen")
        self.lab.a.add_address("10.77.0.5")
        self.lab.a.set_default_route()
        a.expect(event="chosen", address=lambda address: address.startswith("10.77.0."))
        self.lab.a.set_link(False)
        a.expect(event="chosen", problem=lambda text: "no private network address" in text)
        self.lab.a.set_link(True)
        a.expect(event="chosen", interface="eth0")
