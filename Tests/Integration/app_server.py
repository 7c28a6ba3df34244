"""The official Codex CLI for tests: its app-server daemon, a client of that daemon, its interactive terminal, and the model behind them."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.request

from deck import wait_until
from terminal import Terminal
from wire import Ended, Peer

CODEX = os.environ.get("CODEX_BINARY", "codex")
CODEX_OLDER = os.environ.get("CODEX_BINARY_OLDER", "")
SOCKET = "app-server-control/app-server-control.sock"
CONFIGURATION = """\
model = "{model}"
model_provider = "local"
approval_policy = "on-request"
sandbox_mode = "{sandbox}"
# Words that tmux types are no paste, so that the return key after them is one.
disable_paste_burst = true
{more}
[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
[projects."{folder}"]
trust_level = "trusted"
[tui]
animations = false
"""


def post(url, value):
    """Sends JSON and returns the JSON of the answer."""
    request = urllib.request.Request(url, json.dumps(value).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


class Model:
    """model_server.py as a process of its own."""

    def __init__(self, log):
        self.process = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("model_server.py"), "--with-parent", "--usage", "129200",
                                         "--log", log],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def script(self, *steps):
        """Appends steps to what the model will answer."""
        post(self.url + "/script", list(steps))

    def requests(self):
        """What was asked so far."""
        return get(self.url + "/requests")

    def wait_for(self, words, seconds=10):
        """Waits until the model is asked something with `words` in its newest user message, and returns that request."""
        def asked():
            return [request for request in self.requests() if words in request["user"]]
        return wait_until(asked, f"the model to be asked {words!r}", seconds)[-1]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Refused(AssertionError):
    """The daemon answered a request with an error."""

    def __init__(self, error):
        super().__init__(error.get("message"))
        self.error = error


class Rpc:
    """A client of the daemon, beside the node and the terminals. It reads only while somebody waits; what nobody waited for stays in
    `notifications` and `requests`, in the order in which it came."""

    def __init__(self, socket, name="test", seconds=10):
        self.notifications, self.requests, self.answers, self.last = [], [], {}, 0
        self.peer = Peer(socket, timeout=seconds)
        self.info = self.call("initialize", clientInfo={"name": name, "title": name, "version": "1"}, capabilities={"experimentalApi": True})
        self.peer.send({"method": "initialized"})

    def close(self):
        self.peer.close()

    def read(self, deadline):
        """Reads one message and puts it where it belongs."""
        message = json.loads(self.peer.next_bytes(max(deadline - time.monotonic(), 0)))
        if "method" not in message:
            self.answers[message["id"]] = message
        elif "id" in message:
            if message["id"] not in [request["id"] for request in self.requests]:
                self.requests.append(message)
        else:
            self.notifications.append(message)

    def _wait(self, find, what, seconds):
        deadline = time.monotonic() + seconds
        while (found := find()) is None:
            try:
                self.read(deadline)
            except (TimeoutError, Ended) as error:
                seen = json.dumps(self.notifications + self.requests, indent=1)[-3_000:]
                raise AssertionError(f"waited {seconds} s for {what}: {error}; seen\n{seen}") from None
        return found

    def send(self, method, **params):
        """Sends a request and returns its id, without waiting."""
        self.last += 1
        self.peer.send({"id": self.last, "method": method, "params": params})
        return self.last

    def result(self, request, what="an answer", seconds=10):
        answer = self._wait(lambda: self.answers.pop(request, None), what, seconds)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def call(self, method, seconds=10, **params):
        """Sends a request and returns the result; raises `Refused`."""
        return self.result(self.send(method, **params), f"the answer of {method}", seconds)

    def next(self, method, seconds=10, **fields):
        """Takes the next notification of that method whose params hold `fields`, and returns its params."""
        return self._take(self.notifications, method, fields, seconds)["params"]

    def asked(self, method, seconds=10, **fields):
        """Takes the next request of the daemon, and returns it whole."""
        return self._take(self.requests, method, fields, seconds)

    def _take(self, messages, method, fields, seconds):
        def find():
            for index, message in enumerate(messages):
                if message["method"] == method and fields.items() <= message["params"].items():
                    return messages.pop(index)
            return None
        return self._wait(find, f"{method} with {fields}", seconds)

    def answer(self, request, **result):
        self.peer.send({"id": request["id"], "result": result})

    # What tests do most

    def start(self, folder, **params):
        """Starts a thread and returns its id."""
        return self.call("thread/start", cwd=str(folder), **params)["thread"]["id"]

    def turn(self, thread, words, **params):
        """Starts a turn and returns its id."""
        return self.call("turn/start", threadId=thread, input=[{"type": "text", "text": words}], **params)["turn"]["id"]

    def finish(self, thread, seconds=15):
        """Waits for the end of a turn and returns its status."""
        return self.next("turn/completed", seconds, threadId=thread)["turn"]["status"]

    def work(self, folder, words, **params):
        """Starts a thread, lets it finish a turn and returns its id."""
        thread = self.start(folder, **params)
        self.turn(thread, words)
        assert self.finish(thread) == "completed"
        return thread

    def status(self, thread):
        return self.call("thread/read", threadId=thread)["thread"]["status"]

    def settings(self, thread):
        """The settings of a loaded thread, as its next turn will have them."""
        return self.call("thread/resume", threadId=thread, excludeTurns=True)

    def loaded(self):
        return self.call("thread/loaded/list")["data"]


class Codex:
    """One `CODEX_HOME` with a configuration, and what of the CLI runs in it."""

    def __init__(self, test, binary=None, model="gpt-5.4", sandbox="read-only", more="", home=None):
        self.test, self.binary = test, binary or CODEX
        self.home = home or test.home("codex")
        self.folder = self.home.path / "work"
        self.log = self.home.path / "model.jsonl"
        self.model = Model(self.log)
        test.addCleanup(self.model.close)
        self.home.codex.mkdir()
        self.configure(model, sandbox, more)
        self.make_repository()
        self.socket = self.home.codex / SOCKET
        self.daemon, self.clients, self.starts = None, [], 0
        test.addCleanup(self._close)

    def configure(self, model="gpt-5.4", sandbox="read-only", more=""):
        text = CONFIGURATION.format(model=model, sandbox=sandbox, more=more, port=self.model.port, folder=self.folder)
        (self.home.codex / "config.toml").write_text(text)

    def make_repository(self):
        """A git repository with the branches main and feat (the one in use), a commit on each and a changed file."""
        self.folder.mkdir()
        self.git("init", "-q", "-b", "main")
        (self.folder / "readme.txt").write_text("first\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        self.git("checkout", "-q", "-b", "feat")
        (self.folder / "feature.txt").write_text("feature\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "feature")
        (self.folder / "readme.txt").write_text("first\nchanged\n")

    def git(self, *words):
        author = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
        result = subprocess.run(["git", *author, *words], cwd=self.folder, env=self.home.environment, capture_output=True, text=True, check=True)
        return result.stdout

    def command(self, *words, code=0, timeout=60):
        """Runs a command of the CLI to its end and returns its standard output."""
        result = subprocess.run([self.binary, *words], cwd=self.folder, env=self.home.environment, capture_output=True, text=True,
                                timeout=timeout, stdin=subprocess.DEVNULL)
        if result.returncode != code:
            raise AssertionError(f"codex {' '.join(words)} ended with {result.returncode}\n{result.stdout}\n{result.stderr}")
        return result.stdout

    def serve(self):
        """Runs the daemon as a child, on the path where everybody looks for it: its process is known and may be killed."""
        self.starts += 1
        self.socket.parent.mkdir(mode=0o700, exist_ok=True)
        self.daemon = self.test.spawn([self.binary, "app-server", "--listen", f"unix://{self.socket}"], self.home.environment,
                                      self.home.path / f"daemon-{self.starts}.log", cwd=self.home.path)
        self._wait_for_daemon()
        return self

    def _wait_for_daemon(self):
        def answers():
            try:
                Rpc(self.socket).close()
            except (OSError, AssertionError):
                return False
            return True
        wait_until(answers, "the daemon's socket", 20)

    def start_daemon(self):
        """Starts the daemon as the CLI itself does, and stops it with the test."""
        started = json.loads(self.command("app-server", "daemon", "start"))
        self.test.addCleanup(self.stop_daemon)
        return started

    def stop_daemon(self):
        """Stops the daemon that the CLI started, and the process beside it that would look for updates and outlive it."""
        self.command("app-server", "daemon", "stop")
        note = self.home.codex / "app-server-daemon" / "daemon-updater.pid"
        if not note.exists():
            return
        process = pathlib.Path("/proc", str(json.loads(note.read_text())["pid"]))
        if process.exists() and str(self.home.codex).encode() in (process / "cmdline").read_bytes():
            os.kill(int(process.name), signal.SIGKILL)
            wait_until(lambda: not (process / "exe").exists(), "the process that looks for updates to end")

    def kill(self):
        """Ends the child `serve` started, without a word to anybody."""
        self.daemon.kill()

    def freeze(self):
        """Stops the child `serve` started: it is there, and says nothing more until it is killed."""
        os.kill(self.daemon.pid, signal.SIGSTOP)
        tasks = pathlib.Path(f"/proc/{self.daemon.pid}/task")
        wait_until(lambda: all(task.read_text().rsplit(") ", 1)[1][0] == "T" for task in tasks.glob("*/stat")), "every thread of the daemon to stop")

    def rpc(self, name="test"):
        client = Rpc(self.socket, name)
        self.clients.append(client)
        return client

    def tui(self, *words, columns=110, rows=40):
        """An interactive `codex` in a terminal, in the repository."""
        return Tui(self, words, columns, rows)

    def exec(self, *words):
        """Starts `codex exec`."""
        return self.test.spawn([self.binary, "exec", *words], self.home.environment, self.home.path / "exec.log", cwd=self.folder)

    def rollout(self, thread, archived=False):
        """The session file of a thread, or `None`."""
        root = self.home.codex / ("archived_sessions" if archived else "sessions")
        return next(iter(root.rglob(f"rollout-*{thread}.jsonl")), None)

    def records(self, thread):
        """The records of a thread's file."""
        path = self.rollout(thread)
        return [json.loads(line) for line in path.read_text().splitlines()] if path else []

    def asked(self, thread):
        """The whole bodies of what the model was asked for a thread, as far as they carry its id."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [body for body in map(json.loads, lines) if thread in json.dumps(body.get("prompt_cache_key"))]

    def _close(self):
        for client in self.clients:
            client.close()
        # The path everybody knows is a link to a socket in a folder that all daemons of this user share; a killed one leaves it there.
        listener = self.socket.resolve()
        if self.daemon:
            self.daemon.kill()
        if listener != self.socket:
            listener.unlink(missing_ok=True)
            listener.with_name(listener.name + ".lock").unlink(missing_ok=True)


class Tui:
    """The interactive `codex` in tmux."""

    def __init__(self, codex, words=(), columns=110, rows=40):
        self.codex = codex
        self.terminal = Terminal(codex.home, columns, rows, ["/bin/sh", "-c", 'cd "$0" && exec "$@"', codex.folder, codex.binary, *words])
        codex.test.addCleanup(self.terminal.close)

    def ready(self, seconds=20):
        """Waits until it takes words."""
        self.terminal.wait_for(lambda screen: "for shortcuts" in screen and f"· ~/{self.codex.folder.name}" in screen, seconds)
        return self

    def say(self, words):
        self.terminal.line(words)

    def text(self):
        return "\n".join(self.terminal.text())

    def wait_for(self, text, seconds=15):
        return self.terminal.wait_for(text, seconds)
