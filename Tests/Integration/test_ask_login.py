"""Signing in for the node's own agents: with a code, with the browser, with the session of the Codex CLI; where the session lies; signing out."""

import json
import re
import signal
import subprocess
import urllib.parse
import urllib.request

from account_backend import AccountBackend
from ask_case import AskTest, wait_until
from terminal import Terminal

CHALLENGE = (403, "<!DOCTYPE html><html><title>Just a moment...</title><script src='/cdn-cgi/challenge-platform/x.js'></script></html>", "text/html")
NOT_YET = (403, {"error": {"message": "pending"}}, None)


class DeviceCodeTests(AskTest):
    def test_the_code_the_page_and_a_picture_of_it(self):
        node = self.prepared(refusals=[NOT_YET] * 4)
        with Terminal(node.home, 90, 50, node.command("login"), node.environment) as terminal:
            screen = terminal.wait_for("AB12-CD34")
            self.assertIn(f"{self.service.url}/codex/device", screen)
            self.assertRegex(terminal.wait_for("Waiting for the sign-in"), r"the code works for 1[45]:\d\d")
            picture = terminal.picture(node.home.path / "code.png")
            read = subprocess.run(["zbarimg", "--quiet", "--raw", str(picture)], capture_output=True, text=True, timeout=20)
            self.assertEqual(read.stdout.strip(), f"{self.service.url}/codex/device")
            terminal.wait_for("Signed in as Ada.", 30)
        paths = [path for path, _ in self.service.asked]
        self.assertEqual(paths.count("/api/accounts/deviceauth/token"), 5)
        form = urllib.parse.parse_qs(self.service.asked[-1][1])
        self.assertEqual(form["code_verifier"], ["verifier-1"])
        self.assertEqual(form["redirect_uri"], [f"{self.service.url}/deviceauth/callback"])

    def test_whoami_and_logout(self):
        node = self.prepared()
        self.assertIn("decknode login", node.refusal("whoami"))
        result = node.run("whoami", "--json", code=1)
        self.assertEqual(result.json, {"signedIn": False})
        out = node.run("login")
        self.assertIn("Page  ", out.out)
        self.assertIn("only you can read", out.out, "it says what is lost without a keyring")
        self.assertNotIn("\x1b", out.out + out.err)
        who = node.json("whoami")
        self.assertEqual([who[key] for key in ("name", "email", "plan", "session", "place")], ["Ada", "ada@example.com", "plus", "own", "file"])
        shown = node.run("whoami")
        self.assertIn("ada@example.com", shown.out)
        everything = out.out + out.err + shown.out + json.dumps(who)
        for secret in self.service.secrets:
            self.assertNotIn(secret, everything)
        files = [path for path, data in node.home.everything().items() if any(secret.encode() in data for secret in self.service.secrets)]
        self.assertEqual(len(files), 1, files)
        self.assertEqual(files[0].stat().st_mode & 0o777, 0o600)
        self.assertIn("Signed out.", node.run("logout").out)
        self.assertFalse(files[0].exists())
        self.assertIn("Nobody was signed in.", node.run("logout").out)
        node.refusal("whoami")

    def test_refusals_are_told_and_leave_nothing_behind(self):
        cases = [
            ((400, {"error": {"code": "expired_token", "message": "The code has expired."}}, None), "The code has expired."),
            ((401, {"error": "access_denied"}, None), "access_denied"),
            (CHALLENGE, "checks for robots"),
            ((200, {"nonsense": True}, None), "incomplete"),
        ]
        for answer, words in cases:
            with self.subTest(words):
                node = self.prepared(refusals=[NOT_YET, answer])
                result = node.run("login", code=1)
                line = result.err.strip().splitlines()[-1]
                self.assertTrue(line.startswith("decknode: "), line)
                self.assertIn(words, line)
                self.assertNotIn("<html", result.err)
                node.refusal("whoami")

    def test_giving_up(self):
        node = self.prepared(refusals=[NOT_YET] * 100)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(node.command("login"), env=node.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            while "Code  AB12" not in process.stdout.readline():
                self.assertIsNone(process.poll())
            process.send_signal(number)
            _, err = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 130)
            self.assertIn("The sign-in was cancelled; nothing was changed.", err)
        node.refusal("whoami")

    def test_without_a_keyring_it_says_how_to_allow_a_file_before_anybody_signs_in(self):
        node = self.prepared(keyring=True)
        line = node.refusal("login")
        self.assertIn("decknode config set agents.sessionFile true", line)
        self.assertEqual(self.service.asked, [])
        self.assertIn("Nobody was signed in.", node.run("logout").out)
        for words in (("whoami",), ("ask", "Hello")):
            self.assertIn("decknode config set agents.sessionFile true", node.refusal(*words))

    def test_a_session_in_a_file_goes_although_files_are_not_allowed_any_more(self):
        node = self.prepared()
        node.run("login")
        node.run("config", "unset", "agents.sessionFile")
        self.assertIn("Signed out.", node.run("logout").out)
        for path, data in node.home.everything().items():
            self.assertFalse(any(secret.encode() in data for secret in self.service.secrets), path)

    def test_only_this_computer_is_asked_in_clear_text(self):
        node = self.node()
        for value in ("http://192.168.1.9:80", "http://example.com", "localhost"):
            node.run("config", "set", "agents.baseUrl", value, code=2)
        node.home.config.mkdir(parents=True, exist_ok=True)
        (node.home.config / "node.json").write_text('{"agents": {"issuer": "http://example.com"}}')
        self.assertIn("agents.issuer", node.refusal("login"))


class BrowserTests(AskTest):
    def test_the_browser_comes_back(self):
        node = self.prepared()
        process = subprocess.Popen(node.command("login", "--oauth"), env=node.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        address = re.search(r"http://\S+/oauth/authorize\S+", process.stdout.readline()).group()
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
        self.assertEqual(query["redirect_uri"], ["http://localhost:1455/auth/callback"])
        self.assertEqual(query["code_challenge_method"], ["S256"])
        back = "http://127.0.0.1:1455/auth/callback?" + urllib.parse.urlencode({"code": "code-1", "state": query["state"][0]})
        page = urllib.request.urlopen(back, timeout=20).read().decode()
        self.assertIn("signed in", page)
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("Signed in as Ada.", out)
        with self.assertRaises(OSError, msg="the listener lives only while somebody signs in"):
            urllib.request.urlopen("http://127.0.0.1:1455/", timeout=5)

    def test_the_two_ways_exclude_each_other(self):
        self.prepared().run("login", "--oauth", "--use-codex-session", code=2)


class CodexSessionTests(AskTest):
    def test_the_session_of_the_cli_is_used_and_never_written(self):
        node = self.prepared({"text": "Hello from the CLI's account."})
        line = node.refusal("login", "--use-codex-session")
        self.assertIn("codex login", line)
        account = AccountBackend()
        self.addCleanup(account.close)
        node.home.codex.mkdir()
        account.sign_in(node.home.codex)
        before = (node.home.codex / "auth.json").read_bytes()
        self.assertIn("somebody@example.org", node.run("login", "--use-codex-session").out)
        self.assertEqual(node.json("config", "get", "agents.session")["value"], "codex")
        who = node.json("whoami")
        self.assertEqual((who["email"], who["session"]), ("somebody@example.org", "codex"))
        self.assertIn("Hello from the CLI", node.run("ask", "Hello").out)
        self.assertEqual((node.home.codex / "auth.json").read_bytes(), before)
        token = json.loads(before)["tokens"]["access_token"].encode()
        holders = [path for path, data in node.home.everything().items() if token in data]
        self.assertEqual(holders, [node.home.codex / "auth.json"])
        self.assertEqual(self.service.asked, [], "nobody renews it")
        self.assertIn("keeps its session", node.run("logout").out)
        self.assertEqual((node.home.codex / "auth.json").read_bytes(), before)
        self.assertIn("decknode login", node.refusal("ask", "Hello"))


class KeyringTests(AskTest):
    """The Secret Service: a real gnome-keyring on a bus of its own."""

    def bus(self, home):
        folder = home.path / "bus"
        folder.mkdir(mode=0o700)
        (folder / "bus.conf").write_text(
            f"<busconfig><type>session</type><listen>unix:path={folder}/bus</listen><policy context='default'>"
            "<allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/><allow own='*'/></policy></busconfig>")
        environment = {**home.environment, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus", "XDG_DATA_HOME": str(folder), "LC_ALL": "C"}
        self.spawn(["dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork"], environment, folder / "bus.log")
        wait_until((folder / "bus").exists, "the bus to be there")
        keyring = subprocess.Popen(["gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock"], env=environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (keyring.kill(), keyring.wait()))
        keyring.stdin.write(b"\n")
        keyring.stdin.close()
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "20", "org.freedesktop.secrets"], env=environment, check=True, timeout=30)
        return environment["DBUS_SESSION_BUS_ADDRESS"]

    def test_nobody_is_signed_out_of_a_locked_keyring(self):
        node = self.prepared(keyring=True)
        node.environment["DBUS_SESSION_BUS_ADDRESS"] = address = self.bus(node.home)
        node.run("login")
        subprocess.run(["gdbus", "call", "--session", "--timeout", "10", "--dest", "org.freedesktop.secrets", "--object-path",
                        "/org/freedesktop/secrets", "--method", "org.freedesktop.Secret.Service.Lock",
                        "['/org/freedesktop/secrets/collection/login']"], env={**node.environment, "DBUS_SESSION_BUS_ADDRESS": address},
                       check=True, timeout=30, stdout=subprocess.DEVNULL)
        for words in (("logout",), ("whoami",), ("login",)):
            self.assertIn("locked", node.refusal(*words))

    def test_the_session_lies_in_the_keyring_and_a_running_node_uses_it_at_once(self):
        node = self.prepared({"text": "Now I may."}, keyring=True)
        node.environment["DBUS_SESSION_BUS_ADDRESS"] = self.bus(node.home)
        node.start()
        self.assertIn("decknode login", node.refusal("ask", "Hello"))
        self.assertIn("in your keyring", node.run("login").out)
        self.assertEqual(node.json("whoami")["place"], "keyring")
        self.assertIn("Now I may.", node.run("ask", "Hello").out)
        for path, data in node.home.everything().items():
            if "bus" not in path.parts:
                self.assertFalse(any(secret.encode() in data for secret in self.service.secrets), path)
        node.run("logout")
        self.assertIn("decknode login", node.refusal("ask", "Hello"))
        node.run("login")
        node.run("ask", "Hello")
