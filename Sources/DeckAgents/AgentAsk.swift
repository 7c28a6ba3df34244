import CodexKit
import FoundationEssentials
import JSON

/// What is asked of an agent, complete: whoever asks has read files and pictures already, for the node may not see what a command sees.
public struct AgentAsk: Hashable, Sendable {
    /// The text of a file.
    public struct File: Hashable, Sendable {
        /// As the asker named it.
        public var name: String
        public var text: String

        public init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// How much may be asked at once.
    public enum Limits {
        /// Bytes of the question, the texts of files and links together.
        public static let textBytes = 1 << 20
        public static let files = 32, urls = 32, images = 8
        /// Bytes of all pictures together.
        public static let imageBytes = 12 << 20
        /// Bytes of the longest line that carries an ask: base64 and escapes included.
        public static let lineBytes = 24 << 20
    }

    public var text: String
    public var files: [File]
    /// Shown to the model as links; nothing is fetched.
    public var urls: [String]
    /// The bytes of JPEG, PNG, GIF or WebP files.
    public var images: [Data]
    /// Where tools work; absolute. For a thread that exists, `nil` keeps its own.
    public var folder: String?
    /// The thread to go on with: its id, at least four letters of its beginning, or words of its title; `nil` begins one.
    public var thread: String?
    public var effort: ReasoningEffort?
    public var model: String?
    /// Whether the turn goes on when nobody listens any more.
    public var isDetached: Bool

    public init(
        text: String, files: [File] = [], urls: [String] = [], images: [Data] = [], folder: String? = nil, thread: String? = nil,
        effort: ReasoningEffort? = nil, model: String? = nil, isDetached: Bool = false
    ) {
        self.text = text
        self.files = files
        self.urls = urls
        self.images = images
        self.folder = folder
        self.thread = thread
        self.effort = effort
        self.model = model
        self.isDetached = isDetached
    }

    /// Whether nothing is asked: with a thread that means to go on with its turn that was cut off.
    public var isEmpty: Bool { files.isEmpty && urls.isEmpty && images.isEmpty && text.allSatisfy(\.isWhitespace) }

    public var json: JSONValue {
        var fields: [String: JSONValue] = ["text": .string(text), "detached": .bool(isDetached)]
        if !files.isEmpty { fields["files"] = .array(files.map { .object(["name": .string($0.name), "text": .string($0.text)]) }) }
        if !urls.isEmpty { fields["urls"] = .array(urls.map { .string($0) }) }
        if !images.isEmpty { fields["images"] = .array(images.map { .string($0.base64EncodedString()) }) }
        if let folder { fields["folder"] = .string(folder) }
        if let thread { fields["thread"] = .string(thread) }
        if let effort { fields["effort"] = .string(effort.rawValue) }
        if let model { fields["model"] = .string(model) }
        return .object(fields)
    }

    /// Reads what ``json`` wrote, within ``Limits``.
    ///
    /// - Throws: ``AgentHostError`` with code `invalid_request`.
    public init(json: JSONValue) throws(AgentHostError) {
        guard let text = json["text"]?.string else { throw .invalid("It is not said what is asked.") }
        self.init(text: text)
        files = try Self.list(json["files"], "files") { item in
            item["name"]?.string.flatMap { name in item["text"]?.string.map { File(name: name, text: $0) } }
        }
        urls = try Self.list(json["urls"], "links") { $0.string }
        images = try Self.list(json["images"], "pictures") { $0.string.flatMap { Data(base64Encoded: $0) } }
        folder = json["folder"]?.string
        thread = json["thread"]?.string
        model = json["model"]?.string
        if let name = json["effort"]?.string {
            guard let effort = ReasoningEffort(rawValue: name) else { throw .invalid("The effort is low, medium, high or xhigh.") }
            self.effort = effort
        }
        isDetached = json["detached"]?.bool ?? false
        try check()
    }

    /// - Throws: ``AgentHostError`` with code `invalid_request` for what is beyond ``Limits`` or no picture.
    func check() throws(AgentHostError) {
        let bytes = text.utf8.count + files.reduce(0) { $0 + $1.text.utf8.count + $1.name.utf8.count } + urls.reduce(0) { $0 + $1.utf8.count }
        guard bytes <= Limits.textBytes else { throw .invalid("The question and its files are longer than 1 MiB together; leave something out.") }
        guard files.count <= Limits.files, urls.count <= Limits.urls, images.count <= Limits.images else {
            throw .invalid("At most \(Limits.files) files, \(Limits.urls) links and \(Limits.images) pictures can be asked about at once.")
        }
        guard images.reduce(0, { $0 + $1.count }) <= Limits.imageBytes else {
            throw .invalid("The pictures are larger than 12 MiB together; leave one out or make them smaller.")
        }
        for image in images where AgentImageAttachment(image) == nil {
            throw .invalid("A picture is none of JPEG, PNG, GIF and WebP.")
        }
        if let folder, !folder.hasPrefix("/") || folder.utf8.contains(0) { throw .invalid("The folder has to be an absolute path.") }
    }

    private static func list<Element>(
        _ value: JSONValue?, _ name: String, _ read: (JSONValue) -> Element?
    ) throws(AgentHostError) -> [Element] {
        guard let value, value != .null else { return [] }
        guard let items = value.array else { throw .invalid("The \(name) are no list.") }
        var result: [Element] = []
        for item in items.prefix(100) {
            guard let element = read(item) else { throw .invalid("One of the \(name) cannot be read.") }
            result.append(element)
        }
        return result
    }

    /// The message that the thread gets.
    var message: String {
        var sections: [String] = text.allSatisfy(\.isWhitespace) ? [] : [text]
        for file in files { sections.append("File \(file.name):\n\(file.text)") }
        if !urls.isEmpty { sections.append("Links:\n" + urls.map { "- " + $0 }.joined(separator: "\n")) }
        return sections.joined(separator: "\n\n")
    }
}
