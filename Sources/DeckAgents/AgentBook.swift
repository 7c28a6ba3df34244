import Files
import JSON
import RelayProtocol

/// What a node knows of its threads beside what they hold: folders and marks. The content of `agents.json`.
struct AgentBook: Hashable, Sendable {
    struct Note: Hashable, Sendable {
        var folder: String?
        var isArchived = false
        /// The turn that its owner stopped, so that it is not told as one that was cut off.
        var stoppedTurn: String?
        /// How often a turn went on that had ended already.
        var resumptions: Int64 = 0
        /// Tokens of the latest answer with everything before it.
        var contextTokens: Int?
    }

    private(set) var notes: [TaskIdentity: Note] = [:]

    func note(of identity: TaskIdentity) -> Note { notes[identity] ?? Note() }

    mutating func change(_ identity: TaskIdentity, _ body: (inout Note) -> Void) {
        var note = note(of: identity)
        body(&note)
        notes[identity] = note
    }

    mutating func forget(_ identity: TaskIdentity) { notes[identity] = nil }

    /// Forgets what belongs to no thread any more.
    mutating func keep(only identities: Set<TaskIdentity>) { notes = notes.filter { identities.contains($0.key) } }

    // MARK: JSON

    /// The most bytes of the file that are read.
    static let limit = 16 << 20
    /// Far more than anybody answers; the bound is for a file that was written by something else.
    private static let maximumResumptions: Int64 = 1 << 40

    var json: JSONValue {
        let threads = notes.map { identity, note -> (String, JSONValue) in
            var fields: [String: JSONValue] = [:]
            if let folder = note.folder { fields["folder"] = .string(folder) }
            if note.isArchived { fields["archived"] = .bool(true) }
            if let turn = note.stoppedTurn { fields["stoppedTurn"] = .string(turn) }
            if note.resumptions > 0 { fields["resumptions"] = .number(Double(note.resumptions)) }
            if let tokens = note.contextTokens { fields["contextTokens"] = .number(Double(tokens)) }
            return (identity.uuid, .object(fields))
        }
        return .object(["version": .number(1), "threads": .object(Dictionary(uniqueKeysWithValues: threads))])
    }

    init() {}

    /// - Returns: `nil` when it is no book.
    init?(json: JSONValue) {
        guard let threads = json["threads"]?.object else { return nil }
        for (key, fields) in threads {
            guard let identity = TaskIdentity(key), fields.object != nil else { return nil }
            notes[identity] = Note(
                folder: fields["folder"]?.string.flatMap { $0.hasPrefix("/") ? $0 : nil }, isArchived: fields["archived"]?.bool ?? false,
                stoppedTurn: fields["stoppedTurn"]?.string, resumptions: min(max(0, fields["resumptions"]?.int ?? 0), Self.maximumResumptions),
                contextTokens: fields["contextTokens"]?.int.flatMap { Int(exactly: $0) })
        }
    }

    // MARK: The file

    /// Reads the file; one that makes no sense is set aside.
    ///
    /// - Returns: The book, and what a person should know of a file that was set aside.
    static func load(_ path: String, now: UnixMilliseconds) throws(FileError) -> (book: AgentBook, notice: String?) {
        AtomicFile.removeLeftovers(of: path)
        let bytes: [UInt8]
        do throws(FileError) {
            _ = try PrivateFile.check(path)
            bytes = try File.read(path, limit: limit, followingLink: false)
        } catch {
            if case .missing = error { return (AgentBook(), nil) }
            throw error
        }
        if let json = try? JSONParser().parse(bytes), let book = AgentBook(json: json) { return (book, nil) }
        let aside = try DamagedFile.setAside(path, now: .milliseconds(now.value))
        return (AgentBook(), "agents.json was damaged and is now \(aside); the folders of agent tasks are not known any more.")
    }
}
