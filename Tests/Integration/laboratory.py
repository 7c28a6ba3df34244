"""Two computers for a test: the node on one, the client on the other, a cable and an Avahi daemon on each side."""

import contextlib
import ctypes
import os
import threading

import netlab
from deck import Client, DeckTest, Node

CLONE_NEWNET = 0x40000000


@contextlib.contextmanager
def entered(computer):
    """This thread's new sockets belong to `computer` until the block ends."""
    libc = ctypes.CDLL(None, use_errno=True)

    def enter(descriptor):
        if libc.setns(descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    here = os.open(f"/proc/self/task/{threading.get_native_id()}/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{computer.namespace}", os.O_RDONLY)
    try:
        enter(there)
        yield
    finally:
        enter(here)
        os.close(here)
        os.close(there)


class LaboratoryTest(DeckTest):
    limit = 120

    def setUp(self):
        super().setUp()
        self.lab = netlab.NetLab().__enter__()
        self.addCleanup(self.lab.close)
        for computer in (self.lab.a, self.lab.b):
            computer.start_avahi()

    def environment(self, computer):
        return {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={computer.bus_socket}"}

    def lab_node(self, home=None):
        return self.node(home, computer=self.lab.a, environment=self.environment(self.lab.a))

    def lab_client(self, home=None, computer=None):
        computer = computer or self.lab.b
        return Client(home or self.home("client"), computer, self.environment(computer))
