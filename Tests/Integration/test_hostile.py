"""The node among peers that mean it no good. An honest client is served in time all the while."""

import contextlib
import socket
import ssl
import struct
import time

import wire
from deck import ADDRESS, DeckTest, OTHER_ADDRESS, PORT, wait_until
from watcher import Watcher
from wire import BINARY, CONTINUATION, Ended, PING, PONG, Peer, TEXT, command

MEMORY = 24 * 1024
"""KiB that may remain after a flood: allocators keep some."""


class HostileTests(DeckTest):
    def setUp(self):
        super().setUp()
        self.node_ = self.node().start(demo=True)
        self.pairing = self.node_.pair()

    def raw(self, source=None):
        """A connection that has said nothing yet."""
        connection = socket.create_connection((ADDRESS, PORT), 5, (source, 0) if source else None)
        self.addCleanup(connection.close)
        return connection

    def is_closed(self, connection):
        connection.setblocking(False)
        try:
            return connection.recv(65_536) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def settled(self):
        """Memory once the connections of before are gone."""
        wait_until(lambda: self.node_.running.descriptors() < 40, "the connections to be gone")
        time.sleep(0.2)
        return self.node_.running.memory()

    def end_of(self, *frames):
        """How the node ends an authenticated connection that sends `frames`."""
        with Peer.paired(self.pairing) as peer:
            with contextlib.suppress(OSError):
                for data in frames:
                    peer.send_bytes(data)
            return peer.end(5)

    # Slow and wrong beginnings

    def test_one_byte_at_a_time(self):
        with Peer(ADDRESS, PORT, pin=self.pairing.fingerprint, upgrade=False) as peer:
            request = (b"GET /any/path HTTP/1.1\r\nHost: x\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
                       b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            for byte in request:
                peer.send_bytes(bytes([byte]))
            status, headers = peer.read_response()
            self.assertEqual((status, headers["sec-websocket-accept"]), (101, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            auth = f'{{"type":"auth","protocol":1,"token":"{self.pairing.token}"}}'.encode()
            for byte in wire.frame(TEXT, auth):
                peer.send_bytes(bytes([byte]))
            self.assertEqual(peer.next()["type"], "ready")
            # One byte a fragment, with a ping between each two.
            text = b'{"type":"command","protocol":1,"requestId":"slow","command":{"kind":"encoder","act":0}}'
            for index in range(len(text)):
                last = index == len(text) - 1
                peer.send_frame(TEXT if index == 0 else CONTINUATION, text[index:index + 1], fin=last)
                peer.send_frame(PING, b"%d" % index)
            self.assertTrue(peer.next("result")["ok"])

    def test_plaintext_on_the_tls_port_and_tls_on_the_plain_one(self):
        url, _ = self.node_.remote()
        with Watcher(self.pairing):
            for data in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"\0" * 600, b"SSH-2.0-x\r\n", b"\x80\x2e\x01" + b"\0" * 60):
                connection = self.raw()
                connection.sendall(data)
                received = b""
                with contextlib.suppress(ConnectionError):
                    while piece := connection.recv(4096):
                        received += piece
                self.assertLess(len(received), 64, "an alert at most")
                self.assertNotIn(b"HTTP", received)
            plain = socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), 5)
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                wire.pinned_context().wrap_socket(plain)
            plain.close()

    def test_refused_upgrades(self):
        def status(text):
            with Peer(ADDRESS, PORT, pin=self.pairing.fingerprint, upgrade=False) as peer:
                with contextlib.suppress(OSError):
                    peer.send_bytes(text)
                return peer.read_response()[0]
        good = (b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
        end = b"\r\n"
        self.assertEqual(status(good + end), 101)
        for origin in (b"https://example.org", b"null", b"http://" + ADDRESS.encode()):
            self.assertEqual(status(good + b"Origin: " + origin + b"\r\n" + end), 403)
        self.assertEqual(status(good + b"oRIGIN: x\r\n" + end), 403)
        self.assertEqual(status(good.replace(b"Version: 13", b"Version: 8") + end), 426)
        self.assertEqual(status(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"), 426)
        for wrong in (b"POST" + good[3:], good.replace(b"dGhlIHNhbXBsZSBub25jZQ==", b"short"), b"\x00\x01\x02\r\n\r\n"):
            self.assertIn(status(wrong + end), (400, 405, 426))
        self.assertIn(status(good + b"X: " + b"a" * 70_000), (400, 431))
        self.assertIn(status(good + b"X: a\r\n" * 5_000), (400, 431))

    def test_more_connections_than_may_be_unknown(self):
        with Watcher(self.pairing, source=OTHER_ADDRESS):
            connections = [self.raw() for _ in range(80)]
            wait_until(lambda: all(self.is_closed(one) for one in connections[:16]), "the oldest to be dropped")
            self.assertFalse(any(self.is_closed(one) for one in connections[17:]), "the newest stay")
            # A further one is let in, at the cost of the oldest again.
            with Peer.paired(self.pairing) as peer:
                self.assertEqual(peer.next()["type"], "snapshot")

    def test_those_who_keep_it_waiting(self):
        """Everything that takes the node's patience, at once: 3 s for the token, 10 s for a handshake, 10 s for a reader."""
        started = time.monotonic()
        silent, half_tls = self.raw(), self.raw()
        half_tls.sendall(b"\x16\x03\x01\x00\xc8\x01\x00")
        half_upgrade = Peer(ADDRESS, PORT, pin=self.pairing.fingerprint, upgrade=False)
        half_upgrade.send_bytes(b"GET / HTTP/1.1\r\nHost:")
        no_reader = Peer.paired(self.pairing, receive_buffer=4096)
        with Watcher(self.pairing), half_upgrade, no_reader:
            with Peer.paired(self.pairing, auth=False) as unknown:
                self.assertEqual((unknown.end().code, round(time.monotonic() - started)), (4001, 3))
            # The one that reads nothing asks for more than it takes: results fill its buffers.
            no_reader.socket.settimeout(0.5)
            stuck, requests = None, 0
            while stuck is None and requests < 200_000:
                try:
                    no_reader.send_bytes(b"".join(
                        wire.frame(TEXT, b'{"type":"command","protocol":1,"requestId":"%064d","command":{"kind":"none"}}' % index)
                        for index in range(200)))
                    requests += 200
                except TimeoutError:
                    stuck = time.monotonic()
            self.assertIsNotNone(stuck, "the node goes on reading from a client that takes no answers")
            for connection, name in ((silent, "silent"), (half_tls, "half a handshake")):
                wait_until(lambda: self.is_closed(connection), name, 14)
                self.assertGreater(time.monotonic() - started, 9)
            with contextlib.suppress(Ended):
                self.assertEqual(half_upgrade.read_response()[0], 408)
            self.assertLess(time.monotonic() - started, 14)
            wait_until(lambda: self.node_.status()["relay"]["droppedSlowClients"] == 1, "the client that does not read to be dropped", 20, 0.2)
            self.assertGreater(time.monotonic() - stuck, 7)
            self.assertEqual(self.node_.status()["clients"], 1)

    # Floods

    def flood(self, data, times, expect=b""):
        """Sends `data` again and again on one connection while reading what comes back."""
        with Peer.paired(self.pairing) as peer:
            peer.socket.setblocking(False)
            block, rest, sent, received = data * 64, b"", 0, b""
            deadline = time.monotonic() + 30
            while sent < times and time.monotonic() < deadline:
                try:
                    rest = rest or block
                    count = peer.socket.send(rest)
                    rest = rest[count:]
                    sent += 0 if rest else 64
                except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                    time.sleep(0.001)
                with contextlib.suppress(BlockingIOError, ssl.SSLWantReadError):
                    received = (received + peer.socket.recv(262_144))[-500_000:]
            self.assertGreaterEqual(sent, times, "the node did not take the flood in time")
            peer.socket.settimeout(10)
            peer.send_bytes(rest + wire.frame(PING, b"that was all"))
            while b"that was all" not in received:
                received += peer.socket.recv(262_144)
            self.assertIn(expect, received)

    def test_floods(self):
        unknown = wire.frame(TEXT, b'{"type":"from-the-future","protocol":1,"padding":"' + b"x" * 400 + b'"}')
        junk = wire.frame(BINARY, b"\x00\xff" * 200)
        orders = wire.frame(TEXT, b'{"type":"command","protocol":1,"requestId":"flood","command":{"kind":"encoder","act":0}}')
        with Watcher(self.pairing) as watcher:
            self.flood(wire.frame(PING, b"p" * 125), 1_000, bytes([0x80 | PONG]))
            before = self.node_.running.memory()
            for data, expect in ((wire.frame(PING, b"p" * 125), bytes([0x80 | PONG])), (unknown, b""), (junk, b""),
                                 (wire.frame(PONG, b"q"), b""), (orders, b"Too many commands at once")):
                self.flood(data, 20_000, expect)
            growth = self.node_.running.memory() - before
        relay = self.node_.status()["relay"]
        self.assertGreaterEqual(relay["ignoredMessages"], 40_000)
        self.assertGreaterEqual(relay["refusedByRate"], 15_000)
        self.assertLess(growth, MEMORY)
        self.notes = [f"longest wait of the honest client: {watcher.longest * 1000:.0f} ms; memory grew by {growth} KiB"]

    def test_connections_that_come_and_go(self):
        for _ in range(100):
            self.raw().close()
        before, started = self.settled(), time.monotonic()
        with Watcher(self.pairing):
            for index in range(3_000):
                with socket.create_connection((ADDRESS, PORT), 5) as connection:
                    if index % 3 == 0:
                        connection.sendall(b"\x16\x03\x01\x02\x00\x01")
                    if index % 3 == 1:
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            for _ in range(200):
                Peer(ADDRESS, PORT, pin=self.pairing.fingerprint, source=OTHER_ADDRESS).close()
        growth = self.settled() - before
        self.assertLess(growth, MEMORY)
        self.assertLess(time.monotonic() - started, 30)
        self.notes = [f"memory grew by {growth} KiB over 3,200 connections"]

    def test_guessing_the_token(self):
        guess = self.pairing.token[:-1] + ("A" if self.pairing.token[-1] != "A" else "B")

        def attempt(source):
            with Peer(ADDRESS, PORT, pin=self.pairing.fingerprint, source=source) as peer:
                peer.send({"type": "auth", "protocol": 1, "token": guess})
                return peer.end(30).code
        with Watcher(self.pairing, source=ADDRESS):
            durations = []
            for _ in range(4):
                started = time.monotonic()
                self.assertEqual(attempt(ADDRESS), 4003)
                durations.append(time.monotonic() - started)
            self.assertGreater(durations[-1], 3 * max(durations[0], 0.05), f"guessing is not slowed down: {durations}")
            # Another address pays nothing for it.
            started = time.monotonic()
            Peer.paired(self.pairing, source=OTHER_ADDRESS).close()
            self.assertLess(time.monotonic() - started, 0.5)
        self.assertNotIn(guess, self.node_.log)
        self.assertNotIn(self.pairing.token, self.node_.log)

    def test_guessing_behind_loopback_hurts_nobody_else(self):
        url, token = self.node_.remote()
        port = int(url.rsplit(":", 1)[1])
        for _ in range(20):
            with Peer("127.0.0.1", port) as peer:
                peer.send({"type": "auth", "protocol": 1, "token": "A" * 43})
                self.assertEqual(peer.end().code, 4003)
        started = time.monotonic()
        with Peer("127.0.0.1", port) as peer:
            peer.authenticate(token)
        self.assertLess(time.monotonic() - started, 0.5)

    # Frames no client may send

    def test_violations_of_the_protocol(self):
        valid = b'{"type":"command","protocol":1,"requestId":"1","command":{"kind":"encoder","act":0}}'
        huge = bytes([0x81, 0xFF]) + struct.pack(">Q", 1 << 62) + b"\0" * 4
        with Watcher(self.pairing):
            for name, frames, code in (
                ("not masked", [wire.frame(TEXT, valid, masked=False)], 1002),
                ("a reserved bit", [bytes([0xC1]) + wire.frame(TEXT, valid)[1:]], 1002),
                ("a reserved opcode", [wire.frame(3, b"x")], 1002),
                ("a continuation of nothing", [wire.frame(CONTINUATION, b"x")], 1002),
                ("a text inside a text", [wire.frame(TEXT, b"x", fin=False), wire.frame(TEXT, b"y")], 1002),
                ("a ping in pieces", [wire.frame(PING, b"x", fin=False)], 1002),
                ("a ping too long", [wire.frame(PING, b"x" * 126)], 1002),
                ("no UTF-8", [wire.frame(TEXT, b"\xc0\xaf")], 1007),
                ("a wrong close code", [wire.frame(8, struct.pack(">H", 1005))], 1002),
                ("half a close code", [wire.frame(8, b"\x03")], 1002),
                ("too long a message", [wire.frame(TEXT, b"x" * 65_537)], 1009),
                ("too long a message in pieces", [wire.frame(TEXT, b"x" * 40_000, fin=False), wire.frame(CONTINUATION, b"x" * 40_000)], 1009),
                ("the longest length", [huge], 1009),
            ):
                with self.subTest(name):
                    self.assertEqual(self.end_of(*frames).code, code)
            # The longest message that is allowed is none of these.
            with Peer.paired(self.pairing) as peer:
                peer.send_frame(TEXT, valid + b" " * (65_536 - len(valid)))
                self.assertTrue(peer.next("result")["ok"])

    def test_commands_nobody_may_send(self):
        with Peer.paired(self.pairing) as peer:
            key = peer.snapshot()["slots"][0]["threadKey"]
            for fields in (
                {}, {"kind": "shell", "text": "id"}, {"kind": "agent", "slot": 6, "threadKey": key, "act": 1},
                {"kind": "agent", "slot": -1, "threadKey": key, "act": 1}, {"kind": "agent", "slot": 0.5, "threadKey": key, "act": 1},
                {"kind": "agent", "slot": "0", "threadKey": key, "act": 1}, {"kind": "agent", "slot": 0, "threadKey": key, "act": 2},
                {"kind": "agent", "slot": 0, "threadKey": "../../etc/passwd", "act": 1}, {"kind": "agent", "slot": 0, "act": 1},
                {"kind": "agent", "slot": 0, "threadKey": None, "act": 1}, {"kind": "action", "slot": "ACT05", "act": 1},
                {"kind": "action", "slot": 6, "act": 1}, {"kind": "joystick", "direction": "up", "distance": 0.3},
                {"kind": "joystick", "direction": "in", "distance": 1}, {"kind": "encoder", "act": True}, {"kind": "encoder"},
                {"kind": "reasoning", "direction": "up"}, {"kind": "keycap", "keycapId": "appr"}, {"kind": "keycap"},
                {"kind": "agent", "slot": 1e300, "threadKey": key, "act": 1}, {"kind": ["agent"]},
            ):
                with self.subTest(fields):
                    result = peer.ask("wrong", **fields)
                    self.assertEqual((result["ok"], result.get("error")), (False, "Invalid relay command."))
            for request in ("", "x" * 129, 7, None):
                peer.send({**command("", kind="encoder", act=0), "requestId": request})
            self.assertTrue(peer.ask("x" * 128, kind="encoder", act=0)["ok"], "those without a usable request id are ignored")
