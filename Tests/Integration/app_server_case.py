"""What the tests of the node and the Codex CLI together share: a node beside a daemon, and a paired screen that opens tasks and presses keys."""

import itertools
import json

from app_server import Codex
from deck import DeckTest, wait_for
from wire import Peer

NOTHING_WAITS = "Nothing is waiting for approval."
NO_TASK = "Open a task first."
OTHER_TASK = "Another task was opened meanwhile."
GONE = "That task is no longer on this computer."
ANSWERED = "Already answered elsewhere."
WORKING = "This task is still working."
NO_DESKTOP = "This computer has no desktop session."
OBSERVED_ONLY = "This task can only be watched from here; answer it in the terminal it runs in."
PATCH = "*** Begin Patch\n*** Add File: {name}\n+{text}\n*** End Patch\n"
QUESTION = {"name": "request_user_input", "arguments": {"questions": [
    {"id": "q_colour", "header": "Colour", "question": "Which colour?",
     "options": [{"label": "Blue", "description": "like the sky"}, {"label": "Red", "description": "like fire"}]}]}}
PATIENCE = 13
"""Seconds a test waits for a result: the node promises one within ten."""


class Screen:
    """A paired screen: what it is shown, and its presses."""

    def __init__(self, node, name="screen"):
        self.name, self.numbers, self.shown = name, itertools.count(1), {"slots": []}
        self.peer = Peer.paired(node.pair())

    @property
    def capabilities(self):
        return self.peer.ready["capabilities"]

    def close(self):
        self.peer.close()

    # What it is shown

    def see(self, holds, what, seconds=10):
        """Waits for a new snapshot that fulfils `holds` and returns it."""
        def condition(snapshot):
            self.shown = snapshot
            return holds(snapshot)
        try:
            return self.peer.snapshot(condition, seconds)
        except TimeoutError:
            shown = json.dumps(self.shown, indent=1)
            raise AssertionError(f"{self.name} waited {seconds} s in vain for {what}; the last snapshot was\n{shown}") from None

    def slot(self, thread, *statuses, seconds=10):
        """Waits until a task lies on a key, with one of `statuses` when there are some, and returns its slot."""
        def find(snapshot):
            return self.find(snapshot, thread, statuses)
        return find(self.see(find, f"the task {thread} {' or '.join(statuses)}", seconds))

    def find(self, snapshot, thread, statuses=()):
        """The slot of a task in a snapshot, with one of `statuses` when there are some, or `None`."""
        return next((slot for slot in snapshot["slots"] if (slot["threadKey"] or "").endswith(thread)
                     and (not statuses or slot["status"] in statuses)), None)

    def only(self, *statuses, seconds=10):
        """Waits until exactly one key has one of `statuses`, and returns its slot."""
        def found(snapshot):
            return [slot for slot in snapshot["slots"] if slot["status"] in statuses]
        return found(self.see(lambda snapshot: len(found(snapshot)) == 1, f"one task {' or '.join(statuses)}", seconds))[0]

    def gone(self, thread, seconds=10):
        """Waits until no key shows a task."""
        self.see(lambda snapshot: not self.find(snapshot, thread), f"{thread} to be gone", seconds)

    def selected(self, thread=None, besides=(), seconds=10):
        """Waits until a task is open (that one, or one that is not among `besides`) and returns its id."""
        def opened(snapshot):
            key = (snapshot.get("activeThreadKey") or "").rsplit(":", 1)[-1]
            return key if key and (key == thread if thread else key not in besides) else None
        return opened(self.see(opened, f"the selection of {thread or 'a new task'}", seconds))

    # What it presses

    def send(self, **command):
        """Sends a command and returns its request id, without waiting."""
        request = f"{self.name}-{next(self.numbers)}"
        self.peer.send({"type": "command", "protocol": 1, "requestId": request, "command": command})
        return request

    def result(self, request, seconds=PATIENCE):
        while True:
            result = self.peer.next("result", seconds)
            if result["requestId"] == request:
                return result

    def ask(self, **command):
        return self.result(self.send(**command))

    def open(self, thread, *statuses):
        """Presses and releases the key of a task, once it has one of `statuses`."""
        slot = self.find(self.shown, thread, statuses) or self.slot(thread, *statuses)
        for act in (1, 0):
            result = self.ask(kind="agent", slot=slot["id"], threadKey=slot["threadKey"], act=act)
            assert result["ok"], result
        return slot

    def key(self, keycap, **fields):
        """Presses a keycap that must work."""
        result = self.ask(kind="keycap", keycapId=keycap, **fields)
        assert result["ok"], f"{keycap}: {result}"
        return result

    def refused(self, keycap, **fields):
        """Presses a keycap that must be refused, and returns the sentence."""
        return self.sentence(kind="keycap", keycapId=keycap, **fields)

    def sentence(self, **command):
        result = self.ask(**command)
        assert not result["ok"] and result["error"], f"{command} should have been refused: {result}"
        return result["error"]

    def press(self, **command):
        """Presses and releases something that has both; the press must work."""
        for act in (1, 0):
            result = self.ask(**command, act=act)
            assert result["ok"], f"{command}: {result}"

    def push(self, direction):
        """Pushes the joystick and lets go."""
        for distance in (1, 0):
            result = self.ask(kind="joystick", direction=direction, distance=distance)
            assert result["ok"], f"{direction}: {result}"


class AppServerTest(DeckTest):
    def codex(self, serve=True, **options):
        codex = Codex(self, **options)
        return codex.serve() if serve else codex

    def node_beside(self, codex, connected=True, **options):
        """A node with the same `CODEX_HOME`, connected to the daemon."""
        node = self.node(codex.home, **options).start()
        if connected:
            self.await_link(node)
        return node

    def await_link(self, node, state="connected", seconds=15):
        """Waits until the node's link to the daemon is in that state; returns what `status` says of it."""
        def link():
            return node.status()["sources"].get("appServer", {})
        return wait_for(link, lambda link: link.get("state") == state, f"the link to be {state}", seconds)

    def await_loss(self, node):
        """Waits until the node knows that the daemon has gone; one that was killed leaves its socket behind, which is not absent."""
        def link():
            return node.status()["sources"]["appServer"]
        return wait_for(link, lambda link: link["state"] in ("absent", "failing"), "the loss of the daemon")

    def screen(self, node, name="screen"):
        screen = Screen(node, name)
        self.addCleanup(screen.close)
        return screen

    def trio(self, **options):
        """A daemon, a node and a screen, and another client of the daemon."""
        codex = self.codex(**options)
        node = self.node_beside(codex)
        return codex, codex.rpc(), node, self.screen(node)

    # Tasks that wait

    def ask_to_make(self, codex, words, name, answer="It is made."):
        """Has the model ask for a command that makes a file when it is told `words`; returns the file's path."""
        path = codex.folder / name
        codex.model.script({"match": words, "exec": {"cmd": f"touch {path}", "escalate": True}}, {"match": words, "text": answer})
        return path

    def waiting(self, codex, rpc, words="make it", name="made"):
        """A thread that waits for approval of a command that makes a file; returns both."""
        path = self.ask_to_make(codex, words, name)
        thread = rpc.start(codex.folder)
        rpc.turn(thread, words)
        return thread, path

    def waiting_on(self, screen, codex, rpc, words="make it", name="made"):
        """The same, opened on a screen as soon as that shows it waiting."""
        thread, path = self.waiting(codex, rpc, words, name)
        screen.open(thread, "awaiting-approval")
        return thread, path

    def asking(self, codex, rpc, words="ask me"):
        """A thread that waits for the answer to a question."""
        codex.model.script({"match": words, "call": QUESTION}, {"match": words, "text": "Thank you."})
        thread = rpc.start(codex.folder)
        rpc.turn(thread, words, collaborationMode={"mode": "plan", "settings": {"model": "gpt-5.4", "reasoning_effort": "medium"}})
        return thread

    def working(self, codex, rpc, words="work long"):
        """A thread whose turn goes on until somebody ends it."""
        codex.model.script({"match": words, "hang": True})
        thread = rpc.start(codex.folder)
        rpc.turn(thread, words)
        codex.model.wait_for(words)
        return thread

    def outputs(self, codex, words):
        """What tools answered to the model in tasks that were told `words`."""
        return [request["output"] for request in codex.model.requests() if words in request["user"] and request["output"]]
