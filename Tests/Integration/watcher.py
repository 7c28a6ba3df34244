"""An honest client in the background, which notes whether it is served in time while something else goes on."""

import threading
import time

from wire import Ended, Peer


class Watcher:
    """Reads snapshots on a thread of its own until the `with` block ends; fails then when one came late."""

    def __init__(self, pairing, latest=1.7, **options):
        self.peer = Peer.paired(pairing, **options)
        self.latest, self.longest, self.count, self.problem, self.ending = latest, 0.0, 0, None, False
        self.thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def _read(self):
        last = time.monotonic()
        while not self.ending:
            try:
                self.peer.next("snapshot", seconds=5)
            except (Ended, TimeoutError, OSError, ValueError) as error:
                self.problem = self.problem or (None if self.ending else error)
                return
            now = time.monotonic()
            self.longest, last, self.count = max(self.longest, now - last), now, self.count + 1

    def __exit__(self, kind, *_):
        self.ending = True
        self.thread.join(6)
        self.peer.close()
        if kind is None:
            assert self.problem is None, f"the honest client was not served: {self.problem!r}"
            assert self.count and self.longest <= self.latest, f"the honest client waited {self.longest:.2f} s for a snapshot"
