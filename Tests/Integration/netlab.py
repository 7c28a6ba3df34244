#!/usr/bin/env python3
"""Two computers on one cable, without leaving this one.

Each is a network namespace with the only interface `eth0` (a veth pair joins the two), a private D-Bus system bus and an
avahi-daemon of its own. Needs root, iproute2, dbus-daemon and avahi-daemon; touches neither the host's bus nor its daemon.

    with NetLab() as lab:
        lab.a.start_avahi()
        lab.b.start_avahi()
        lab.b.run(["avahi-browse", "-rpt", "_codexdeck._tcp"])

`python3 netlab.py` tries it out; `python3 netlab.py a COMMAND…` runs a command on the first computer while both are up.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true"/>
    <allow receive_type="method_call"/>
    <allow receive_type="signal"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow eavesdrop="false" send_destination="*"/>
  </policy>
</busconfig>
"""

AVAHI_CONFIGURATION = """[server]
host-name={name}
use-ipv4=yes
use-ipv6=no
enable-dbus=yes
ratelimit-interval-usec=0
ratelimit-burst=0
[wide-area]
enable-wide-area=no
[publish]
publish-hinfo=no
publish-workstation=no
"""


class LabError(Exception):
    """The laboratory could not be built, or something in it did not happen in time."""


def missing_parts():
    """What this machine lacks, as a list of words; empty when a laboratory can be built."""
    missing = [tool for tool in ("ip", "dbus-daemon", "avahi-daemon") if not shutil.which(tool)]
    if os.geteuid() != 0:
        missing.append("root")
    elif "ip" not in missing:
        name = f"decktry{os.getpid()}"
        if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode != 0:
            missing.append("network namespaces")
        else:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return missing


def wait_until(condition, what, seconds=10.0, failure=LabError, every=0.02):
    """Waits until `condition()` is true and returns its value; raises `failure` after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise failure(f"waited {seconds:g} s in vain for {what}")
        time.sleep(every)


def _ip(*arguments):
    result = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise LabError(f"ip {' '.join(arguments)}: {result.stderr.strip()}")
    return result.stdout


class Computer:
    """One of the two: a namespace with its address, bus and daemon."""

    def __init__(self, name, address, folder):
        self.name = name
        self.address = address
        self.namespace = f"deck{os.getpid()}{name}"
        self.folder = folder / name
        self.folder.mkdir()
        self.bus_socket = self.folder / "bus"
        self.processes = []
        self.bus = None
        self.avahi = None

    # Commands

    @property
    def environment(self):
        """The environment of everything that runs here: its own bus, home and XDG folders, nothing of the user's."""
        environment = {key: os.environ[key] for key in ("PATH", "LANG", "TERM") if key in os.environ}
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        environment.update(
            HOME=str(self.folder), XDG_RUNTIME_DIR=str(runtime), DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={self.bus_socket}",
        )
        return environment

    def command(self, arguments):
        """`arguments`, to be run in this namespace by whoever starts the process; the process id stays that of the command."""
        return ["ip", "netns", "exec", self.namespace, *map(str, arguments)]

    def popen(self, arguments, environment=None, **options):
        """Starts a process here; it ends with the laboratory."""
        process = subprocess.Popen(self.command(arguments), env={**self.environment, **(environment or {})}, **options)
        self.processes.append(process)
        return process

    def run(self, arguments, environment=None, timeout=30, check=True):
        """Runs a command here to its end and returns its result, output as text."""
        return subprocess.run(
            self.command(arguments), env={**self.environment, **(environment or {})}, capture_output=True, text=True,
            timeout=timeout, check=check)

    # The network

    @property
    def interface_index(self):
        """The kernel's number of eth0 here."""
        return int(self.run(["cat", "/sys/class/net/eth0/ifindex"]).stdout)

    def add_address(self, address, prefix=24):
        _ip("-n", self.namespace, "address", "add", f"{address}/{prefix}", "dev", "eth0")

    def remove_address(self, address, prefix=24):
        _ip("-n", self.namespace, "address", "del", f"{address}/{prefix}", "dev", "eth0")

    def set_link(self, up):
        """Pulls the cable out (`False`) or puts it back; the default route is lost on the way, as on a real computer."""
        _ip("-n", self.namespace, "link", "set", "eth0", "up" if up else "down")
        if up:
            self.set_default_route()

    def set_default_route(self):
        """A default route over eth0, so that choosing an address by itself finds one."""
        _ip("-n", self.namespace, "route", "replace", "default", "dev", "eth0")

    def impair(self, *netem):
        """Makes the cable bad with netem words such as "delay", "50ms", "loss", "5%"; without words, good again.

        Raises LabError where the kernel has no netem.
        """
        self.run(["tc", "qdisc", "del", "dev", "eth0", "root"], check=False)
        if netem:
            result = self.run(["tc", "qdisc", "add", "dev", "eth0", "root", "netem", *netem], check=False)
            if result.returncode != 0:
                raise LabError(f"this kernel cannot impair the cable: {result.stderr.strip()}")

    # Services

    def start_bus(self):
        if self.bus and self.bus.poll() is None:
            return
        configuration = self.folder / "bus.conf"
        configuration.write_text(BUS_CONFIGURATION.format(socket=self.bus_socket))
        self.bus_socket.unlink(missing_ok=True)
        with (self.folder / "bus.log").open("ab") as log:
            self.bus = self.popen(
                ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile"], stdout=subprocess.DEVNULL, stderr=log)
        wait_until(self.bus_socket.exists, f"the bus of {self.name}")

    def stop_bus(self):
        self._end(self.bus)
        self.bus = None

    def start_avahi(self):
        """Starts the bus, if need be, and the daemon, and waits until it has settled."""
        self.start_bus()
        configuration = self.folder / "avahi.conf"
        configuration.write_text(AVAHI_CONFIGURATION.format(name=f"deck-{self.name}"))
        log = self.folder / "avahi.log"
        log.write_bytes(b"")
        # Each namespace has mounts of its own, so a private /run hides the host's pid file and socket.
        script = 'mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon && exec avahi-daemon -f "$0" --no-drop-root --no-chroot --no-rlimits'
        with log.open("ab") as output:
            self.avahi = self.popen(["sh", "-c", script, configuration], stdout=subprocess.DEVNULL, stderr=output)

        def settled():
            if self.avahi.poll() is not None:
                raise LabError(f"avahi-daemon of {self.name} ended: {log.read_text(errors='replace')}")
            return "startup complete" in log.read_text(errors="replace")

        wait_until(settled, f"the Avahi daemon of {self.name}")

    def stop_avahi(self, kill=False):
        """Ends the daemon; with `kill` it cannot say goodbye."""
        self._end(self.avahi, signal.SIGKILL if kill else signal.SIGTERM)
        self.avahi = None

    def _end(self, process, number=signal.SIGTERM):
        if not process or process.poll() is not None:
            return
        process.send_signal(number)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def close(self):
        for process in reversed(self.processes):
            self._end(process)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    with contextlib.suppress(OSError):
                        stream.close()
        subprocess.run(["ip", "netns", "del", self.namespace], capture_output=True)


class NetLab:
    """Both computers, `a` at 10.77.0.1 and `b` at 10.77.0.2. A context manager: everything ends with it."""

    def __init__(self):
        missing = missing_parts()
        if missing:
            raise LabError("no laboratory without " + ", ".join(missing))
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="netlab-"))
        self.a = Computer("a", "10.77.0.1", self._folder)
        self.b = Computer("b", "10.77.0.2", self._folder)

    def __enter__(self):
        try:
            self._build()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def _build(self):
        for computer in (self.a, self.b):
            _ip("netns", "add", computer.namespace)
            _ip("-n", computer.namespace, "link", "set", "lo", "up")
        _ip("-n", self.a.namespace, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", self.b.namespace)
        for computer in (self.a, self.b):
            computer.add_address(computer.address)
            _ip("-n", computer.namespace, "link", "set", "eth0", "up")
        for computer in (self.a, self.b):
            computer.set_default_route()

    def close(self):
        for computer in (self.a, self.b):
            computer.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def self_test():
    with NetLab() as lab:
        lab.a.start_avahi()
        lab.b.start_avahi()
        lab.a.popen(["avahi-publish", "-s", "Laboratory", "_codexdeck._tcp", "47653", "protocol=1"], stderr=subprocess.DEVNULL)

        def seen():
            return "protocol=1" in lab.b.run(["avahi-browse", "-rpt", "_codexdeck._tcp"]).stdout

        wait_until(seen, "the service of a to be seen by b")
    print("The laboratory works: what a announces, b sees.")


def main():
    try:
        if len(sys.argv) > 2 and sys.argv[1] in ("a", "b"):
            with NetLab() as lab:
                lab.a.start_avahi()
                lab.b.start_avahi()
                computer = getattr(lab, sys.argv[1])
                sys.exit(subprocess.run(computer.command(sys.argv[2:]), env=computer.environment).returncode)
        self_test()
    except LabError as error:
        sys.exit(f"netlab: {error}")


if __name__ == "__main__":
    main()
