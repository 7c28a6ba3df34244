"""A peer made of Node's ws library against the node."""

import json
import os
import subprocess

from deck import DeckTest, ROOT


class NodePeerTests(DeckTest):
    def peer(self, url, token, pin=""):
        script = ROOT / "Tests" / "Integration" / "peer.js"
        result = subprocess.run(["node", script, url, pin], input=token, capture_output=True, text=True, timeout=40,
                                env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def check(self, seen):
        self.assertEqual(seen["types"], ["ready", "snapshot"])
        self.assertEqual(len(seen["titles"]), 6)
        self.assertTrue(seen["selected"] and seen["pong"])
        self.assertTrue(seen["results"]["press"]["ok"] and seen["results"]["release"]["ok"])
        self.assertEqual(seen["results"]["wrong"]["error"], "Invalid relay command.")
        self.assertEqual(seen["closed"][0], 1000)

    def test_over_pinned_tls(self):
        pairing = self.node().start(demo=True).pair()
        seen = self.peer(pairing.fields["endpoint"], pairing.token, pairing.fingerprint)
        self.check(seen)
        self.assertTrue(seen["pinned"])

    def test_plain_on_loopback(self):
        url, token = self.node().start(demo=True).remote()
        self.check(self.peer(url, token))
