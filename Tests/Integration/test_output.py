"""What commands do when their output cannot be written, or is read by somebody who stops reading."""

import subprocess

from deck import CLIENT, DeckTest, NODE


class OutputTests(DeckTest):
    def test_a_full_disk_is_no_success(self):
        node = self.node().start(demo=True)
        for words in ([NODE, "--help"], [NODE, "agents"], [NODE, "config"], [CLIENT, "settings", "list"]):
            with open("/dev/full", "w") as full:
                result = subprocess.run(words, env=node.environment, stdout=full, stderr=subprocess.PIPE, text=True, timeout=20)
            self.assertEqual(result.returncode, 1, words)
            self.assertEqual(result.stderr, f"{words[0].name}: The output cannot be written: No space left on device.\n")

    def test_a_reader_that_has_seen_enough_is_no_failure(self):
        node = self.node().start(demo=True)
        for command in (f"{NODE} config | true", f"{NODE} agents | head -n 1"):
            result = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], env=node.environment, capture_output=True, text=True, timeout=20)
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)

    def test_who_follows_ends_with_its_reader(self):
        """At the next change after that: the demo never rests for long."""
        node = self.node().start(demo=True)
        link = node.pair().link
        client = self.client()
        client.run("pair", stdin=link + "\n")
        for words in ("--plain", "--json"):
            result = subprocess.run(["bash", "-c", f"{CLIENT} watch {words} | head -n 1"], env=client.environment, capture_output=True, text=True,
                                    timeout=50)
            self.assertEqual(len(result.stdout.splitlines()), 1, words)
