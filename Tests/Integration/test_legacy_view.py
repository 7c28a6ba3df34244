"""The node as peers see it that were made before it: every message readable, a snapshot at least every 1.2 s."""

import json
import time

import legacy
from deck import DeckTest
from rollout import Rollout
from wire import Peer, command

WATCH = 12.5
LATEST = 1.2 + 0.15
"""What is promised, and what a busy test machine may add to it."""


class LegacyViewTests(DeckTest):
    def observe(self, pairing, seconds, meanwhile=()):
        """Watches like such a peer and returns every message, with the longest time without a snapshot."""
        todo, messages, longest = list(meanwhile), [], 0.0
        with Peer.paired(pairing, auth=False) as peer:
            peer.send({"type": "auth", "protocol": 1, "token": pairing.token}, opcode=2)  # the phone sends binary frames
            started = last = time.monotonic()
            while time.monotonic() - started < seconds:
                if todo and time.monotonic() - started > 1.0:
                    peer.send(todo.pop(0))
                data = peer.next_bytes(5)
                message = json.loads(data)
                legacy.check(message, len(data))
                messages.append(message)
                if message["type"] == "snapshot":
                    now = time.monotonic()
                    longest, last = max(longest, now - last), now
        return messages, longest

    def test_demo_that_moves(self):
        node = self.node().start(demo=True)
        pairing = node.pair()
        with Peer.paired(pairing) as peer:
            keys = [slot["threadKey"] for slot in peer.snapshot()["slots"]]
        presses = []
        for index, key in enumerate(keys):
            presses += [command(f"press {index}", kind="agent", slot=index, threadKey=key, act=1),
                        command(f"release {index}", kind="agent", slot=index, threadKey=key, act=0)]
        kinds = [{"kind": "keycap", "keycapId": keycap} for keycap in sorted(legacy.KEYCAPS)]
        kinds += [{"kind": "action", "slot": slot, "act": 1} for slot in sorted(legacy.ACTIONS)]
        kinds += [{"kind": "joystick", "direction": way, "distance": 1} for way in ("up", "right", "down", "left")]
        kinds += [{"kind": "encoder", "act": 1}, {"kind": "reasoning", "direction": "increase"}, {"kind": "rate-limit-reset"}]
        presses += [command(f"kind {index}", **fields) for index, fields in enumerate(kinds)]
        messages, longest = self.observe(pairing, WATCH, presses)
        self.assertEqual([message["type"] for message in messages[:2]], ["ready", "snapshot"])
        results = [message for message in messages if message["type"] == "result"]
        # Each key is answered when its effect is known, so the answers come in their own order.
        self.assertCountEqual([result["requestId"] for result in results], [press["requestId"] for press in presses], "a result for each command")
        first = {press["requestId"] for press in presses[:12]}
        self.assertTrue(all(result["ok"] for result in results if result["requestId"] in first), results)
        for result in results:
            self.assertNotIn("Invalid", result.get("error", ""), result)
            self.assertRegex(result.get("error", "Fine."), r"^[A-Z][^/\n]*\.$")
        self.assertLessEqual(longest, LATEST)
        self.notes = [f"longest time without a snapshot: {longest * 1000:.0f} ms"]

    def test_quiet_node_with_sessions(self):
        home = self.home("node")
        for index in range(8):
            rollout = Rollout(home.codex, f"Session {index} \U0001F600 " + "word " * 60)
            rollout.begin_turn()
            if index % 2:
                rollout.finish_turn()
        node = self.node(home).start()
        pairing = node.pair()
        messages, longest = self.observe(pairing, 5)
        self.assertEqual({message["type"] for message in messages}, {"ready", "snapshot"})
        self.assertEqual(len(messages[1]["snapshot"]["hostSessions"]), 8)
        self.assertLessEqual(longest, LATEST)

    def test_empty_node(self):
        node = self.node().start()
        messages, longest = self.observe(node.pair("--present-as", "windows"), 4)
        self.assertEqual({message["host"]["platform"] for message in messages}, {"win32"})
        self.assertTrue(all(slot["status"] == "off" for slot in messages[-1]["snapshot"]["slots"]))
        self.assertLessEqual(longest, LATEST)

    def test_nothing_that_was_typed_is_sent(self):
        home = self.home("node")
        rollout = Rollout(home.codex, "First words are the title")
        rollout.begin_turn()
        rollout.say("CANARY-ANSWER")
        rollout.prompt("CANARY-SECOND-PROMPT")
        rollout.finish_turn("CANARY-LAST-ANSWER")
        node = self.node(home).start()
        pairing = node.pair()
        messages, _ = self.observe(pairing, 2.5)
        text = json.dumps(messages)
        self.assertIn("First words are the title", text)
        for secret in ("CANARY", str(home.path), pairing.token, rollout.folder):
            self.assertNotIn(secret, text)
        self.assertNotIn(pairing.token, node.log)
        self.assertNotIn("First words", node.log)
