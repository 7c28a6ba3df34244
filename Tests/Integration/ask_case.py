"""What the tests of the node's own agents share: a sign-in service, a model, a signed-in node, and `decknode ask` that runs beside the test."""

import base64
import json
import os
import select
import signal
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from codexkit_case import ModelServer
from deck import DeckTest, wait_for, wait_until
from wire import Peer

COMMAND = {"name": "run_command", "arguments": {"command": "echo it-ran > proof; cat proof"}}
"""A call that has to be approved, and whose effect can be seen."""


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class SignInServer:
    """A local stand-in for the server that signs people in. `refusals` are answered first, one a poll: (status, body, content type)."""

    def __init__(self, test, *refusals, email="ada@example.com", name="Ada"):
        self.refusals, self.asked, self.renewals = list(refusals), [], 0
        self.email, self.name, self.interval, self.lifetime = email, name, "1", 86_400
        self.lock = threading.Lock()
        self.secrets = set()
        handler = type("SignInHandler", (Handler,), {"service": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        test.addCleanup(self.server.server_close)
        test.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def token(self, kind):
        """A token that nobody may see; signed by nobody and good for nothing."""
        claims = {"email": self.email, "name": self.name, "iat": int(time.time()), "exp": int(time.time()) + self.lifetime, "kind": kind,
                  "nonce": os.urandom(8).hex(),
                  "https://api.openai.com/auth": {"chatgpt_account_id": "account-1", "chatgpt_plan_type": "plus"}}
        token = f"{part({'alg': 'none'})}.{part(claims)}.c2ln"
        self.secrets.add(token)
        return token

    def answer(self, path, body):
        with self.lock:
            self.asked.append((path, body))
            if path.endswith("/deviceauth/usercode"):
                return 200, {"device_auth_id": "device-1", "user_code": "AB12-CD34", "interval": self.interval}, None
            if path.endswith("/deviceauth/token"):
                if self.refusals:
                    return self.refusals.pop(0)
                return 200, {"authorization_code": "code-1", "code_verifier": "verifier-1"}, None
            if path == "/oauth/token":
                self.renewals += "refresh_token" in body
                refresh = "refresh-" + os.urandom(12).hex()
                self.secrets.add(refresh)
                return 200, {"id_token": self.token("id"), "access_token": self.token("access"), "refresh_token": refresh}, None
            return 404, {"error": "no such path"}, None


class Handler(BaseHTTPRequestHandler):
    service = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        status, value, kind = self.service.answer(self.path, body)
        data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", kind or "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Asking:
    """`decknode ask --json` that runs; its events are read as they come."""

    def __init__(self, node, *words, text_mode=False, **options):
        command = node.command("ask", *([] if text_mode else ["--json"]), *words)
        self.process = subprocess.Popen(command, env=node.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True, **options)
        self.buffer, self.events, self.errors = b"", [], b""

    def _read(self, seconds):
        streams = [stream for stream in (self.process.stdout, self.process.stderr) if not stream.closed]
        for stream in select.select(streams, [], [], seconds)[0]:
            data = os.read(stream.fileno(), 65_536)
            if not data:
                stream.close()
            elif stream is self.process.stdout:
                self.buffer += data
            else:
                self.errors += data
        while b"\n" in self.buffer:
            line, self.buffer = self.buffer.split(b"\n", 1)
            self.events.append(json.loads(line))

    def event(self, name, seconds=20):
        """The first event of that name; read so far or yet to come."""
        deadline = time.monotonic() + seconds
        while True:
            for event in self.events:
                if event["event"] == name:
                    return event
            if time.monotonic() > deadline or self.process.poll() is not None and self.process.stdout.closed:
                raise AssertionError(f"no event {name}, but {self.events}\n{self.errors.decode()}")
            self._read(0.2)

    def interrupt(self, number=signal.SIGINT):
        self.process.send_signal(number)

    def end(self, seconds=20):
        """Waits for the end and returns the code."""
        deadline = time.monotonic() + seconds
        while not (self.process.stdout.closed and self.process.stderr.closed):
            if time.monotonic() > deadline:
                raise AssertionError(f"it does not end; events {self.events}\n{self.errors.decode()}")
            self._read(0.2)
        return self.process.wait(seconds)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()


class AskTest(DeckTest):
    """A test with a sign-in service, a model and a node whose settings lead to them."""

    def setUp(self):
        super().setUp()
        self.askings = []
        self.addCleanup(lambda: [asking.kill() for asking in self.askings])

    def prepared(self, *steps, refusals=(), keyring=False):
        """A node that is not started yet; its settings lead to local services."""
        self.model = ModelServer(self, *steps)
        self.service = SignInServer(self, *refusals)
        node = self.node()
        settings = {"agents": {"issuer": self.service.url, "baseUrl": self.model.url, "sessionFile": not keyring}}
        node.home.config.mkdir(parents=True, mode=0o700)
        (node.home.config / "node.json").write_text(json.dumps(settings))
        return node

    def signed_in(self, *steps, start=True):
        node = self.prepared(*steps)
        node.run("login")
        return node.start() if start else node

    def asking(self, node, *words, **options):
        asking = Asking(node, *words, **options)
        self.askings.append(asking)
        return asking

    def folder(self, node):
        """A folder for agents to work in."""
        path = node.home.path / "work"
        path.mkdir(exist_ok=True)
        return path

    def waiting(self, node, *words):
        """An ask whose command waits for an approval."""
        asking = self.asking(node, "--folder", self.folder(node), *(words or ("Run it",)))
        asking.approval = asking.event("approvalRequested")["approval"]
        return asking

    def task(self, node, status, seconds=15):
        """The agent task of the deck once it has that status."""
        def read():
            return [task for task in node.json("agents") if task["source"] == "agent"]
        return wait_for(read, lambda tasks: [task["status"] for task in tasks] == [status], f"the agent's task to be {status}", seconds)[0]

    def on_screen(self, node, task):
        """A peer of the relay, as a phone is one, that sees a task waiting and has opened it."""
        peer = Peer.paired(node.pair())
        self.addCleanup(peer.close)

        def shown(snapshot):
            return [slot for slot in snapshot["slots"] if slot.get("threadKey") == task["key"] and slot["status"] == "awaiting-approval"]
        slot, = shown(peer.snapshot(shown))
        for act in (1, 0):
            result = peer.ask(f"open-{act}", kind="agent", slot=slot["id"], threadKey=task["key"], act=act)
            self.assertTrue(result["ok"], result)
        return peer

    def ran(self, node):
        return (self.folder(node) / "proof").exists()


__all__ = ["AskTest", "Asking", "COMMAND", "SignInServer", "wait_for", "wait_until"]
