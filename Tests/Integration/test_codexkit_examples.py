"""The example programs of the SDK, each against a local server: what is asked, what is printed and what is kept."""

import base64
import json
import re
import select
import subprocess
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from codexkit_case import ExampleTest, ModelServer, PNG, SECRET
from deck import DeckTest, ROOT
from terminal import Terminal

REFUND = {"name": "refund", "arguments": {"order": "17", "euros": 20}}


def seen_before(text, words, environment, stdin=b""):
    """What a program has printed when `text` is there. It is killed then."""
    process = subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(stdin)
    process.stdin.flush()
    out, deadline = b"", time.monotonic() + 20
    while text not in out and time.monotonic() < deadline:
        if select.select([process.stdout], [], [], 1)[0]:
            out += process.stdout.read1(65536)
    process.kill()
    process.communicate()
    if text not in out:
        raise AssertionError(f"{text} was not printed, but {out}")
    return out


class SignInHandler(BaseHTTPRequestHandler):
    """What `auth.openai.com` answers to a person who signs in."""

    def do_POST(self):
        self.server.asked.append((self.path, self.rfile.read(int(self.headers["content-length"])).decode()))
        claims = {"email": "ada@example.com", "name": "Ada", "exp": int(time.time()) + 86_400, "iat": int(time.time()),
                  "https://api.openai.com/auth": {"chatgpt_account_id": "account-1", "chatgpt_plan_type": "plus"}}
        token = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"none"}', json.dumps(claims).encode(), b"x"))
        answers = {
            "/api/accounts/deviceauth/usercode": {"device_auth_id": "d", "user_code": "AB12-CD34", "interval": "0"},
            "/api/accounts/deviceauth/token": {"authorization_code": "code", "code_verifier": "verifier"},
            "/oauth/token": {"id_token": token, "access_token": token, "refresh_token": "refresh"}}
        body = json.dumps(answers[self.path]).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class GuideTest(DeckTest):
    def test_the_first_manifest_of_the_guide(self):
        """What a newcomer copies first; the other code of the guide is compiled by the unit tests."""
        guide = (ROOT / "docs/codexkit/getting-started.md").read_text()
        manifest = re.search(r"```swift\n(// swift-tools-version.*?)```", guide, re.S).group(1)
        folder = self.home("package").path
        (folder / "Package.swift").write_text(manifest)
        words = ["swift", "package", "--package-path", str(folder), "dump-package"]
        package = json.loads(subprocess.run(words, capture_output=True, text=True, timeout=50, check=True).stdout)
        product, of, *_ = package["targets"][0]["dependencies"][0]["product"]
        offered = re.findall(r'\.library\(name: "(\w+)"', (ROOT / "Package.swift").read_text())
        self.assertIn(product, offered)
        self.assertIn(f'name: "{of}"', (ROOT / "Package.swift").read_text())


class ExamplesTest(ExampleTest):
    def test_chat_streams_and_goes_on_where_it_was(self):
        server = ModelServer(self, {"match": "Hello", "text": "Good day. How can I help?"}, {"match": "again", "text": "Still here."})
        chat = self.example("ExampleChat", server)
        first = chat.run(stdin="Hello\n/quit\n")
        self.assertIn("Signed in as ada.\n> Good day. How can I help?\n", first.out)
        second = chat.run(stdin="And again?\n/threads\n")
        self.assertIn("> Hello\nGood day. How can I help?\n> Still here.\n", second.out)
        self.assertIn("* Chat, 4 messages, idle", second.out)
        self.assertIn("Good day", json.dumps(server.requests[-1]["input"]), "the model is told the past")
        self.assertFalse([path for path, data in self.user.everything().items() if SECRET.encode() in data], "a given session is stored nowhere")

    def test_chat_shows_an_answer_while_it_is_written(self):
        server = ModelServer(self, {"text": "one two three four", "pause": 0.7})
        chat = self.example("ExampleChat", server)
        out = seen_before(b"one two t", chat.command(), chat.environment, b"Hello\n")
        self.assertNotIn(b"four", out)

    def test_chat_asks_before_a_refund_and_n_means_no(self):
        server = ModelServer(self, {"match": "17", "call": REFUND}, {"match": "17", "after": "denied", "text": "Then not."})
        result = self.example("ExampleChat", server).run(stdin="Refund order 17.\nn\n/history\n")
        self.assertIn('refund {"euros":20,"order":"17"}\nAllow? [y/N] denied: refund\n✗ refund', result.out)
        self.assertIn("Then not.", result.out)
        self.assertIn("refund was denied\n", result.out)
        self.assertNotIn("Paid back", json.dumps(server.requests))

    def test_chat_end_of_input_means_no(self):
        server = ModelServer(self, {"match": "17", "call": REFUND})
        self.assertIn("denied: refund", self.example("ExampleChat", server).run(stdin="Refund order 17.\n").out)

    def test_chat_in_a_terminal_runs_tools_and_takes_y(self):
        server = ModelServer(
            self, {"match": "Where", "call": {"name": "look_up_order", "arguments": {"order": "17"}}},
            {"match": "Where", "after": "carrier", "text": "Tomorrow."},
            {"match": "money", "call": REFUND}, {"match": "money", "after": "Paid back", "text": "It is on its way."})
        chat = self.example("ExampleChat", server)
        with Terminal(self.user, 80, 24, chat.command(), chat.environment) as terminal:
            terminal.wait_for("Signed in as ada.")
            terminal.line("Where is 17?")
            screen = terminal.wait_for("Tomorrow.")
            self.assertIn("✓ look_up_order", screen)
            self.assertNotIn("Allow", screen, "a tool that only reads does not ask")
            terminal.line("I want my money back.")
            terminal.wait_for("Allow? [y/N]")
            terminal.line("perhaps")
            terminal.wait_for("Please answer y or n:")
            terminal.line("y")
            self.assertIn("allowed: refund", terminal.wait_for("It is on its way."))

    def test_chat_keeps_an_open_question_over_a_restart(self):
        server = ModelServer(
            self, {"match": "17", "call": REFUND}, {"match": "17", "after": "Paid back", "text": "Done, 20 euros."})
        chat = self.example("ExampleChat", server)
        process = subprocess.Popen(chat.command(), env=chat.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stdin.write("Refund order 17.\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("  refund"):
                break
        process.kill()
        process.communicate()
        result = chat.run(stdin="/resume\ny\n/history\n")
        self.assertIn("The answer to “Allow refund?” is still open. The last answer was cut off; /resume goes on with it.", result.out)
        self.assertIn("Done, 20 euros.", result.out)
        self.assertEqual(result.out.count("result of refund: done"), 1)
        self.assertIn("turn completed", result.out)

    def test_skill_probe_shows_what_the_rules_change(self):
        server = ModelServer(
            self, {"call": {"name": "book_taxi", "arguments": {"city": "Lisbon"}}}, {"text": "A taxi waits."},
            # With the skill: an answer without the required tool, the order turned round, a tool that is not allowed.
            {"text": "Just go."}, {"call": {"name": "lookup_hotels", "arguments": {"city": "Lisbon"}}},
            {"call": {"name": "lookup_flights", "arguments": {"city": "Lisbon"}}}, {"call": {"name": "book_taxi", "arguments": {"city": "Lisbon"}}},
            {"text": "Fly on Friday."})
        plain, skilled = self.example("ExampleSkillProbe", server).run("Plan two days in Lisbon.").out.split("With the skill travel_planner")
        self.assertIn("called:  book_taxi\n", plain)
        self.assertNotIn("refused", plain)
        self.assertIn("called:  lookup_flights\n", skilled)
        self.assertIn("refused: lookup_hotels", skilled)
        self.assertIn("refused: book_taxi", skilled)
        self.assertIn("answer:  Fly on Friday.", skilled)
        self.assertNotIn("Just go.", skilled, "an answer before the required tool is not accepted")
        names = [[tool["name"] for tool in request["tools"]] for request in server.requests]
        self.assertIn("book_taxi", names[0])
        self.assertNotIn("book_taxi", names[2], "what the skill does not allow is not offered")

    def test_persona_swap_tells_the_model_and_leaves_the_thread_alone(self):
        server = ModelServer(self, {"text": "Calm."}, {"text": "Risks."}, {"text": "Steps."})
        out = self.example("ExamplePersonaSwap", server).run().out
        for part in ("Pinned: support\nCalm.\n", "For one reply: reviewer\nRisks.\n", "Pinned from now on: teacher\nSteps.\n",
                     "The thread has 6 messages"):
            self.assertIn(part, out)
        told = [request["instructions"] for request in server.requests]
        self.assertEqual(["strict reviewer" in text for text in told], [False, True, False])
        self.assertEqual(["action-oriented" in text for text in told], [True, True, False])
        self.assertIn("step by step", told[2])
        self.assertNotIn("strict reviewer", json.dumps([request["input"] for request in server.requests]))

    def test_shipping_draft_is_a_value(self):
        draft = {"subject": "Delay", "reply": "We are sorry.", "urgency": "high"}
        server = ModelServer(self, {"text": json.dumps(draft)}, {"text": f"Here it is.\n<structured_output>{json.dumps(draft)}</structured_output>"})
        example = self.example("ExampleShippingDraft", server)
        expected = "Urgency: high\nSubject: Delay\n\nWe are sorry.\n"
        self.assertTrue(example.run().out.endswith(".\n" + expected))
        self.assertEqual(server.requests[0]["text"]["format"]["type"], "json_schema")
        self.assertTrue(server.requests[0]["text"]["format"]["strict"])
        streamed = example.run("--stream").out
        self.assertIn("Here it is.\n", streamed)
        self.assertTrue(streamed.endswith(expected))
        self.assertNotIn("structured_output", streamed, "the frame is not for people")

    def test_shipping_draft_of_another_form_is_refused(self):
        server = ModelServer(self, {"text": '{"subject": "Delay", "reply": "Sorry.", "urgency": "extreme"}'})
        result = self.example("ExampleShippingDraft", server).run(code=1)
        self.assertEqual(result.err, "The model's answer does not fit the requested form: the answer.urgency is none of the allowed values.\n")

    def test_imported_content_reaches_the_model(self):
        server = ModelServer(self, {"text": "Call the depot."})
        (self.user.path / "notes.txt").write_text("The parcel is late.")
        (self.user.path / "photo.png").write_bytes(PNG)
        out = self.example("ExampleImportedContent", server).run(
            "--text", "From a chat.", "--file", self.user.path / "notes.txt", "--url", "https://example.com/p",
            "--image", self.user.path / "photo.png", "What", "is", "next?").out
        self.assertTrue(out.endswith("Call the depot.\n"))
        text, image = server.requests[0]["input"][0]["content"]
        for part in ("What is next?", "From a chat.", "The parcel is late.", "https://example.com/p"):
            self.assertIn(part, text["text"])
        self.assertEqual(base64.b64decode(image["image_url"].partition(",")[2]), PNG)

    def test_wrong_words_end_in_one_sentence(self):
        server = ModelServer(self)
        example = self.example("ExampleImportedContent", server)
        self.assertEqual(example.run(code=1).err, "There is nothing to ask about; give --text, --file, --url or --image.\n")
        self.assertEqual(example.run("--image", "/no/such", code=1).err, "/no/such cannot be read.\n")
        self.assertIn("--sound is no option", example.run("--sound", "x", code=1).err)


class SignInTest(ExampleTest):
    def setUp(self):
        super().setUp()
        self.issuer = ThreadingHTTPServer(("127.0.0.1", 0), SignInHandler)
        self.issuer.asked = []
        self.in_background(self.issuer.serve_forever)
        self.addCleanup(self.issuer.server_close)
        self.addCleanup(self.issuer.shutdown)
        self.variables = {"CODEXKIT_ISSUER": f"http://127.0.0.1:{self.issuer.server_port}", "CODEXKIT_SESSION_FALLBACK": "alwaysFile"}

    def test_first_answer_signs_in_with_a_code_once(self):
        server = ModelServer(self, {"text": "Hello from the server."}, {"text": "And again...", "pause": 0.7})
        example = self.example("ExampleFirstAnswer", server, **self.variables)
        # It keeps its thread in the working folder.
        words = ["env", "-C", str(self.user.path), *example.command("Say", "hello.")]
        first = subprocess.run(words, env=example.environment, capture_output=True, text=True, timeout=30)
        self.assertIn("enter the code AB12-CD34", first.stdout)
        self.assertTrue(first.stdout.endswith("Hello from the server.\n"), first)
        second = seen_before(b"And ag", words, example.environment)
        self.assertEqual(second, b"And ag", "each piece is seen when it comes")
        self.assertEqual([path for path, _ in self.issuer.asked].count("/oauth/token"), 1)
        kept = json.loads((self.user.path / "first-answer.json").read_text())
        self.assertEqual(len(kept["threads"]), 2)

    def test_chat_signs_in_with_a_browser(self):
        server = ModelServer(self, {"text": "Hello."})
        chat = self.example("ExampleChat", server, **self.variables, CODEXKIT_SIGN_IN="browser", PATH="/nowhere")
        process = subprocess.Popen(
            chat.command(), env=chat.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdin.write("Hi\n")
        process.stdin.flush()
        address = next(line for line in process.stderr if line.startswith("http"))
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
        self.assertEqual(query["redirect_uri"], ["http://localhost:1455/auth/callback"])
        back = f"http://127.0.0.1:1455/auth/callback?code=c&state={urllib.parse.quote(query['state'][0])}"
        self.assertIn(b"You are signed in", urllib.request.urlopen(back, timeout=10).read())
        out, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        self.assertIn("Signed in as Ada.\n", out)
        self.assertIn("> Hello.\n", out)
