import JSON
import RelayProtocol

/// A conversation of the app-server as Markdown.
public struct ConversationMarkdown: Hashable, Sendable {
    /// The most bytes of a document.
    public static let maximumBytes = 4 << 20

    public let text: String
    /// Whether there was nothing to write down.
    public let isEmpty: Bool

    /// Writes a conversation down.
    ///
    /// Lenient: what is missing is left out, kinds of items that are not known are named. When it would be larger than the limit the oldest
    /// parts are left out, and the document says so.
    /// - Parameters:
    ///   - title: As screens show it, for the heading.
    ///   - thread: The thread object of `thread/read`.
    ///   - turns: Its turns with all their items, the oldest first, as `thread/read` and `thread/turns/list` give them.
    ///   - limit: The most bytes, 1 KiB or more.
    public init(title: String, thread: JSONValue, turns: [JSONValue], limit: Int = maximumBytes) {
        let head = Self.head(title, thread)
        let blocks = turns.flatMap(Self.turn)
        isEmpty = blocks.isEmpty
        var size = head.utf8.count + 200
        var kept = blocks.count
        // The newest parts are those that matter.
        while kept > 0, size + blocks[kept - 1].utf8.count + 2 <= limit {
            kept -= 1
            size += blocks[kept].utf8.count + 2
        }
        let notice = kept > 0 ? ["*The beginning of this conversation, \(kept) of \(blocks.count) parts, is left out: it is too long.*"] : []
        let empty = blocks.isEmpty ? ["*This conversation has no turns yet.*"] : []
        text = ([head] + notice + empty + blocks[kept...]).joined(separator: "\n\n") + "\n"
    }

    private static func head(_ title: String, _ thread: JSONValue) -> String {
        var facts: [String] = []
        if let time = thread["createdAt"]?.int.flatMap(CalendarTime.init) { facts.append("Begun \(time.date) \(time.time) UTC") }
        if let model = thread["model"]?.string, !model.isEmpty { facts.append("model " + MarkdownText.words(MarkdownText.cut(model, limit: 200))) }
        if let folder = thread["cwd"]?.string, !folder.isEmpty { facts.append("in " + MarkdownText.code(MarkdownText.cut(folder, limit: 1_024))) }
        let heading = "# " + MarkdownText.words(DisplayText.sanitized(title, maximumCharacters: RelayLimits.maximumTitleCharacters))
        return facts.isEmpty ? heading : heading + "\n\n" + facts.joined(separator: ", ") + "."
    }

    private static func turn(_ turn: JSONValue) -> [String] {
        var blocks = (turn["items"]?.array ?? []).compactMap(ConversationItem.markdown)
        switch turn["status"]?.string {
        case "failed":
            let reason = turn["error"]?["message"]?.string.map { " " + MarkdownText.words(MarkdownText.cut($0, limit: 4_096)) } ?? ""
            blocks.append("**The turn failed.**" + reason)
        case "interrupted": blocks.append("*The turn was interrupted.*")
        case "inProgress": blocks.append("*The turn is still running.*")
        default: break
        }
        guard !blocks.isEmpty else { return [] }
        let time = turn["startedAt"]?.int.flatMap(CalendarTime.init)
        return ["---" + (time.map { "\n\n*\($0.date) \($0.time) UTC*" } ?? "")] + blocks
    }
}
