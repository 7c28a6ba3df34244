/// What the installed `notify-send` and the notification server can do.
public struct NotificationAbilities: Sendable, Equatable {
    /// `--print-id` and `--replace-id`.
    public var replaces = false
    /// `--wait` and `--action`, and a server that shows actions.
    public var acts = false
    /// Whether the server reads markup in bodies; `nil` when it could not be asked.
    public var readsMarkup: Bool?

    public init(replaces: Bool = false, acts: Bool = false, readsMarkup: Bool? = nil) {
        self.replaces = replaces
        self.acts = acts
        self.readsMarkup = readsMarkup
    }

    /// - Parameters:
    ///   - help: What `notify-send --help` prints, in any language: the names of options are the same in all.
    ///   - serverReply: What a D-Bus tool prints as the answer to `GetCapabilities`; `nil` when it could not be asked.
    public init(help: String, serverReply: String?) {
        func offers(_ option: String) -> Bool {
            help.split(whereSeparator: { " \t\n,=[]".contains($0) }).contains { $0 == option }
        }
        let words = serverReply.map(Self.words)
        replaces = offers("--replace-id") && offers("--print-id")
        acts = replaces && offers("--action") && offers("--wait") && (words?.contains("actions") ?? true)
        readsMarkup = words.map { $0.contains("body-markup") }
    }

    /// The quoted words of a reply, whichever tool printed it and however it quotes.
    private static func words(_ reply: String) -> Set<String> {
        Set(reply.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")) }.map(String.init))
    }

    /// `text` so that no server shows anything but its words.
    ///
    /// Without a word from the server that it reads markup, the characters that begin it give way to look-alikes: escaped, they would
    /// show as gibberish where it does not. dunst reads it also when it says, as in a configuration of few lines, that it does not.
    public func body(_ text: String) -> String {
        guard text.contains(where: { "<>&".contains($0) }) else { return text }
        var result = ""
        for character in text {
            switch (character, readsMarkup) {
            case ("<", true?): result += "&lt;"
            case (">", true?): result += "&gt;"
            case ("&", true?): result += "&amp;"
            case ("<", _): result += "‹"
            case (">", _): result += "›"
            case ("&", nil): result += "+"
            default: result.append(character)
            }
        }
        return result
    }
}
