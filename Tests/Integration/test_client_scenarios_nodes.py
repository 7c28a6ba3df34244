"""Computers that are not who they were, or that are there twice: reinstalled, with a new certificate, and over several routes."""

from deck import wait_for
from scenario_case import ScenarioTest, Task


class NodeScenarios(ScenarioTest):
    def profiles(self):
        """The nodes in words, in the order of pairing."""
        nodes, lines = self.viewer.json("nodes"), []
        names = {node["id"]: node["name"] for node in nodes}
        for node in nodes:
            state = node["health"] + (f", {node['reason']}" if "reason" in node else "")
            if "duplicateOf" in node:
                state = f"duplicate of {names[node['duplicateOf']]}"
            lines.append(f"{node['name']} ({node['mode']}): {state}")
        return lines

    def expect_profiles(self, *lines):
        wait_for(self.profiles, lambda profiles: profiles == list(lines), f"the nodes\n{list(lines)}")

    def replaced(self, node, **options):
        """Another computer takes the place of one at its address; the old one is gone."""
        node.drop_clients()
        node.stop()
        new = self.computer(node.name, node.port, platform=node.platform, os=node.os, **options)
        new.born = node.born
        new.show(*node.tasks)
        return new

    def test_a_reinstalled_computer(self):
        one, two, three = self.usual(beta="approval")
        new = self.replaced(two).start()
        self.expect_profiles("One (nearby): ready", "Two (nearby): re-pair required, certificate changed", "Three (nearby): ready")
        self.assertEqual(new.connections, 0, "it never came to a word")
        self.expect_board("Alpha: working on One", "Gamma: idle on Three", "Beta: approval on Two, offline")
        self.assertEqual(self.outcome("open", "Beta"), "offline-host")
        # It is another computer now, whose first look is no news; its task is the one that was known, and newer there.
        new.show(Task("Beta", "approval", age=15))
        self.nodes = [one, new, three]
        self.pair(new)
        self.heard(new)
        self.expect_profiles("One (nearby): ready", "Two (nearby): re-pair required, certificate changed", "Three (nearby): ready",
                             "Two 2 (nearby): ready")
        self.expect_board("Beta: approval on Two, also on Two", "Alpha: working on One", "Gamma: idle on Three")
        self.assertEqual(self.outcome("open", "Beta"), "state-confirmed")
        self.expect_sent(new, "agent press slot 0 Beta", "agent release slot 0 Beta")
        self.viewer.run("remove", "Two", "--yes")
        self.expect_profiles("One (nearby): ready", "Three (nearby): ready", "Two 2 (nearby): ready")
        self.expect_board("Beta: approval on Two, selected, active", "Alpha: working on One", "Gamma: idle on Three")
        new.show(Task("Beta", "complete", age=1, revision=1))
        self.expect_events("completion Beta on Two")
        self.expect_notifications("normal: Beta | It is complete · W Two")
        self.expect_receipts("open Beta on Two: offline-host", "open Beta on Two: state-confirmed")

    def test_another_computer_with_the_same_certificate(self):
        """As when a disk was copied: the certificate fits, the id does not."""
        one, two, three = self.usual(beta="approval")
        new = self.replaced(two)
        new.pem, new.fingerprint, new.token = two.pem, two.fingerprint, two.token
        new.show(Task("Intruder", "approval", age=1))
        new.start()
        self.expect_profiles("One (nearby): ready", "Two (nearby): re-pair required, another computer answers at this address",
                             "Three (nearby): ready")
        self.expect_board("Alpha: working on One", "Gamma: idle on Three", "Beta: approval on Two, offline")
        self.assertEqual(self.outcome("approve", "Beta"), "offline-host")
        self.assertEqual(new.commands, [])
        one.show(Task("Alpha", "error", age=1))
        self.expect_events("error Alpha on One")
        self.expect_board("Alpha: error on One", "Gamma: idle on Three", "Beta: approval on Two, offline")
        self.expect_notifications("normal: Alpha | It stopped with an error · M One")
        self.expect_receipts("approve Beta on Two: offline-host")

    def test_a_new_certificate(self):
        one, two, three = self.usual(beta="approval")
        two.show(Task("Beta", "working", age=19), Task("Delta", "approval", age=9))
        self.expect_events("approval Delta on Two")
        before = [node["id"] for node in self.viewer.json("nodes")]
        snapshots = self.viewer.home.path / "cache" / "codex-deck" / "snapshots"
        wait_for(lambda: [path for path in snapshots.glob("*") if b"Delta" in path.read_bytes()], bool, "the last state to be kept")
        new = self.replaced(two, host=two.host).start()
        self.expect_profiles("One (nearby): ready", "Two (nearby): re-pair required, certificate changed", "Three (nearby): ready")
        self.assertEqual(new.connections, 0)
        new.show(Task("Beta", "complete", age=4, revision=3), Task("Delta", "approval", age=9))
        self.nodes = [one, new, three]
        self.pair(new)
        self.heard(new)
        self.expect_profiles("One (nearby): ready", "Two (nearby): ready", "Three (nearby): ready")
        self.assertEqual([node["id"] for node in self.viewer.json("nodes")], before, "the same computer in the same place")
        self.expect_board("Delta: approval on Two", "Beta: complete on Two", "Alpha: working on One", "Gamma: idle on Three")
        # It is no first look: what changed meanwhile is told, and what was told is not.
        new.show(Task("Beta", "complete", age=4, revision=3), Task("Delta", "approval", age=9), Task("Zeta", "error", age=1))
        self.expect_events("approval Delta on Two", "completion Beta on Two", "error Zeta on Two")
        self.assertEqual(self.outcome("open", "Delta"), "state-confirmed")
        self.expect_sent(new, "agent press slot 1 Delta", "agent release slot 1 Delta")
        self.expect_notifications("critical: Delta | It waits for approval · W Two", "normal: Beta | It is complete · W Two",
                                  "normal: Zeta | It stopped with an error · W Two")
        self.expect_receipts("open Delta on Two: state-confirmed")

    def test_a_token_that_counts_no_more(self):
        one, two, three = self.usual(beta="approval")
        three.token = "another-token-of-thirty-two-bytes-or-more-000"
        three.drop_clients()
        self.expect_profiles("One (nearby): ready", "Two (nearby): ready",
                             "Three (nearby): re-pair required, the computer does not accept the token")
        tries = three.connections
        self.expect_board("Beta: approval on Two", "Alpha: working on One", "Gamma: idle on Three, offline")
        self.pair(three)
        self.heard(three)
        self.assertEqual(three.connections, tries + 2, "by the command that pairs and by the engine, and not with the old one again")
        self.expect_board("Beta: approval on Two", "Alpha: working on One", "Gamma: idle on Three")
        three.show(Task("Gamma", "error", age=1))
        self.expect_events("error Gamma on Three")
        self.expect_board("Beta: approval on Two", "Gamma: error on Three", "Alpha: working on One")
        self.expect_notifications("normal: Gamma | It stopped with an error · L Three")
        self.expect_receipts()

    def test_one_computer_over_three_profiles(self):
        one, two, three = self.usual(beta="approval")
        for name, port in (("Tunnel", 47_801), ("Second tunnel", 47_802)):
            one.listen_plain("127.0.0.1", port)
            self.viewer.run("add", name, f"ws://127.0.0.1:{port}", stdin=one.token + "\n")
            self.expect_profiles("One (nearby): ready", "Two (nearby): ready", "Three (nearby): ready", "Tunnel (remote): ready",
                                 *(["Second tunnel (remote): duplicate of Tunnel"] if name != "Tunnel" else []))
        usual = ("Beta: approval on Two", "Alpha: working on One", "Gamma: idle on Three")
        self.expect_board(*usual)

        def route():
            computer, = [computer for computer in self.state()["computers"] if computer["name"] == "One"]
            return computer["route"] if computer["live"] else "none"
        self.assertEqual(route(), "nearby")
        one.show(Task("Alpha", "approval", age=8))
        self.expect_events("approval Alpha on One")
        self.assertEqual(self.outcome("open", "Alpha"), "state-confirmed")
        # The other route takes over, and hands back: no loss, no news, each press once.
        one.stop_nearby()
        wait_for(route, lambda value: value == "remote", "the other route")
        self.expect_board("Alpha: approval on One, selected, active", "Beta: approval on Two", "Gamma: idle on Three")
        self.assertEqual(self.outcome("approve", "Alpha"), "executed")
        one.show(Task("Alpha", "complete", age=2, revision=1), active="Alpha")
        self.expect_events("approval Alpha on One, read, over", "completion Alpha on One")
        one.start_nearby()
        wait_for(route, lambda value: value == "nearby", "the return")
        one.show(Task("Alpha", "complete", age=2, revision=1), Task("Zeta", "error", age=1), active="Alpha")
        self.expect_events("approval Alpha on One, read, over", "completion Alpha on One", "error Zeta on One")
        press = ["agent press slot 0 Alpha", "agent release slot 0 Alpha"]
        self.expect_sent(one, *press, *press, "APPR Alpha")
        # Without the first tunnel the second one is needed.
        self.viewer.run("remove", "Tunnel", "--yes")
        self.expect_profiles("One (nearby): ready", "Two (nearby): ready", "Three (nearby): ready", "Second tunnel (remote): ready")
        self.expect_notifications("critical: Alpha | It waits for approval · M One", "normal: Alpha | It is complete · M One",
                                  "normal: Zeta | It stopped with an error · M One")
        self.expect_receipts("open Alpha on One: state-confirmed", "approve Alpha on One: executed")

    def test_a_new_certificate_right_after_the_first_look(self):
        """Paired again before the last state was written (2 s): still no first look."""
        one, two, three = self.usual()
        new = self.replaced(two, host=two.host).start()
        self.expect_profiles("One (nearby): ready", "Two (nearby): re-pair required, certificate changed", "Three (nearby): ready")
        new.show(Task("Beta", "complete", age=4, revision=3))
        self.nodes = [one, new, three]
        self.pair(new)
        self.heard(new)
        new.show(Task("Beta", "complete", age=4, revision=3), Task("Zeta", "error", age=1))
        self.expect_events("completion Beta on Two", "error Zeta on Two")
        self.expect_board("Zeta: error on Two", "Beta: complete on Two", "Alpha: working on One", "Gamma: idle on Three")
        self.expect_notifications("normal: Beta | It is complete · W Two", "normal: Zeta | It stopped with an error · W Two")
        self.expect_receipts()

    def without_the_first_tunnel(self):
        one, two, three = self.usual()
        for name, port in (("Tunnel", 47_801), ("Second tunnel", 47_802)):
            one.listen_plain("127.0.0.1", port)
            self.viewer.run("add", name, f"ws://127.0.0.1:{port}", stdin=one.token + "\n")
            self.expect_profiles("One (nearby): ready", "Two (nearby): ready", "Three (nearby): ready", "Tunnel (remote): ready",
                                 *(["Second tunnel (remote): duplicate of Tunnel"] if name != "Tunnel" else []))
        one.stop_plain(47_801)
        one.stop_nearby()
        self.addCleanup(one.start_nearby)
        return one, two, three

    def test_the_live_duplicate_is_the_one_that_is_kept(self):
        one, two, three = self.without_the_first_tunnel()
        kept = ["Tunnel (remote): duplicate of Second tunnel", "Second tunnel (remote): ready"]
        wait_for(self.profiles, lambda lines: lines[3:] == kept, "the duplicate to be the other one")
        self.taken_over(one)
        # The first tunnel is there again, and is not needed: it stays the duplicate, also in the next run.
        one.listen_plain("127.0.0.1", 47_801)
        self.kill_engine()
        self.launch(*self.nodes)
        wait_for(self.profiles, lambda lines: lines[3:] == kept, "the duplicate to stay the other one")

    def taken_over(self, one):
        """What happens at One is told over the second tunnel, once, and its tasks are commanded through it."""
        one.show(Task("Alpha", "approval", age=2))
        self.expect_board("Alpha: approval on One", "Beta: idle on Two", "Gamma: idle on Three")
        self.expect_events("approval Alpha on One")
        self.assertEqual(self.outcome("approve", "Alpha"), "executed")
        self.expect_sent(one, "agent press slot 0 Alpha", "agent release slot 0 Alpha", "APPR Alpha")
        self.expect_events("approval Alpha on One, read, over")
        self.expect_notifications("critical: Alpha | It waits for approval · M One")
        self.expect_receipts("approve Alpha on One: executed")

    def test_a_duplicate_is_dialled_when_the_kept_one_does_not_answer(self):
        one, two, three = self.without_the_first_tunnel()
        self.kill_engine()
        self.launch(two, three)
        wait_for(self.state, lambda state: [c["route"] for c in state["computers"] if c["name"] == "One" and c["live"]] == ["remote"], "a route")
        self.taken_over(one)
