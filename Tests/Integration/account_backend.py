"""A local stand-in for the account service of the Codex CLI: limits, reset credits, and an account file that leads there.

No account exists: the token is made here, is signed by nobody and is good for nothing else. The daemon asks the paths below
`/backend-api`, and this counts what it asked.
"""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ACCOUNT = "test-account"


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def token():
    """A JSON web token without a signature."""
    person = {"chatgpt_plan_type": "plus", "chatgpt_account_id": ACCOUNT, "chatgpt_user_id": "user", "user_id": "user"}
    claims = {"exp": 4_000_000_000, "iat": int(time.time()), "sub": "user", "email": "somebody@example.org", "https://api.openai.com/auth": person}
    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims)}.{base64.urlsafe_b64encode(b'signature').rstrip(b'=').decode()}"


def timestamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class AccountBackend:
    """The service. `credits` is how many reset credits are left; `outcome`, when set, is what every consumption answers instead."""

    def __init__(self, credits=2, primary=37, secondary=12):
        self.credits, self.outcome, self.lock = credits, None, threading.Lock()
        self.used = {"primary": primary, "secondary": secondary}
        self.reset_at = int(time.time()) + 3_600
        self.consumed, self.asked = {}, []
        handler = type("BackendHandler", (Handler,), {"backend": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def configuration(self):
        """The line of config.toml that leads here."""
        return f'chatgpt_base_url = "http://127.0.0.1:{self.server.server_address[1]}/backend-api"'

    def sign_in(self, codex_home):
        """Writes the account file of a `CODEX_HOME`."""
        value = {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "last_refresh": timestamp(time.time()),
                 "tokens": {"id_token": token(), "access_token": token(), "refresh_token": "none", "account_id": ACCOUNT}}
        path = codex_home / "auth.json"
        path.write_text(json.dumps(value))
        path.chmod(0o600)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)

    # The answers

    def window(self, name, minutes):
        return {"used_percent": self.used[name], "limit_window_seconds": minutes * 60,
                "reset_after_seconds": self.reset_at - int(time.time()), "reset_at": self.reset_at}

    def usage(self):
        return {"plan_type": "plus", "credits": None, "rate_limit_reset_credits": {"available_count": self.credits},
                "rate_limit": {"allowed": True, "limit_reached": False, "primary_window": self.window("primary", 300),
                               "secondary_window": self.window("secondary", 10_080)}}

    def reset_credits(self):
        now = time.time()
        credits = [{"id": f"credit-{number}", "reset_type": "codex_rate_limits", "status": "available", "granted_at": timestamp(now - 60),
                    "expires_at": timestamp(now + 86_400), "title": "Reset", "description": "One reset"} for number in range(self.credits)]
        return {"credits": credits, "available_count": self.credits}

    def consume(self, key):
        """Takes one credit for each new key; the same key takes nothing again."""
        with self.lock:
            seen = key in self.consumed
            self.consumed[key] = self.consumed.get(key, 0) + 1
            if self.outcome or seen:
                return self.outcome or "already_redeemed"
            if not self.credits:
                return "no_credit"
            self.credits -= 1
            self.used = {"primary": 0, "secondary": self.used["secondary"]}
            return "reset"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    backend = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.backend.asked.append(self.path)
        if self.path.endswith("/wham/usage"):
            return self.answer(200, self.backend.usage())
        if self.path.endswith("/wham/rate-limit-reset-credits"):
            return self.answer(200, self.backend.reset_credits())
        return self.answer(404, {"detail": "Not found"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        self.backend.asked.append(self.path)
        if self.path.endswith("/wham/rate-limit-reset-credits/consume"):
            return self.answer(200, {"code": self.backend.consume(body["redeem_request_id"])})
        return self.answer(404, {"detail": "Not found"})

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
