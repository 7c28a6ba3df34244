import FoundationEssentials

/// What a program took from elsewhere (a clipboard, files, a browser) to ask about.
public struct AgentImportedContent: Codable, Hashable, Sendable {
    public var textSnippets: [String]
    public var urls: [URL]
    public var images: [AgentImageAttachment]

    public init(textSnippets: [String] = [], urls: [URL] = [], images: [AgentImageAttachment] = []) {
        self.textSnippets = textSnippets
        self.urls = urls
        self.images = images
    }

    /// Whether there is nothing in it but white space.
    public var isEmpty: Bool { urls.isEmpty && images.isEmpty && textSnippets.allSatisfy { $0.allSatisfy(\.isWhitespace) } }

    /// The message that asks `prompt` about the content: texts and links marked as what they are, blank ones left out, repeated ones
    /// kept once.
    public func composedText(prompt: String?) -> String {
        var sections: [String] = []
        if let prompt = prompt.map(Self.trimmed), !prompt.isEmpty { sections.append(prompt) }
        let texts = Self.unique(textSnippets.map(Self.trimmed).filter { !$0.isEmpty })
        if !texts.isEmpty { sections.append("Shared text:\n" + texts.joined(separator: "\n\n")) }
        let links = Self.unique(urls.map(\.absoluteString))
        if !links.isEmpty { sections.append("Shared links:\n" + links.map { "- " + $0 }.joined(separator: "\n")) }
        return sections.joined(separator: "\n\n")
    }

    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
