"""Prompts of other kinds than a command's: what each of the two keys answers to them."""

from app_server_case import AppServerTest, NOTHING_WAITS, QUESTION


class PermissionTests(AppServerTest):
    def ask_for_network(self, codex, rpc, screen):
        codex.model.script({"match": "fetch it", "call": {"name": "request_permissions", "arguments": {
            "reason": "to fetch", "permissions": {"network": {"enabled": True}}}}}, {"match": "fetch it", "text": "So be it."})
        thread = rpc.start(codex.folder, config={"features.request_permissions_tool": True})
        rpc.turn(thread, "fetch it")
        screen.open(thread, "awaiting-approval")
        return thread

    def test_approve_grants_what_was_asked_for(self):
        codex, rpc, node, screen = self.trio()
        thread = self.ask_for_network(codex, rpc, screen)
        screen.key("APPR")
        self.assertEqual(rpc.finish(thread), "completed")
        output, = self.outputs(codex, "fetch it")
        self.assertIn('\\"network\\":{\\"enabled\\":true}', output)

    def test_reject_grants_nothing(self):
        codex, rpc, node, screen = self.trio()
        thread = self.ask_for_network(codex, rpc, screen)
        screen.key("REJ")
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertNotIn("true", self.outputs(codex, "fetch it")[0])
        self.assertEqual(screen.refused("APPR"), NOTHING_WAITS)


class QuestionTests(AppServerTest):
    def put(self, codex, rpc, *questions):
        """A thread that asks questions, in the mode in which it may."""
        call = {"name": "request_user_input", "arguments": {"questions": list(questions)}}
        codex.model.script({"match": "ask me", "call": call}, {"match": "ask me", "text": "Thank you."})
        thread = rpc.start(codex.folder)
        rpc.turn(thread, "ask me", collaborationMode={"mode": "plan", "settings": {"model": "gpt-5.4", "reasoning_effort": "medium"}})
        return thread

    def test_each_question_gets_its_first_option(self):
        codex, rpc, node, screen = self.trio()
        colour, = QUESTION["arguments"]["questions"]
        size = {"id": "q_size", "header": "Size", "question": "Which size?",
                "options": [{"label": "Large", "description": "much"}, {"label": "Small", "description": "little"}]}
        thread = self.put(codex, rpc, colour, size)
        screen.open(thread, "awaiting-response")
        screen.press(kind="encoder")
        self.assertEqual(rpc.finish(thread), "completed")
        output, = self.outputs(codex, "ask me")
        self.assertIn("Blue", output)
        self.assertIn("Large", output)

    def test_approving_answers_no_question(self):
        codex, rpc, node, screen = self.trio()
        thread = self.asking(codex, rpc)
        screen.open(thread, "awaiting-response")
        for keycap in ("APPR", "REJ"):
            self.assertEqual(screen.refused(keycap), NOTHING_WAITS, keycap)
        self.assertEqual(rpc.status(thread)["activeFlags"], ["waitingOnUserInput"])
        request = rpc.asked("item/tool/requestUserInput")
        rpc.answer(request, answers={"q_colour": {"answers": ["Red"]}})
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertIn("Red", self.outputs(codex, "ask me")[0])

    def test_a_click_approves_nothing(self):
        codex, rpc, node, screen = self.trio()
        thread, made = self.waiting_on(screen, codex, rpc)
        screen.sentence(kind="encoder", act=1)
        self.assertEqual(rpc.status(thread)["activeFlags"], ["waitingOnApproval"])
        self.assertFalse(made.exists())

    def test_two_screens_click_together(self):
        codex, rpc, node, screen = self.trio()
        other = self.screen(node, "other")
        thread = self.asking(codex, rpc)
        screen.open(thread, "awaiting-response")
        other.open(thread)
        requests = [(each, each.send(kind="encoder", act=1)) for each in (screen, other)]
        results = [each.result(request)["ok"] for each, request in requests]
        self.assertEqual(sorted(results), [False, True])
        self.assertEqual(rpc.finish(thread), "completed")
        self.assertEqual(len(self.outputs(codex, "ask me")), 1)
