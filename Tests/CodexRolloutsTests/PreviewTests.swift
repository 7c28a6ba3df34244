import Testing

@testable import CodexRollouts

struct PreviewTests {
    @Test(
        arguments: [
            ("Fix the build", "Fix the build"), ("  \n\n  two\nthree", "two"), ("a\tb\u{1b}[31mc", "ab[31mc"), ("x\u{202e}y", "xy"),
            ("<div> is broken", "<div> is broken"), ("< 5 items", "< 5 items"),
            ("# Context from my IDE setup:\n\n## Open tabs:\n- a.swift\n\n## My request for Codex:\nRename it\n", "Rename it"),
        ])
    func takesTheFirstLine(text: String, line: String) { #expect(Preview.line(of: text) == line) }

    @Test(
        arguments: [
            "", " \n ", "<environment_context>\n <cwd>x</cwd>", "<user_instructions>\nx", "<permissions instructions>\nx", "<user_action>\n x",
            "<turn_aborted>\nThe user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>", "<INSTRUCTIONS>", "<skill>\n",
            "# Context from my IDE setup:\n",
        ])
    func skipsWhatTheCLIPutThere(text: String) { #expect(Preview.line(of: text) == nil) }

    @Test func cutsByCharacters() {
        #expect(Preview.line(of: String(repeating: "👩‍👩‍👧", count: 100))?.count == 80)
        #expect(Preview.line(of: String(repeating: "é", count: 80)) == String(repeating: "é", count: 80))
        #expect((Preview.line(of: "e" + String(repeating: "\u{301}", count: 100_000))?.unicodeScalars.count ?? 0) <= 640)
    }
}

struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00.001Z", 1), ("2026-11-30T03:47:25.929Z", 1_796_010_445_929), ("2026-11-30T03:47:25Z", 1_796_010_445_000),
            ("2026-11-30T05:47:25.92999999+02:00", 1_796_010_445_929), ("2026-11-29 23:47:25.9-04:00", 1_796_010_445_900),
            ("2024-02-29T12:00:00Z", 1_709_208_000_000), ("2000-03-01t00:00:00z", 951_868_800_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ] as [(String, Int64)])
    func readsTimes(text: String, milliseconds: Int64) { #expect(Timestamp.parse(text.utf8)?.value == milliseconds) }

    @Test(
        arguments: [
            "", "2026", "2026-11-30", "2026-13-30T03:47:25Z", "2026-00-30T03:47:25Z", "2026-11-32T03:47:25Z", "2026-11-30T24:47:25Z",
            "2026-11-30T03:60:25Z",
            "2026-11-30T03:47:61Z", "2026-11-30T03:47:25", "2026-11-30T03:47:25ZZ", "2026-11-30T03:47:25+0200", "2026-11-30T03:47:25+24:00",
            "1969-12-31T23:59:59Z",
            "२०२६-11-30T03:47:25Z", "1796010445",
        ])
    func refusesOthers(text: String) { #expect(Timestamp.parse(text.utf8) == nil) }
}

struct RolloutNameTests {
    @Test func readsNames() throws {
        let name = try #require(RolloutName("rollout-2026-11-30T03-47-25-01A22A90-8bf2-7d20-8ef6-6f8b6d7aeffd.jsonl"))
        #expect(name.identity.uuid == "01a22a90-8bf2-7d20-8ef6-6f8b6d7aeffd")
        #expect(!name.isCompressed)
        #expect(RolloutName("rollout-2026-11-30T03-47-25-01a22a90-8bf2-7d20-8ef6-6f8b6d7aeffd.jsonl.zst")?.isCompressed == true)
    }

    @Test(
        arguments: [
            "", "rollout-", "rollout-.jsonl", "x-2026-11-30T03-47-25-01a22a90-8bf2-7d20-8ef6-6f8b6d7aeffd.jsonl",
            "rollout-01a22a90-8bf2-7d20-8ef6-6f8b6d7aeffdx.jsonl",
            "rollout-2026-11-30T03-47-25-01a22a90-8bf2-7d20-8ef6-6f8b6d7aeffd.jsonl.tmp",
            "rollout-2026-11-30T03-47-25x01a22a90-8bf2-7d20-8ef6-6f8b6d7aeffd.jsonl",
            "rollout-2026-11-30T03-47-25-01a22a90-8bf2-7d20-8ef6-6f8b6d7aeffd.json",
            "rollout-2026-11-30T03-47-25-é1a22a90-8bf2-7d20-8ef6-6f8b6d7aeffd.jsonl",
        ])
    func refusesOthers(name: String) { #expect(RolloutName(name) == nil) }
}
