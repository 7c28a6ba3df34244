"""Limits and reset credits: from the headers of answers, and from an account."""

from account_backend import AccountBackend
from app_server_case import AppServerTest
from deck import wait_until

HEADERS = {"x-codex-primary-used-percent": "37.5", "x-codex-primary-window-minutes": "300", "x-codex-primary-reset-at": "4000000000",
           "x-codex-secondary-used-percent": "12", "x-codex-secondary-window-minutes": "10080", "x-codex-secondary-reset-at": "4000500000"}


class LimitTests(AppServerTest):
    def windows(self, screen, holds=bool):
        """Waits for limits that fulfil `holds`; returns what each window has used."""
        def used(snapshot):
            return {window["kind"]: window["usedPercent"] for window in (snapshot.get("usage") or {}).get("windows", [])}
        return used(screen.see(lambda snapshot: holds(used(snapshot)), "limits"))

    def test_headers_of_an_answer(self):
        codex, rpc, node, screen = self.trio()
        self.assertEqual(self.windows(screen, lambda windows: True), {}, "nothing is known, and that is not nothing used")
        codex.model.script({"match": "with limits", "text": "Yes.", "headers": HEADERS})
        thread = rpc.work(codex.folder, "with limits")
        windows = self.windows(screen)
        self.assertIn(windows.pop("five-hour"), (37.5, 38))
        self.assertEqual(windows, {"weekly": 12})
        # An answer without headers says nothing, and so clears nothing.
        rpc.turn(thread, "without limits")
        self.assertEqual(rpc.finish(thread), "completed")
        rpc.next("account/rateLimits/updated")
        self.assertIsNone(rpc.next("account/rateLimits/updated")["rateLimits"]["primary"])
        screen.slot(thread, "complete")
        self.assertEqual(len(self.windows(screen)), 2)
        codex.model.script({"match": "once more", "text": "Yes.", "headers": {**HEADERS, "x-codex-primary-used-percent": "61"}})
        rpc.turn(thread, "once more")
        self.windows(screen, lambda windows: windows.get("five-hour") == 61)

    def test_another_limit_leaks_into_no_window(self):
        codex, rpc, node, screen = self.trio()
        other = {"x-codex-active-limit": "codex_other", "x-codex-other-primary-used-percent": "99", "x-codex-other-primary-window-minutes": "300",
                 "x-codex-other-primary-reset-at": "4000000000"}
        codex.model.script({"match": "with limits", "text": "Yes.", "headers": HEADERS}, {"match": "other limit", "text": "Yes.", "headers": other})
        thread = rpc.work(codex.folder, "with limits")
        self.windows(screen)
        rpc.turn(thread, "other limit")
        rpc.finish(thread)
        screen.slot(thread, "complete")
        self.assertIn(self.windows(screen)["five-hour"], (37.5, 38))

    def test_a_limit_that_is_reached(self):
        codex, rpc, node, screen = self.trio()
        error = {"error": {"type": "usage_limit_reached", "message": "limit"}}
        codex.model.script({"match": "too much", "status": 429, "body": error, "repeat": True})
        thread = rpc.start(codex.folder)
        rpc.turn(thread, "too much")
        self.assertEqual(rpc.finish(thread), "failed")
        screen.slot(thread, "error")
        screen.open(thread)
        screen.slot(thread, "idle")

    def test_without_an_account(self):
        codex, rpc, node, screen = self.trio()
        self.assertNotIn("rate-limit-reset", screen.capabilities)
        self.assertIn("credit", screen.sentence(kind="rate-limit-reset"))


class AccountTests(AppServerTest):
    def signed_in(self, credits):
        backend = AccountBackend(credits=credits)
        self.addCleanup(backend.close)
        codex = self.codex(serve=False, more=backend.configuration)
        backend.sign_in(codex.home.codex)
        codex.serve()
        node = self.node_beside(codex)
        return backend, codex, node

    def credits(self, screen, number):
        """Waits until a snapshot tells of so many credits, and returns its limits."""
        return screen.see(lambda snapshot: (snapshot.get("usage") or {}).get("resetCreditsAvailable") == number, f"{number} credits")["usage"]

    def capability(self, node, wanted):
        wait_until(lambda: ("rate-limit-reset" in node.status()["capabilities"]) == wanted, f"the capability to be {wanted}")

    def test_a_press_uses_one_credit(self):
        backend, codex, node = self.signed_in(credits=2)
        self.capability(node, True)
        screen = self.screen(node)
        self.assertIn("rate-limit-reset", screen.capabilities)
        usage = self.credits(screen, 2)
        self.assertEqual({window["kind"]: window["usedPercent"] for window in usage["windows"]}, {"five-hour": 37, "weekly": 12})
        self.assertTrue(screen.ask(kind="rate-limit-reset")["ok"])
        self.assertEqual(list(backend.consumed.values()), [1])
        usage = self.credits(screen, 1)
        self.assertEqual([window["usedPercent"] for window in usage["windows"] if window["kind"] == "five-hour"], [0])
        self.assertTrue(screen.ask(kind="rate-limit-reset")["ok"])
        self.assertEqual(list(backend.consumed.values()), [1, 1], "each press has a key of its own, which is used once")
        self.credits(screen, 0)
        self.capability(node, False)
        self.assertIn("credit", screen.sentence(kind="rate-limit-reset"))
        self.assertEqual(len(backend.consumed), 2)

    def test_two_screens_press_together(self):
        backend, codex, node = self.signed_in(credits=1)
        self.capability(node, True)
        screens = [self.screen(node, name) for name in ("one", "two")]
        self.credits(screens[0], 1)
        requests = [(screen, screen.send(kind="rate-limit-reset")) for screen in screens]
        results = [screen.result(request)["ok"] for screen, request in requests]
        self.assertEqual(sorted(results), [False, True])
        self.assertEqual(backend.credits, 0)

    def test_a_credit_that_resets_nothing(self):
        backend, codex, node = self.signed_in(credits=1)
        backend.outcome = "nothing_to_reset"
        self.capability(node, True)
        screen = self.screen(node)
        self.credits(screen, 1)
        self.assertNotEqual(screen.sentence(kind="rate-limit-reset"), "")
        self.assertEqual(list(backend.consumed.values()), [1])

    def test_an_account_without_credits(self):
        backend, codex, node = self.signed_in(credits=0)
        screen = self.screen(node)
        screen.see(lambda snapshot: (snapshot.get("usage") or {}).get("windows"), "limits")
        self.assertNotIn("rate-limit-reset", node.status()["capabilities"])
        self.assertIn("credit", screen.sentence(kind="rate-limit-reset"))
        self.assertEqual(backend.consumed, {})
