"""A peer made of Python's websockets library against the node."""

import asyncio
import json
import ssl
import time

import websockets

import wire
from deck import ADDRESS, DeckTest, PORT
from rollout import Rollout


class PythonPeer:
    """What an independent program would write: connect, authenticate, read and send."""

    def __init__(self, socket):
        self.socket = socket
        self.requests = 0

    @classmethod
    async def connect(cls, url, token, context=None):
        peer = cls(await websockets.connect(url, ssl=context, compression=None, max_size=65_536))
        await peer.socket.send(json.dumps({"type": "auth", "protocol": 1, "token": token}))
        peer.ready = json.loads(await asyncio.wait_for(peer.socket.recv(), 5))
        return peer

    async def next(self, kind, condition=lambda message: True, seconds=5):
        async def read():
            while True:
                data = await self.socket.recv()
                assert isinstance(data, str), "the node must answer in text"
                message = json.loads(data)
                if message["type"] == kind and condition(message):
                    return message
        return await asyncio.wait_for(read(), seconds)

    async def ask(self, **command):
        self.requests += 1
        request = f"python-{self.requests}"
        await self.socket.send(json.dumps({"type": "command", "protocol": 1, "requestId": request, "command": command}))
        return await self.next("result", lambda message: message["requestId"] == request)


class PythonPeerTests(DeckTest):
    def talk(self, url, token, conversation, context=None):
        """Runs `conversation` with a connected peer and closes it properly."""
        async def whole():
            peer = await PythonPeer.connect(url, token, context)
            try:
                await conversation(peer)
            finally:
                await peer.socket.close()
            self.assertEqual(peer.socket.close_code, 1000)
        asyncio.run(whole())

    def test_over_pinned_tls(self):
        node = self.node().start(demo=True)
        pairing = node.pair()
        self.assertEqual((pairing.address, pairing.port), (ADDRESS, PORT))

        async def conversation(peer):
            certificate = peer.socket.transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
            self.assertEqual(wire.hashlib.sha256(certificate).hexdigest(), pairing.fingerprint)
            self.assertEqual(peer.ready["type"], "ready")
            self.assertEqual(peer.ready["host"]["hostId"], pairing.host)
            first = await peer.next("snapshot")
            key = first["snapshot"]["slots"][4]["threadKey"]
            self.assertEqual((await peer.ask(kind="agent", slot=4, threadKey=key, act=1))["ok"], True)
            after = await peer.next("snapshot")
            self.assertEqual([slot["threadKey"] for slot in after["snapshot"]["slots"] if slot["selected"]], [key])
            self.assertEqual(after["snapshot"]["activeThreadKey"], key)
            self.assertEqual((await peer.ask(kind="agent", slot=4, threadKey=key, act=0))["ok"], True)
            refused = await peer.ask(kind="agent", slot=0, threadKey="local:00000000-0000-4000-8000-000000000000", act=1)
            self.assertEqual(refused["error"], "That task is no longer on this computer.")
            self.assertEqual((await peer.ask(kind="shell", text="id"))["error"], "Invalid relay command.")
        self.talk(pairing.fields["endpoint"], pairing.token, conversation, wire.pinned_context())

    def test_plain_on_loopback_with_ping_and_fragments(self):
        node = self.node().start(demo=True)
        url, token = node.remote()
        self.assertEqual(url, "ws://127.0.0.1:47651")

        async def conversation(peer):
            await asyncio.wait_for(await peer.socket.ping(b"are you there"), 5)
            text = json.dumps({"type": "command", "protocol": 1, "requestId": "pieces", "command": {"kind": "encoder", "act": 0}})
            await peer.socket.send([text[:7], text[7:30], text[30:]])
            self.assertTrue((await peer.next("result"))["ok"])
        self.talk(url, token, conversation)

    def test_wrong_token_and_silence(self):
        node = self.node().start()
        url, token = node.remote()

        async def close_code(*messages):
            async with websockets.connect(url, compression=None) as socket:
                for message in messages:
                    await socket.send(message)
                try:
                    await asyncio.wait_for(socket.recv(), 6)
                except websockets.ConnectionClosed:
                    return socket.close_code, socket.close_reason
                raise AssertionError("the node answered")

        async def talk():
            wrong = json.dumps({"type": "auth", "protocol": 1, "token": token[:-1] + ("A" if token[-1] != "A" else "B")})
            early = json.dumps({"type": "command", "protocol": 1, "requestId": "1", "command": {"kind": "encoder", "act": 1}})
            for message in (wrong, early, "no JSON", json.dumps({"type": "auth", "protocol": 2, "token": token}), b"\xff\x00"):
                self.assertEqual(await close_code(message), (4003, "authentication failed"), message)
            started = time.monotonic()
            self.assertEqual(await close_code(), (4001, "authentication required"))
            self.assertAlmostEqual(time.monotonic() - started, 3.0, delta=0.5)
        asyncio.run(talk())

    def test_tls_versions(self):
        node = self.node().start()
        pairing = node.pair()
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with wire.Peer.paired(pairing, version=version) as peer:
                self.assertEqual(peer.next()["type"], "snapshot")
                self.assertRegex(peer.socket.cipher()[0], "GCM|CHACHA20|CCM")
                self.assertIsNone(peer.socket.compression())
        old = wire.pinned_context()
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            old.wrap_socket(wire.socket.create_connection((pairing.address, pairing.port), 5))

    def test_a_session_that_works(self):
        home = self.home("node")
        rollout = Rollout(home.codex, "Count the stars")
        node = self.node(home).start()
        url, token = node.remote()

        async def conversation(peer):

            def holds(status):
                return lambda message: [slot["status"] for slot in message["snapshot"]["slots"] if slot["threadKey"] == rollout.key] == [status]
            delays = []
            for _ in range(3):
                rollout.begin_turn()
                started = time.monotonic()
                await peer.next("snapshot", holds("working"))
                delays.append(time.monotonic() - started)
                rollout.count_tokens(129_200, five_hour=37.5, weekly=12.0, resets_at=4_000_000_000)
                rollout.finish_turn()
                done = await peer.next("snapshot", holds("complete"))
            slot = done["snapshot"]["slots"][0]
            self.assertEqual((slot["title"], slot["contextUsedPercent"], slot["ownedByHost"]), ("Count the stars", 50, True))
            session, = done["snapshot"]["hostSessions"]
            self.assertEqual((session["threadId"], session["status"]), (rollout.id, "complete"))
            windows = {window["kind"]: window["usedPercent"] for window in done["snapshot"]["usage"]["windows"]}
            self.assertEqual(windows, {"five-hour": 37.5, "weekly": 12})
            # Opening it acknowledges the completion; a new turn starts anew.
            self.assertTrue((await peer.ask(kind="agent", slot=0, threadKey=rollout.key, act=1))["ok"])
            await peer.next("snapshot", holds("idle"))
            rollout.begin_turn()
            await peer.next("snapshot", holds("working"))
            self.assertEqual((await peer.ask(kind="keycap", keycapId="APPR"))["error"],
                             "This task can only be watched from here; answer it in the terminal it runs in.")
            rollout.abort_turn()
            await peer.next("snapshot", holds("idle"))
            self.notes = [f"record to snapshot: {max(delays) * 1000:.1f} ms at most"]
            self.assertLess(max(delays), 1)
        self.talk(url, token, conversation)
