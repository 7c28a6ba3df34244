"""The commands in docs/user do what the page around them says: each is run as it stands there, in the situation its page names for it."""

import os
import re
import shlex
import signal
import socket
import subprocess

from deck import DeckTest, PROGRAMS, ROOT, wait_until
from terminal import Terminal

PAGES = sorted((ROOT / "docs" / "user").glob("*.md"))
BLOCK = re.compile(r"(?:<!-- test: (?P<situation>[^\n]*) -->\n)?```console\n(?P<text>.*?)```", re.DOTALL)
COMPUTER = "workstation"
"""What the pages call the node's computer."""


def blocks(page):
    """The console blocks of a page: the first word of their situation, and their commands."""
    for block in BLOCK.finditer(page.read_text()):
        situation = block["situation"]
        assert situation, f"{page.name}: a block does not say in which situation it is run:\n{block['text']}"
        lines = block["text"].splitlines()
        assert all(line.startswith("$ ") for line in lines), f"{page.name}: a line is no command:\n{block['text']}"
        yield situation.split()[0], [line.removeprefix("$ ") for line in lines]


class UserDocsTests(DeckTest):
    def run_here(self, program, command, stdin=None, but=None):
        """Runs a command in the program's home, with this computer's own name in it, and returns what it shows. Its input is a terminal, where
        questions are answered with yes, or `stdin`. `but` is what it may say instead of succeeding."""
        environment = {**program.environment, "PATH": f"{PROGRAMS}:{program.environment['PATH']}"}
        command = re.sub(rf"\b{COMPUTER}(?=( |$))", socket.gethostname().split(".")[0], command)
        ours, theirs = os.openpty()
        os.write(ours, b"y\n" * 4)
        feed = {"input": stdin} if stdin else {"stdin": theirs}
        result = subprocess.run(["bash", "-c", "set -o pipefail; " + command], env=environment, cwd=program.home.path, text=True, timeout=30,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **feed)
        os.close(ours)
        os.close(theirs)
        if not but or but not in result.stdout:
            self.assertEqual(result.returncode, 0, f"$ {command}\n{result.stdout}")
        return result.stdout

    def situation_node(self, commands):
        node = self.node().start(demo=True)
        for command in commands:
            self.run_here(node, command)

    def situation_paired(self, commands):
        node = self.node().start(demo=True)
        self.run_here(node, "decknode pair --link | deckclient pair")
        for command in commands:
            self.run_here(node, command)

    def situation_discovery(self, commands):
        """This network has no Avahi; test_discovery.py has others that do."""
        for command in commands:
            self.run_here(self.client(), command, but="Nodes cannot be discovered")

    def situation_client(self, commands):
        client = self.client()
        for command in commands:
            for folder in (client.home.config, client.home.state, client.home.path / "cache" / "codex-deck"):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            places = {"~/.config/": "$XDG_CONFIG_HOME/", "~/.local/state/": "$XDG_STATE_HOME/", "~/.cache/": "$XDG_CACHE_HOME/"}
            for place, variable in places.items():
                command = command.replace(place, variable)
            self.run_here(client, command)

    def situation_token(self, commands):
        """A command that asks for the token of a node behind a tunnel."""
        node = self.node().start(demo=True)
        _, token = node.remote()
        for command in commands:
            self.run_here(node, command, stdin=token + "\n")

    def situation_dashboard(self, commands):
        node = self.node().start(demo=True)
        self.run_here(node, "decknode pair --link | deckclient pair")
        for command in commands:
            with Terminal(node.home, 80, 24, [f"{PROGRAMS}/{command}"]) as terminal:
                terminal.wait_for("Demo: ")
                terminal.type("q")

    def situation_demo(self, commands):
        for command in commands:
            node = self.node()
            words = shlex.split(command)
            running = self.spawn([str(PROGRAMS / words[0]), *words[1:]], node.environment, node.home.path / "node.log")
            node.run("status", "--wait", "15", timeout=20)
            self.assertEqual(node.status()["tasks"], 6)
            running.stop(signal.SIGTERM)

    def situation_printed(self, commands):
        """A command of another program, which ours prints for its user to copy."""
        printed = self.run_here(self.node().start(demo=True), "decknode relay enable")
        for command in commands:
            self.assertIn(command, printed)

    def situation_service(self, commands):
        """What is told to the user's service manager names units that are there; test_systemd.py and test_package.py run them."""
        for command in commands:
            expanded = subprocess.run(["bash", "-c", f"echo {command}"], capture_output=True, text=True, check=True).stdout
            for unit in re.findall(r"codex-deck-\S+", expanded):
                file = unit if "." in unit else f"{unit}.service"
                self.assertTrue((ROOT / "systemd" / file).is_file(), f"{command}: there is no {file}")

    def situation_package(self, commands):
        """test_package.py does it in a root of its own."""
        self.named_in("test_package.py", commands)

    def situation_install(self, commands):
        """test_install.py does it in a home of its own."""
        self.named_in("test_install.py", commands)

    def named_in(self, name, commands):
        text = (ROOT / "Tests" / "Integration" / name).read_text()
        for command in commands:
            words = [word for word in command.removeprefix("sudo ").split() if "/" not in word or word.startswith("./scripts/")]
            for word in words:
                self.assertIn(word.removeprefix("./scripts/"), text, f"{name} does not try `{command}`")

    def situation_elsewhere(self, commands):
        """Needs something no test has; its words are at least words that the programs know."""
        for command in commands:
            for program, rest in re.findall(r"(decknode|deckclient) ([^|]*)", command):
                words = [word for word in rest.split() if not word.startswith("-")][:1]
                result = subprocess.run([PROGRAMS / program, *words, "--help"], capture_output=True, text=True, timeout=10)
                self.assertEqual(result.returncode, 0, f"{command}\n{result.stderr}")
                for option in re.findall(r"--[a-z-]+", rest):
                    self.assertRegex(subprocess.run(f"{PROGRAMS / program} {' '.join(rest.split()[:2])} --help", shell=True, capture_output=True,
                                                    text=True).stdout, option)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for link in re.findall(r"\]\(([^)#]+)", page.read_text()):
                if not link.startswith("http") and "releases" not in link:
                    self.assertTrue((page.parent / link).exists(), f"{page.name} leads to {link}, which is not there")


def add_tests():
    """One test for each block, so that a failure names its page."""
    for page in PAGES:
        for number, (situation, commands) in enumerate(blocks(page), 1):
            def test(self, situation=situation, commands=commands):
                getattr(self, f"situation_{situation}")(commands)
            name = f"test_{page.stem.replace('-', '_').lower()}_{number:02}_{situation}"
            test.__doc__ = "; ".join(commands)
            setattr(UserDocsTests, name, test)


add_tests()
