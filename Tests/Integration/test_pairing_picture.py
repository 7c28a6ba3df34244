"""The pairing code in terminals of all kinds, read by zbar from pictures of them."""

from deck import DeckTest
from terminal import Terminal


class PairingPictureTests(DeckTest):
    def test_code_is_readable(self):
        node = self.node().start(demo=True)
        pairing = node.pair()
        for name, columns, rows, light, words, environment in (
            ("dark", 110, 60, False, "", {}), ("light", 110, 60, True, "", {}), ("sixteen colours", 110, 60, False, "", {"TERM": "xterm"}),
            ("no colours on dark", 110, 60, False, "", {"NO_COLOR": "1"}), ("inverted", 110, 60, False, "--invert", {}),
            ("no UTF-8", 200, 120, False, "", {"LANG": "C", "LC_ALL": "C"}),
        ):
            with self.subTest(name):
                home = self.home("terminal")
                client = self.client()
                with Terminal(home, columns, rows) as terminal:
                    settings = {**node.environment, "TERM": "screen-256color", **environment}
                    assignments = " ".join(f"{key}='{value}'" for key, value in settings.items())
                    terminal.line(f"clear; env {assignments} {node.binary} pair {words}")
                    terminal.wait_for("Certificate")
                    picture = terminal.picture(home.path / "screen.png", light)
                    paired = client.json("pair", "--picture", picture)
                self.assertEqual(paired["fingerprint"], pairing.fingerprint)

    def test_pictures_in_files(self):
        node = self.node()
        pairing = node.pair()
        client = self.client()
        path = node.home.path / "code.png"
        node.run("pair", "--png", path)
        self.assertEqual(path.stat().st_mode & 0o077, 0, "the picture holds the token")
        self.assertEqual(client.json("pair", "--picture", path)["hostId"], pairing.host)

    def test_too_narrow(self):
        node = self.node()
        with Terminal(node.home, 40, 12) as terminal:
            terminal.line(f"clear; {node.binary} pair")
            screen = terminal.wait_for("Picture").replace("\n", " ")
            self.assertIn("--link", screen)
            self.assertNotIn("▀", screen)
