"""`scripts/quickstart --once`: from nothing to a board. The build is left to scripts/test, so `swift` is a stand-in that has built already."""

import subprocess

from deck import ADDRESS, DeckTest, PROGRAMS, ROOT
from rollout import Rollout

SWIFT = f"""#!/bin/sh
case "$*" in
*--version*) echo "Swift version 6.3.1" ;;
*--show-bin-path*) echo "{PROGRAMS}" ;;
esac
"""


class QuickstartTests(DeckTest):
    def quickstart(self, home, *words, code=0, ends=True):
        tools = home.path / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "swift").write_text(SWIFT)
        (tools / "swift").chmod(0o755)
        environment = home.environment
        result = subprocess.run(
            [ROOT / "scripts" / "quickstart", *words], env={**environment, "PATH": f"{tools}:{environment['PATH']}"}, capture_output=True,
            text=True, timeout=50, stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        if ends:
            self.assertIn("decknode serve", self.node(home).refusal("status"), "the node it started ends with it")
        return result

    def test_demo_and_again(self):
        home = self.home("quickstart")
        for _ in range(2):
            result = self.quickstart(home, "--once")
            for title in ("login test", "importer", "release notes", "memory leak", "database schema", "payment module"):
                self.assertIn(title, result.stdout)
        self.assertEqual(len(self.client(home).json("nodes")), 1, "a second run pairs with the same node")

    def test_with_sessions(self):
        home = self.home("quickstart")
        rollout = Rollout(home.codex, "My own session")
        rollout.begin_turn()
        before = rollout.path.read_bytes()
        result = self.quickstart(home, "--once")
        self.assertIn("My own session", result.stdout)
        self.assertIn("orking", result.stdout)
        self.assertNotIn("Demo", result.stdout)
        self.assertEqual(rollout.path.read_bytes(), before)
        self.assertIn("login test", self.quickstart(home, "--demo", "--once").stdout)

    def test_without_a_network(self):
        def network(*words):
            subprocess.run(["ip", *words], check=True, capture_output=True)
        network("link", "set", "eth0", "down")
        self.addCleanup(lambda: network("route", "replace", "default", "dev", "eth0", "src", ADDRESS))
        self.addCleanup(lambda: network("link", "set", "eth0", "up"))
        self.assertIn("login test", self.quickstart(self.home("quickstart"), "--once").stdout)

    def test_with_a_node_that_runs(self):
        node = self.node().start(demo=True)
        result = self.quickstart(node.home, "--once", ends=False)
        self.assertIn("running on this computer already", result.stderr)
        self.assertIn("login test", result.stdout)
        self.assertEqual(node.status()["tasks"], 6, "the node is as it was")

    def test_words_it_does_not_know(self):
        result = self.quickstart(self.home("quickstart"), "--nonsense", code=2)
        self.assertEqual((result.stdout, len(result.stderr.splitlines())), ("", 1))
