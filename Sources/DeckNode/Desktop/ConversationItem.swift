import JSON

/// One item of a turn as Markdown.
enum ConversationItem {
    /// Bytes of a message, and of what a command wrote or a change changed.
    private static let messageLimit = 256 * 1_024, outputLimit = 32 * 1_024, lineLimit = 4_096

    /// `nil` for items that say nothing to a reader.
    static func markdown(_ item: JSONValue) -> String? {
        switch item["type"]?.string {
        case "userMessage": userMessage(item)
        case "agentMessage": message("## Codex", item["text"]?.string)
        case "plan": message("**Plan**", item["text"]?.string)
        case "reasoning": reasoning(item)
        case "commandExecution": command(item)
        case "fileChange": fileChange(item)
        case "mcpToolCall": tool(item, named: [item["server"]?.string, item["tool"]?.string])
        case "dynamicToolCall": tool(item, named: [item["namespace"]?.string, item["tool"]?.string])
        case "functionCallOutput": tool(item, named: [item["namespace"]?.string, item["name"]?.string])
        case "webSearch": item["query"]?.string.map { "**Searched the web** for \(line($0))" }
        case "enteredReviewMode": "*A review began: \(words(item["review"]?.string ?? "no name"))*"
        case "exitedReviewMode": message("## Review", item["review"]?.string)
        case "imageView": "*Looked at the picture \(line(name(item["path"]?.string)))*"
        case "imageGeneration": "*Made a picture\(item["savedPath"]?.string.map { ": " + line(name($0)) } ?? "")*"
        case "collabAgentToolCall", "subAgentActivity": "*Worked with a sub-agent*"
        case "contextCompaction": "*The context was compacted.*"
        case "hookPrompt", "sleep", nil: nil
        case let kind?: "*(\(words(kind)))*"
        }
    }

    // MARK: Messages

    private static func userMessage(_ item: JSONValue) -> String? {
        let parts = (item["content"]?.array ?? []).compactMap { part -> String? in
            switch part["type"]?.string {
            case "text": part["text"]?.string
            case "image": "(a picture)"
            case "localImage": "(the picture \(name(part["path"]?.string)))"
            case "audio", "localAudio": "(a recording)"
            case "skill", "mention": part["name"]?.string.map { "(\($0))" }
            default: nil
            }
        }
        guard !parts.isEmpty else { return nil }
        // What a person typed need not be Markdown; as a quotation it cannot spoil what follows.
        return "## You\n\n" + MarkdownText.quote(MarkdownText.cut(parts.joined(separator: "\n\n"), limit: messageLimit))
    }

    private static func message(_ heading: String, _ text: String?) -> String? {
        guard let text, !text.allSatisfy(\.isWhitespace) else { return nil }
        return heading + "\n\n" + MarkdownText.closed(MarkdownText.cut(text, limit: messageLimit))
    }

    private static func reasoning(_ item: JSONValue) -> String? {
        let parts = (item["summary"]?.array ?? []).compactMap(\.string).filter { !$0.allSatisfy(\.isWhitespace) }
        guard !parts.isEmpty else { return nil }
        return MarkdownText.quote("*Thinking*\n\n" + MarkdownText.cut(parts.joined(separator: "\n\n"), limit: outputLimit))
    }

    // MARK: Work

    private static func command(_ item: JSONValue) -> String? {
        guard let command = item["command"]?.string.map(unwrapped) else { return nil }
        var ending = ending(item)
        if let code = item["exitCode"]?.int { ending.append("exit code \(code)") }
        if let milliseconds = item["durationMs"]?.int, milliseconds >= 100 { ending.append("\(milliseconds / 1_000).\(milliseconds / 100 % 10) s") }
        let head = "**Ran**" + (ending.isEmpty ? "" : " (\(ending.joined(separator: ", ")))")
        var blocks = [head, MarkdownText.block(MarkdownText.cut(command, limit: outputLimit), language: "sh")]
        if let output = item["aggregatedOutput"]?.string, !output.isEmpty {
            blocks.append(MarkdownText.block(MarkdownText.cut(output, limit: outputLimit), language: "text"))
        }
        return blocks.joined(separator: "\n\n")
    }

    /// The script in `/bin/bash -lc '<script>'`, which is how the CLI runs and tells every command.
    private static func unwrapped(_ command: String) -> String {
        guard command.utf8.count <= outputLimit, let words = CommandWords.split(command), words.count == 3, ["-lc", "-c"].contains(words[1])
        else { return command }
        return ["bash", "sh", "zsh"].contains(words[0].split(separator: "/").last.map(String.init)) ? words[2] : command
    }

    private static func fileChange(_ item: JSONValue) -> String? {
        let changes = item["changes"]?.array ?? []
        guard !changes.isEmpty else { return nil }
        let ending = ending(item)
        // One change of thousands of files is one part of the document, and stays one that fits.
        let shown = changes.prefix(200)
        let share = max(256, messageLimit / shown.count)
        let blocks = shown.map { change in
            // A file that is new or gone comes whole, not as a difference.
            let (verb, language) =
                switch change["kind"]?["type"]?.string {
                case "add": ("Added", "")
                case "delete": ("Deleted", "")
                default: ("Changed", "diff")
                }
            let moved = change["kind"]?["move_path"]?.string.map { ", now \(line($0))" } ?? ""
            let head = "**\(verb)** \(line(change["path"]?.string ?? "?"))\(moved)" + (ending.isEmpty ? "" : " (\(ending.joined(separator: ", ")))")
            guard let diff = change["diff"]?.string, !diff.isEmpty else { return head }
            return head + "\n\n" + MarkdownText.block(MarkdownText.cut(diff, limit: min(outputLimit, share)), language: language)
        }
        let rest = changes.count - shown.count
        return (blocks + (rest > 0 ? ["*…and \(rest) more files*"] : [])).joined(separator: "\n\n")
    }

    private static func tool(_ item: JSONValue, named parts: [String?]) -> String? {
        let name = parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ".")
        guard !name.isEmpty else { return nil }
        let reason = item["error"]?["message"]?.string.map { ": " + words($0) } ?? ""
        let ending = ending(item)
        return "**Used the tool** \(line(name))" + (ending.isEmpty ? "" : " (\(ending.joined(separator: ", ")))") + reason
    }

    /// What is worth saying about how the work ended; that it went well is not.
    private static func ending(_ item: JSONValue) -> [String] {
        switch item["status"]?.string {
        case "failed": ["failed"]
        case "declined": ["declined"]
        case "inProgress": ["still running"]
        default: []
        }
    }

    // MARK: Words

    private static func line(_ text: String) -> String { MarkdownText.code(MarkdownText.cut(text, limit: lineLimit)) }
    private static func words(_ text: String) -> String { MarkdownText.words(MarkdownText.cut(text, limit: lineLimit)) }
    private static func name(_ path: String?) -> String { path?.split(separator: "/").last.map(String.init) ?? "?" }
}
