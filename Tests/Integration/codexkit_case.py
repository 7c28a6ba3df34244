"""What the tests of the SDK's example programs share: the local model server, and an example with a session."""

import base64
import json
import subprocess
import sys
import urllib.request

from deck import DeckTest, PROGRAMS, Program, ROOT

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
SECRET = "access-token-that-nobody-may-see"


class ModelServer:
    """model_server.py as a process of its own."""

    def __init__(self, test, *steps):
        home = test.home("model")
        self.log = home.path / "requests"
        script = home.path / "script.json"
        script.write_text(json.dumps(steps))
        words = [sys.executable, str(ROOT / "Tests/Integration/model_server.py"), "--every-request", "--with-parent", "--script", str(script),
                 "--log", str(self.log)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.process.communicate)
        self.origin = f"http://127.0.0.1:{int(self.process.stdout.readline())}"
        self.url = self.origin + "/v1"

    def add(self, *steps):
        urllib.request.urlopen(urllib.request.Request(self.origin + "/script", json.dumps(steps).encode()), timeout=10).read()

    @property
    def requests(self):
        """The bodies of what was asked."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


class ExampleTest(DeckTest):
    def setUp(self):
        super().setUp()
        self.user = self.home("user")

    def example(self, name, server, **environment):
        """An example with a session that the test gives it."""
        path = PROGRAMS / name
        self.assertTrue(path.exists(), f"{path} is missing; build it: swift build --product {name}")
        variables = {"CODEXKIT_BASE_URL": server.url, "CODEXKIT_SIGN_IN": "token", "CODEXKIT_ACCESS_TOKEN": SECRET, "CODEXKIT_ACCOUNT_ID": "ada"}
        return Program(path, self.user, environment={**variables, **environment})
