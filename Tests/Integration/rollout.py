"""Writes session files as the Codex CLI 0.163 does, for tests that do not need the CLI itself."""

import datetime
import json
import pathlib
import uuid

WINDOW = 258_400


class Rollout:
    """One session below a Codex home; each call appends a record."""

    def __init__(self, codex_home, first_words, identity=None):
        now = datetime.datetime.now(datetime.timezone.utc)
        self.id = str(identity or uuid.uuid4())
        self.first_words, self.ordinal, self.turn, self.turns = first_words, 0, None, 0
        self.folder = "/home/somebody/secret-project"
        folder = pathlib.Path(codex_home) / "sessions" / now.strftime("%Y/%m/%d")
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"rollout-{now.strftime('%Y-%m-%dT%H-%M-%S')}-{self.id}.jsonl"
        self.append("session_meta", session_id=self.id, id=self.id, cwd=self.folder, originator="codex_exec", cli_version="0.163.0", source="exec",
                    model_provider="mock", history_mode="paginated")

    @property
    def key(self):
        return f"local:{self.id}"

    def line(self, kind, **payload):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        record = {"timestamp": now, "ordinal": self.ordinal, "type": kind, "payload": payload}
        self.ordinal += 1
        return (json.dumps(record, separators=(",", ":")) + "\n").encode()

    def append(self, kind, **payload):
        with open(self.path, "ab") as file:
            file.write(self.line(kind, **payload))

    def event(self, kind, **payload):
        self.append("event_msg", type=kind, **payload)

    def item(self, **item):
        self.event("item_completed", thread_id=self.id, turn_id=self.turn, item={"id": str(uuid.uuid4()), **item})

    def prompt(self, text):
        self.append("response_item", type="message", role="user", content=[{"type": "input_text", "text": text}])
        self.item(type="UserMessage", content=[{"type": "text", "text": text}])

    def begin_turn(self):
        self.turn, self.turns = str(uuid.uuid4()), self.turns + 1
        self.event("task_started", turn_id=self.turn, model_context_window=WINDOW)
        self.prompt(self.first_words if self.turns == 1 else f"turn {self.turns}")

    def say(self, text):
        self.item(type="AgentMessage", content=[{"type": "Text", "text": text}])
        self.append("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": text}])

    def count_tokens(self, total, five_hour=None, weekly=None, resets_at=None):
        def window(used, minutes):
            return None if used is None else {"used_percent": used, "window_minutes": minutes, "resets_at": resets_at}
        self.event("token_count", info={"last_token_usage": {"total_tokens": total}, "model_context_window": WINDOW},
                   rate_limits={"limit_id": "codex", "primary": window(five_hour, 300), "secondary": window(weekly, 10_080)})

    def finish_turn(self, text="done"):
        self.event("task_complete", turn_id=self.turn, last_agent_message=text)

    def abort_turn(self):
        self.event("turn_aborted", turn_id=self.turn, reason="interrupted")
