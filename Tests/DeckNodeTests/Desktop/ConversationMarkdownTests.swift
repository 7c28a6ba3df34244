import JSON
import Testing

@testable import DeckNode

struct ConversationMarkdownTests {
    private func json(_ text: String) throws -> JSONValue { try JSONParserForTests.parse(text) }

    private func item(_ text: String) throws -> String? { ConversationItem.markdown(try json(text)) }

    private func document(_ turns: String, title: String = "A task", thread: String = "{}", limit: Int = ConversationMarkdown.maximumBytes) throws -> String {
        ConversationMarkdown(title: title, thread: try json(thread), turns: try json(turns).array ?? [], limit: limit).text
    }

    @Test func writesAConversationDown() throws {
        let text = try document(
            """
            [{"id":"t","status":"completed","startedAt":1796026705,"items":[
              {"type":"userMessage","id":"1","content":[{"type":"text","text":"List the files"},{"type":"localImage","path":"/x/a.png"}]},
              {"type":"reasoning","id":"2","summary":["**Looking**"],"content":[]},
              {"type":"commandExecution","id":"3","command":"ls","aggregatedOutput":"a\\nb\\n","exitCode":0,"durationMs":1250,"status":"completed"},
              {"type":"agentMessage","id":"4","text":"There are two."}]}]
            """, thread: #"{"createdAt":1796026700,"cwd":"/home/me/w","model":"gpt-5.4"}"#)
        #expect(
            text == """
                # A task

                Begun 2026-11-30 08:18 UTC, model gpt-5.4, in `/home/me/w`.

                ---

                *2026-11-30 08:18 UTC*

                ## You

                > List the files
                >
                > (the picture a.png)

                > *Thinking*
                >
                > **Looking**

                **Ran** (exit code 0, 1.2 s)

                ```sh
                ls
                ```

                ```text
                a
                b
                ```

                ## Codex

                There are two.

                """)
    }

    @Test(arguments: [
        (#"{"type":"fileChange","status":"completed","changes":[{"path":"a","kind":{"type":"add"},"diff":"x\n"},{"path":"d","kind":{"type":"update","move_path":null},"diff":"@@\n-a\n+b\n"},{"path":"b","kind":{"type":"update","move_path":"c"},"diff":""}]}"#,
            "**Added** `a`\n\n```\nx\n```\n\n**Changed** `d`\n\n```diff\n@@\n-a\n+b\n```\n\n**Changed** `b`, now `c`"),
        (#"{"type":"fileChange","status":"declined","changes":[{"path":"a","kind":{"type":"delete"},"diff":""}]}"#, "**Deleted** `a` (declined)"),
        (#"{"type":"commandExecution","command":"rm x","status":"declined"}"#, "**Ran** (declined)\n\n```sh\nrm x\n```"),
        (#"{"type":"commandExecution","command":"x","status":"inProgress","exitCode":null,"durationMs":null,"aggregatedOutput":null}"#, "**Ran** (still running)\n\n```sh\nx\n```"),
        (#"{"type":"commandExecution","command":"cat a","aggregatedOutput":"```\nx","status":"completed"}"#, "**Ran**\n\n```sh\ncat a\n```\n\n````text\n```\nx\n````"),
        (#"{"type":"commandExecution","command":"/bin/bash -lc \"printf 'a\\\\n\"'```'\"\\\\nb\\\\n'; exit 3\"","status":"failed"}"#, "**Ran** (failed)\n\n````sh\nprintf 'a\\n```\\nb\\n'; exit 3\n````"),
        (#"{"type":"commandExecution","command":"bash -c 'a' b","status":"completed"}"#, "**Ran**\n\n```sh\nbash -c 'a' b\n```"),
        (#"{"type":"commandExecution","command":"python -c 'a'","status":"completed"}"#, "**Ran**\n\n```sh\npython -c 'a'\n```"),
        (#"{"type":"mcpToolCall","server":"s","tool":"t","status":"failed","error":{"message":"no *way*"}}"#, "**Used the tool** `s.t` (failed): no \\*way\\*"),
        (#"{"type":"dynamicToolCall","tool":"t","status":"completed"}"#, "**Used the tool** `t`"),
        (#"{"type":"webSearch","query":"a`b"}"#, "**Searched the web** for ``a`b``"),
        (#"{"type":"enteredReviewMode","review":"current changes"}"#, "*A review began: current changes*"),
        (#"{"type":"exitedReviewMode","review":"Fine."}"#, "## Review\n\nFine."),
        (#"{"type":"plan","text":"1. a"}"#, "**Plan**\n\n1. a"),
        (#"{"type":"contextCompaction"}"#, "*The context was compacted.*"),
        (#"{"type":"imageView","path":"/secret/a.png"}"#, "*Looked at the picture `a.png`*"),
        (#"{"type":"agentMessage","text":"```\nopen"}"#, "## Codex\n\n```\nopen\n```"),
        (#"{"type":"somethingNew*"}"#, "*(somethingNew\\*)*"),
    ])
    func writesEachKindOfItem(text: String, markdown: String) throws { #expect(try item(text) == markdown) }

    /// As the app-server of 0.163 gives them, cut to one turn.
    @Test func readsWhatTheServerSends() throws {
        let text = try document(
            #"""
            [{"id":"01a22b9d-2893-7572-99e8-84964c97e92d","rootTurnId":"01a22b9d-2893-7572-99e8-84964c97e92d","items":[
              {"type":"userMessage","id":"1","clientId":null,"content":[{"type":"text","text":"Look and *write*","text_elements":[]}]},
              {"type":"commandExecution","id":"call_1","pluginId":null,"scriptPath":null,"command":"/bin/bash -lc 'make test'","cwd":"/w",
               "processId":"98861","source":"unifiedExecStartup","status":"failed","commandActions":[{"type":"unknown","command":"make test"}],
               "aggregatedOutput":"no rule\n","exitCode":2,"durationMs":0},
              {"type":"fileChange","id":"call_2","changes":[{"path":"/w/new.txt","kind":{"type":"add"},"diff":"hello\n"}],"status":"completed"},
              {"type":"agentMessage","id":"msg_1","text":"* done","phase":null,"memoryCitation":null,"delivery":null,"questions":null}],
             "itemsView":"full","status":"completed","error":null,"startedAt":1796028049,"completedAt":1796028049,"durationMs":301},
             {"id":"2","items":[{"type":"enteredReviewMode","id":"3","review":"current changes"},{"type":"exitedReviewMode","id":"4","review":"done"}],
              "itemsView":"full","status":"failed","startedAt":null,
              "error":{"message":"usage limit","codexErrorInfo":"usageLimitExceeded","additionalDetails":null,"misalignment":null}}]
            """#)
        #expect(
            text == """
                # A task

                ---

                *2026-11-30 08:40 UTC*

                ## You

                > Look and *write*

                **Ran** (failed, exit code 2)

                ```sh
                make test
                ```

                ```text
                no rule
                ```

                **Added** `/w/new.txt`

                ```
                hello
                ```

                ## Codex

                * done

                ---

                *A review began: current changes*

                ## Review

                done

                **The turn failed.** usage limit

                """)
    }

    @Test(arguments: [
        "{}", "[]", "null", "7", #"{"type":7}"#, #"{"type":"userMessage"}"#, #"{"type":"userMessage","content":[]}"#, #"{"type":"userMessage","content":[7,{"type":"x"}]}"#,
        #"{"type":"agentMessage"}"#, #"{"type":"agentMessage","text":" \n"}"#, #"{"type":"agentMessage","text":7}"#, #"{"type":"reasoning","summary":[]}"#,
        #"{"type":"reasoning","summary":[" ",7]}"#, #"{"type":"commandExecution"}"#, #"{"type":"fileChange","changes":[]}"#, #"{"type":"fileChange"}"#,
        #"{"type":"mcpToolCall"}"#, #"{"type":"webSearch"}"#, #"{"type":"hookPrompt"}"#, #"{"type":"sleep"}"#,
    ])
    func whatSaysNothingIsLeftOut(text: String) throws { #expect(try item(text) == nil) }

    @Test(arguments: [
        (#"{"status":"failed","error":{"message":"limit"},"items":[]}"#, "**The turn failed.** limit"), (#"{"status":"failed","items":[]}"#, "**The turn failed.**"),
        (#"{"status":"interrupted"}"#, "*The turn was interrupted.*"), (#"{"status":"inProgress","items":[]}"#, "*The turn is still running.*"),
    ])
    func tellsHowATurnEnded(turn: String, words: String) throws { #expect(try document("[\(turn)]") == "# A task\n\n---\n\n\(words)\n") }

    @Test(arguments: ["[]", "[{}]", "[7]", #"[{"status":"completed","items":[]}]"#])
    func withoutTurnsItSaysSo(turns: String) throws { #expect(try document(turns) == "# A task\n\n*This conversation has no turns yet.*\n") }

    @Test func aTitleIsOneLineAndMarksNothingUp() throws {
        #expect(try document("[]", title: "a\n# b\u{1b}[2J*").hasPrefix("# a \\# b\\[2J\\*\n"))
    }

    @Test func whatAPersonTypedCannotSpoilTheRest() throws {
        let text = try document(#"[{"items":[{"type":"userMessage","content":[{"type":"text","text":"```\nopen\n# h"}]},{"type":"agentMessage","text":"b"}]}]"#)
        #expect(text.contains("> ```\n> open\n> # h\n\n## Codex"))
    }

    @Test func aLongConversationKeepsItsEnd() throws {
        let turns = (1...400).map { #"{"items":[{"type":"agentMessage","text":"message \#($0) \#(String(repeating: "x", count: 100))"}]}"# }.joined(separator: ",")
        let whole = try document("[\(turns)]")
        #expect(whole.contains("message 1 ") && !whole.contains("left out"))
        let cut = try document("[\(turns)]", limit: 8_192)
        #expect(cut.utf8.count <= 8_192)
        #expect(cut.utf8.count > 7_000)
        #expect(cut.contains("is left out: it is too long"))
        #expect(cut.contains("message 400 ") && !cut.contains("message 1 "))
    }

    @Test(arguments: [1_024, 4_096, 1 << 20])
    func noDocumentIsLargerThanItsLimit(limit: Int) throws {
        let huge = String(repeating: "y", count: 600_000)
        let changes = Array(repeating: #"{"path":"p","kind":{"type":"add"},"diff":"\#(String(repeating: "+z\\n", count: 20_000))"}"#, count: 10).joined(separator: ",")
        let text = try document(
            #"[{"items":[{"type":"commandExecution","command":"\#(huge)","aggregatedOutput":"\#(huge)"},{"type":"agentMessage","text":"\#(huge)"},"#
                + #"{"type":"fileChange","changes":[\#(changes)]},{"type":"agentMessage","text":"the end"}]}]"#, limit: limit)
        #expect(text.utf8.count <= limit)
        #expect(text.contains("the end"))
    }

    @Test func onePartNeverFillsTheDocument() throws {
        let changes = Array(repeating: #"{"path":"\#(String(repeating: "p", count: 5_000))","kind":{"type":"add"},"diff":"\#(String(repeating: "+z\\n", count: 2_000))"}"#, count: 500)
        let part = try #require(try item(#"{"type":"fileChange","changes":[\#(changes.joined(separator: ","))]}"#))
        #expect(part.utf8.count < ConversationMarkdown.maximumBytes / 2)
        #expect(part.hasSuffix("*…and 300 more files*"))
    }
}
