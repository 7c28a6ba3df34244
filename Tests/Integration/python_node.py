"""A node made of Python's websockets library and a certificate of the openssl command: the other half for the client's tests."""

import asyncio
import copy
import hashlib
import json
import pathlib
import secrets
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse
import uuid

import websockets

from deck import ADDRESS

LAYOUT = {
    "version": 1,
    "slots": {place: {"keycapId": key} for place, key in
              zip(("ACT06", "ACT07", "ACT08", "ACT09", "ACT10_ACT11", "ACT12"), ("FAST", "APPR", "REJ", "SPLIT", "MIC", "CODEX"))},
    "analogStick": {"up": "plan", "right": "forward", "down": "list", "left": "back"},
}


def milliseconds():
    return int(time.time() * 1000)


def usage(credits=None):
    """What an account has used of its limits; `credits` are what it can reset them with."""
    now = milliseconds()
    # Half a minute more, so that the texts stay as they are while a test looks at them.
    windows = [{"id": name, "kind": kind, "usedPercent": used, "remainingPercent": 100 - used, "windowDurationMins": minutes,
                "resetsAt": now + 1_000 * left + 30_000}
               for name, kind, used, minutes, left in (("5h", "five-hour", 40, 300, 7_800), ("week", "weekly", 85, 10_080, 259_200))]
    return {"windows": windows, "resetCreditsAvailable": credits, "resetCreditsApplicable": credits, "observedAt": now}


def certificate(folder, name="node"):
    """A self-signed P-256 certificate: the path of the PEM file with its key, and its fingerprint."""
    path = pathlib.Path(folder) / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-sha256", "-days", "3650",
         "-subj", f"/CN=Codex Deck {name}", "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{path}.key", "-out", f"{path}.crt"],
        check=True, capture_output=True)
    path.write_text(pathlib.Path(f"{path}.key").read_text() + pathlib.Path(f"{path}.crt").read_text())
    der = ssl.PEM_cert_to_DER_cert(pathlib.Path(f"{path}.crt").read_text())
    return path, hashlib.sha256(der).hexdigest()


def link(address, port, host, name, token, fingerprint, platform="win32", **changes):
    """A pairing link as a Windows computer writes it, spaces as plus signs."""
    fields = {"version": "1", "mode": "nearby", "hostId": host, "name": name, "platform": platform, "endpoint": f"wss://{address}:{port}",
              "token": token, "fingerprint": fingerprint, **changes}
    return "codexdeck://pair?" + urllib.parse.urlencode({key: value for key, value in fields.items() if value is not None})


class PythonNode:
    """A relay server on a thread of its own. Its `snapshot` may be changed at any time, followed by `publish()`."""

    def __init__(self, folder, name="Python node", address=ADDRESS, port=47700, platform="win32", host=None):
        self.name, self.address, self.port, self.platform = name, address, port, platform
        self.host = host or str(uuid.uuid4())
        self.token = secrets.token_urlsafe(32)
        self.pem, self.fingerprint = certificate(folder, f"{self.host}")
        self.commands, self.connections, self.refusals, self.clients = [], 0, {}, set()
        self.capabilities = ["agent", "action", "keycap", "encoder", "usage"]
        self.repeats = True
        self.snapshot = {"slots": [], "layout": LAYOUT, "agentSource": "priority", "lightingAutoOff": "3-minutes", "theme": "dark",
                         "hostSessions": []}
        self.set_tasks()

    def set_tasks(self, *tasks):
        """Fills the slots with (title, status) or (title, status, id) and owns these tasks."""
        slots, sessions = [], []
        for index, (title, status, *rest) in enumerate(tasks):
            identity = rest[0] if rest else str(uuid.uuid5(uuid.NAMESPACE_URL, self.host + title))
            now = milliseconds() - 1_000 * index
            slots.append({"id": index, "threadKey": f"local:{identity}", "title": title, "status": status, "selected": False, "activityAt": now,
                          "ownedByHost": True, "contextUsedPercent": 10 * (index + 1)})
            sessions.append({"threadId": identity, "activityAt": now, "status": "working" if status == "working" else "idle"})
        for index in range(len(slots), 6):
            slots.append({"id": index, "threadKey": None, "title": None, "status": "off", "selected": False})
        self.snapshot["slots"], self.snapshot["hostSessions"] = slots, sessions

    @property
    def link(self):
        return link(self.address, self.port, self.host, self.name, self.token, self.fingerprint, self.platform)

    # Running

    def start(self):
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        problem = []

        async def serve():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.pem)
            try:
                self._server = await websockets.serve(self._client, self.address, self.port, ssl=context, compression=None, max_size=65_536,
                                                      close_timeout=1)
            except OSError as error:
                problem.append(error)
            started.set()

        def run():
            asyncio.set_event_loop(self._loop)
            self._loop.create_task(serve())
            self._loop.run_forever()
        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert started.wait(5) and not problem, problem
        return self

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        async def end():
            self._server.close()
            await self._server.wait_closed()
        asyncio.run_coroutine_threadsafe(end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    # The protocol

    def host_fields(self):
        return {"hostId": self.host, "hostName": self.name, "platform": self.platform}

    def message(self):
        return json.dumps({"type": "snapshot", "protocol": 1, "host": self.host_fields(), "observedAt": milliseconds(), "snapshot": self.snapshot})

    async def _client(self, client, *_):
        self.connections += 1
        try:
            auth = json.loads(await asyncio.wait_for(client.recv(), 3))
        except (websockets.ConnectionClosed, asyncio.TimeoutError):
            return
        if auth.get("type") != "auth" or auth.get("token") != self.token:
            await client.close(4003, "authentication failed")
            return
        await client.send(json.dumps({"type": "ready", "protocol": 1, "host": self.host_fields(), "capabilities": self.capabilities,
                                      "bridge": "native-codex-micro"}))
        await client.send(self.message())
        self.clients.add(client)
        repeat = asyncio.ensure_future(self._repeat(client))
        try:
            async for data in client:
                message = json.loads(data)
                self.commands.append((time.monotonic(), message["command"]))
                error = self.perform(message["command"])
                result = {"type": "result", "protocol": 1, "requestId": message["requestId"], "ok": error is None}
                if error:
                    result["error"] = error
                await client.send(json.dumps(result))
                if error is None:
                    await client.send(self.message())
        except websockets.ConnectionClosed:
            pass
        finally:
            repeat.cancel()
            self.clients.discard(client)

    async def _repeat(self, client):
        while True:
            await asyncio.sleep(1)
            if self.repeats:
                await client.send(self.message())

    def perform(self, command):
        """Does what a desktop node would; `refusals` maps a kind or keycap to the sentence it refuses with."""
        refusal = self.refusals.get(command.get("keycapId")) or self.refusals.get(command["kind"])
        if refusal:
            return refusal
        slots = copy.deepcopy(self.snapshot["slots"])
        if command["kind"] == "agent" and command["act"] == 1:
            if command["threadKey"] not in [slot["threadKey"] for slot in slots]:
                return "That task is gone."
            for slot in slots:
                slot["selected"] = slot["threadKey"] == command["threadKey"]
            self.snapshot["activeThreadKey"] = command["threadKey"]
        if command["kind"] == "keycap" and command["keycapId"] in ("APPR", "REJ"):
            for slot in slots:
                if slot["selected"]:
                    slot["status"] = "working"
        self.snapshot["slots"] = slots
        return None

    def publish(self):
        """Sends the snapshot as it is now to every client."""
        async def send():
            for client in list(self.clients):
                await client.send(self.message())
        asyncio.run_coroutine_threadsafe(send(), self._loop).result(5)

    def drop_clients(self):
        """Cuts every connection without a goodbye."""
        async def cut():
            for client in list(self.clients):
                client.transport.abort()
        asyncio.run_coroutine_threadsafe(cut(), self._loop).result(5)


class Recorder:
    """A server that writes down every byte it gets: all of them, and those that came through TLS. It answers nothing beyond the handshake."""

    def __init__(self, address, port, pem=None):
        self.wire, self.plain, self.connections, self.problems = b"", b"", 0, []
        self._pem, self._ending = pem, False
        self._listener = socket.create_server((address, port), backlog=16)
        self._listener.settimeout(0.1)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ending = True
        self._thread.join(10)
        self._listener.close()

    def _serve(self):
        while not self._ending:
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            self.connections += 1
            with connection:
                self._record(connection)

    def _record(self, connection):
        connection.settimeout(1.5)
        engine = incoming = outgoing = None
        if self._pem:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self._pem)
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            engine = context.wrap_bio(incoming, outgoing, server_side=True)
        try:
            while data := connection.recv(65_536):
                self.wire += data
                if engine:
                    incoming.write(data)
                    self._decrypt(engine)
                    connection.sendall(outgoing.read())
        except (OSError, ssl.SSLError) as error:
            self.problems.append(error)

    def _decrypt(self, engine):
        try:
            engine.do_handshake()
            while piece := engine.read(65_536):
                self.plain += piece
        except ssl.SSLWantReadError:
            pass
