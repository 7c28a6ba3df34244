"""What the scenarios of the client share: scripted computers, the engine in the background, and what it shows, keeps and tells, in words."""

import asyncio
import contextlib
import dataclasses
import json
import signal
import sqlite3
import ssl
import threading
import uuid

import websockets

from deck import DeckTest, wait_for
from python_node import milliseconds, PythonNode

HOUR = 3_600_000
NOTIFY_SEND = """#!/bin/sh
# Stands for notify-send: it writes down its arguments, gives out an id, and waits like the real one until it is ended.
if [ "$1" = --help ]; then echo "--replace-id= --print-id --action= --wait"; exit; fi
id=$$ wait=
for word; do case $word in --replace-id=*) id=${word#*=};; --wait) wait=1;; esac; done
printf '%s\\n' "$id$(printf '\\037%s' "$@")" >> 'LOG'
echo "$id"
if [ "$wait" ]; then exec cat > /dev/null; fi
"""


@dataclasses.dataclass(frozen=True)
class Task:
    """A task as a computer shows it. Tasks of one title are one task, wherever they are shown."""

    title: str
    status: str = "idle"
    age: float = 60
    """Seconds since its last activity, at the start of the test."""
    owned: bool = True
    session: str | None = None
    """What the owner's session says; what fits the status by default."""
    revision: int | None = None
    spelled: str | None = None
    """The key as this computer writes it; the usual one by default."""

    @property
    def id(self):
        return str(uuid.uuid5(uuid.NAMESPACE_URL, self.title))

    @property
    def key(self):
        return self.spelled or f"local:{self.id}"

    @property
    def session_status(self):
        busy = ("working", "thinking", "approval", "awaiting-approval", "awaiting-response")
        return self.session or ("working" if self.status in busy else "complete" if self.status in ("complete", "done", "unread") else "idle")


class ScriptedNode(PythonNode):
    """A computer whose clock, tasks and answers a test decides.

    `on_press` is called with each command before it is carried out, on the node's own thread: until it returns the node does nothing
    else. A sentence that it returns is the refusal.
    """

    def __init__(self, folder, clock=0, os=None, **options):
        self.clock, self.os, self.on_press, self.born = clock, os, None, milliseconds()
        self.tasks, self.unseen, self.active, self.fields, self.stubborn, self._plain = (), (), None, {}, False, {}
        super().__init__(folder, **options)

    def show(self, *tasks, unseen=(), active=None, **fields):
        """Shows these tasks, slot by slot (`None` is an empty one), at once and whole.

        The `unseen` ones are in no slot, only among the sessions; `active` is the title of the open task; `fields` go into the snapshot
        as they are.
        """
        self.tasks, self.unseen, self.active, self.fields = tasks, unseen, active, fields
        self.snapshot = self._snapshot()
        if self.clients:
            # One that is being cut gets it when it comes back.
            with contextlib.suppress(websockets.ConnectionClosed):
                self.publish()

    def time(self, age):
        """The moment `age` seconds before the test began, by this computer's clock."""
        return int(self.born - age * 1000 + self.clock)

    def _snapshot(self):
        slots, sessions = [], []
        for number in range(6):
            task = self.tasks[number] if number < len(self.tasks) else None
            if task is None:
                slots.append({"id": number, "threadKey": None, "title": None, "status": "off", "selected": False})
                continue
            slots.append({"id": number, "threadKey": task.key, "title": task.title, "status": task.status, "selected": task.title == self.active,
                          "activityAt": self.time(task.age), "ownedByHost": task.owned})
        for task in (*self.tasks, *self.unseen):
            if task and task.owned:
                sessions.append({"threadId": task.id, "activityAt": self.time(task.age), "status": task.session_status})
                if task.revision is not None:
                    sessions[-1]["completionRevision"] = task.revision
        snapshot = {**self.snapshot, "slots": slots, "hostSessions": sessions}
        for field in ("usage", "activeThreadKey"):
            snapshot.pop(field, None)
        opened = next((task for task in (*self.unseen, *self.tasks) if task and task.title == self.active), None)
        return {**snapshot, **({"activeThreadKey": opened.key} if opened else {}), **self.fields}

    def perform(self, command):
        refusal = self.on_press(command) if self.on_press else None
        if refusal:
            return refusal
        pressed = next((task for task in self.tasks if task and task.key == command.get("threadKey")), None)
        if command["kind"] == "agent" and command["act"] == 1 and not self.stubborn:
            if pressed is None:
                return "That task is gone."
            self.active = pressed.title
        elif command["kind"] == "keycap" and command["keycapId"] in ("APPR", "REJ"):
            self.tasks = tuple(task and (dataclasses.replace(task, status="working") if task.title == self.active else task) for task in self.tasks)
        self.snapshot = self._snapshot()
        return None

    def message(self):
        return json.dumps({"type": "snapshot", "protocol": 1, "host": self.host_fields(), "observedAt": milliseconds() + self.clock,
                           "snapshot": self.snapshot})

    def host_fields(self):
        return {**super().host_fields(), **({"os": self.os} if self.os else {})}

    def opens(self, title):
        """For `on_press`: whatever is pressed, this is the open task from now on."""
        self.stubborn, self.active = True, title
        self.snapshot = self._snapshot()

    def cut_soon(self, then):
        """For `on_press`: cuts every connection as soon as what is being answered has been answered."""
        def cut():
            self._cut()
            then()
        self._loop.call_soon(cut)

    def cut_now(self):
        """For `on_press`: cuts every connection before anything is answered."""
        self._cut()

    def _cut(self):
        for client in list(self.clients):
            client.transport.abort()

    def listen_plain(self, address, port):
        """Serves without TLS too, as at the end of an SSH tunnel; `stop_plain` ends it."""
        async def serve():
            return await websockets.serve(self._client, address, port, compression=None, close_timeout=1)
        self._plain[port] = self._in_loop(serve())

    def stop_plain(self, port):
        self._in_loop(self._end(self._plain.pop(port)))

    def stop_nearby(self):
        """Ends the listener with TLS and its connections; what `listen_plain` serves goes on."""
        self._in_loop(self._end(self._server))

    def start_nearby(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.pem)

        async def serve():
            return await websockets.serve(self._client, self.address, self.port, ssl=context, compression=None, close_timeout=1)
        self._server = self._in_loop(serve())

    def stop(self):
        for port in list(self._plain):
            self.stop_plain(port)
        super().stop()

    def _in_loop(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(5)

    @staticmethod
    async def _end(server):
        server.close()
        await server.wait_closed()

    def sent(self):
        """The commands that came, a line each."""
        names = {task.key: task.title for task in self.tasks if task}
        lines = []
        for _, command in self.commands:
            task = command.get("threadKey")
            words = [command.get("keycapId") or command["kind"], {1: "press", 0: "release"}.get(command.get("act")),
                     f"slot {command['slot']}" if "slot" in command else None, names.get(task, task)]
            lines.append(" ".join(word for word in words if word))
        return lines


class ScenarioTest(DeckTest):
    """Three computers by the names One (a Mac), Two (Windows) and Three (Linux), and one client with its engine in the background."""

    limit = 60

    def setUp(self):
        super().setUp()
        self.viewer, self.engine, self.computers = self.client(), None, []
        tools = self.viewer.home.path / "bin"
        tools.mkdir()
        self.told = self.viewer.home.path / "notifications"
        (tools / "notify-send").write_text(NOTIFY_SEND.replace("LOG", str(self.told)))
        (tools / "notify-send").chmod(0o755)
        self.viewer.environment["PATH"] = f"{tools}:{self.viewer.environment['PATH']}"
        self.viewer.run("settings", "set", "notifications", "true")
        self.viewer.run("settings", "set", "showTaskTitles", "true")

    # Computers and the engine

    def computer(self, name, port, **options):
        node = ScriptedNode(self.home("scripted").path, name=name, port=port, **options)
        self.computers.append(node)
        self.addCleanup(lambda: getattr(node, "_thread", None) and node._thread.is_alive() and node.stop())
        return node

    def three(self, clocks=(0, 0, 0), started=True):
        """The three computers, each in the mode `priority`; they show nothing yet."""
        systems = ({"platform": "darwin"}, {"platform": "win32"}, {"platform": "darwin", "os": "linux"})
        nodes = [self.computer(name, 47_700 + number, clock=clocks[number], **systems[number])
                 for number, name in enumerate(("One", "Two", "Three"))]
        self.nodes = nodes
        for node in nodes:
            if started:
                node.start()
        return nodes

    def usual(self, alpha="working", beta="idle", gamma="idle"):
        """Each of the three with a task of its own, paired and heard."""
        nodes = self.three()
        for node, title, status, age in zip(nodes, ("Alpha", "Beta", "Gamma"), (alpha, beta, gamma), (10, 20, 30)):
            node.show(Task(title, status, age=age))
        self.pair(*nodes)
        self.launch()
        return nodes

    def pair(self, *nodes):
        for node in nodes:
            self.viewer.run("pair", stdin=node.link)

    def launch(self, *ready):
        """Starts the engine and waits until these computers are heard (all three unless said otherwise)."""
        log = self.viewer.home.path / "engine.log"
        before = log.read_text().count("engine runs") if log.exists() else 0
        self.engine = self.spawn(self.viewer.command("--log-level", "notice", "daemon"), self.viewer.environment, log)
        wait_for(log.read_text, lambda text: text.count("engine runs") > before, "the engine")
        self.heard(*(ready or self.nodes))

    def kill_engine(self):
        """The engine dies without a chance to write anything."""
        self.engine.process.send_signal(signal.SIGKILL)
        self.engine.process.wait(5)
        wait_for(lambda: [node.clients for node in self.nodes], lambda clients: not any(clients), "the computers to notice")

    def reconnect(self, node):
        """Cuts the connection of a computer and waits until it is there again."""
        before = node.connections
        node.drop_clients()
        wait_for(lambda: node.connections, lambda count: count > before, f"{node.name} to be dialled again")
        self.heard(node)

    def heard(self, *nodes):
        """Waits until the client shows these as connected, over whichever route."""
        names = {node.name for node in nodes}
        wait_for(lambda: {computer["name"] for computer in self.state()["computers"] if computer["live"]}, lambda live: names <= live, f"{names}")

    # What the client shows, keeps and tells

    def state(self):
        return self.viewer.json("watch", "--once")

    def line(self, task):
        """A task of the board in words."""
        names = {node.host: node.name for node in self.computers}
        words = [f"{task['title']}: {task['status']} on {task['hostName']}"]
        if task["mirrors"]:
            words.append("also on " + " and ".join(sorted(names.get(host, host) for host in task["mirrors"])))
        words += [word for word in ("selected", "active", "offline") if task[word]]
        return ", ".join(words)

    def board(self):
        """The six keys in words (`None` for an empty one), then what has no key."""
        state = self.state()
        keys = [task and self.line(task) for task in state["slots"]]
        while keys and keys[-1] is None:
            keys.pop()
        return keys + [f"(no key) {self.line(task)}" for task in state["rest"]]

    def expect_board(self, *lines):
        wait_for(self.board, lambda board: board == list(lines), f"the board\n{list(lines)}")

    def events(self):
        """The events in words, oldest first."""
        lines = []
        for event in reversed(self.viewer.json("attention")):
            words = [f"{event['kind']} {event['title']} on {event['hostName']}"]
            words += [word for word, holds in (("read", event["read"]), ("over", "endedAt" in event), ("gone", not event["present"])) if holds]
            lines.append(", ".join(words))
        return lines

    def expect_events(self, *lines):
        wait_for(self.events, lambda events: events == list(lines), f"the events\n{list(lines)}")

    def notifications(self):
        """What notify-send was told, in words, in the order of calls."""
        seen, lines = set(), []
        for record in self.told.read_text().splitlines() if self.told.exists() else []:
            number, *arguments = record.split("\x1f")
            options, words = arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]
            urgency = next(option.removeprefix("--urgency=") for option in options if option.startswith("--urgency="))
            again = f"--replace-id={number}" in options
            self.assertEqual(again, number in seen, f"a notification replaces one that was shown, and no other: {record!r}")
            buttons = {option.split("=")[-1] for option in options if option.startswith("--action=")}
            self.assertEqual(buttons, {"Open"}, "a notification can open the task and nothing else")
            seen.add(number)
            lines.append(f"{urgency}: {' | '.join(words)}{' (replaced)' if again else ''}")
        return lines

    def expect_notifications(self, *lines):
        """The notifications so far; those of different tasks are told by processes of their own, so their order is not fixed."""
        wait_for(lambda: sorted(self.notifications()), lambda told: told == sorted(lines), f"the notifications\n{sorted(lines)}")

    def receipts(self):
        """The receipts as they are kept, oldest first."""
        path = self.viewer.home.state / "client" / "events.db"
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            kept = [json.loads(content) for content, in database.execute("SELECT content FROM receipt ORDER BY id")]
        return kept

    def expect_receipts(self, *lines):
        def words():
            return [f"{kept['action']} {kept['title']} on {kept['hostName']}: {kept.get('word', kept['step'])}" for kept in self.receipts()]
        wait_for(words, lambda receipts: receipts == list(lines), f"the receipts\n{list(lines)}")

    # Commands

    def expect_sent(self, node, *lines):
        """The commands that came to a computer; the release of a press may come a little after the command has ended."""
        wait_for(node.sent, lambda sent: sent == list(lines), f"the commands at {node.name}\n{list(lines)}")

    def outcome(self, *words):
        """The word a command ends with, whether it is good or bad."""
        result = self.viewer.run(*words, "--json", code=None)
        return json.loads(result.out)["outcome"]

    def start_command(self, *words):
        """Runs a command on a thread of its own; the result is a function that waits for its word."""
        words_of_end = []
        thread = threading.Thread(target=lambda: words_of_end.append(self.outcome(*words)), daemon=True)
        thread.start()

        def end():
            thread.join(20)
            return words_of_end[0] if words_of_end else None
        return end


class Gate:
    """Holds a node at a command: `reached` says that it is there, `open` lets it go on."""

    def __init__(self, wanted, then=None):
        self._wanted, self._then = wanted, then
        self._reached, self._opened = threading.Event(), threading.Event()

    def __call__(self, command):
        if not self._wanted(command) or self._opened.is_set():
            return None
        self._reached.set()
        assert self._opened.wait(15), "nobody opened the gate"
        return self._then(command) if self._then else None

    def wait(self):
        assert self._reached.wait(15), "the command did not come"

    def open(self):
        self._opened.set()


def is_press(command):
    return command["kind"] == "agent" and command["act"] == 1
