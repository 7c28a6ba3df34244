import RelayProtocol

/// Why words named no task, or more than one.
public enum TargetError: Error, Equatable, Sendable, CustomStringConvertible {
    case emptySlot(Int)
    /// The slot shows a task whose key cannot be read.
    case unreadable(Int)
    case noMatch(String)
    /// `candidates` in the order of the board.
    case ambiguous(String, candidates: [TaskIdentity])

    public var description: String {
        switch self {
        case .emptySlot(let number): "No task is on key \(number)."
        case .unreadable(let number): "The task on key \(number) has a key this program cannot read, so it cannot be commanded."
        case .noMatch(let words):
            "No task matches \"\(DisplayText.sanitized(words, maximumCharacters: 64))\"; `deckclient agents` lists them."
        case .ambiguous(_, let candidates):
            "That fits \(candidates.count) tasks: \(Self.list(candidates)); use more characters of the identity."
        }
    }

    private static func list(_ candidates: [TaskIdentity]) -> String {
        let prefixes = ShortIdentity.prefixes(of: candidates)
        let shown = candidates.prefix(6).compactMap { prefixes[$0] }.joined(separator: ", ")
        return candidates.count > 6 ? shown + ", …" : shown
    }
}

/// Finds the task that a user's words mean.
public enum TargetResolver {
    /// The fewest hexadecimal digits that count as the beginning of an identity.
    public static let minimumPrefix = 4

    /// - Parameter words: A key number 1 … 6; the first four or more characters of an identity, with or without hyphens; a whole key as
    ///   it is on the wire; or a part of a title in any case that fits one task. A whole title counts before parts of titles.
    ///   Words that begin one task's identity and are in another's title are ambiguous: a command must not go to the wrong one.
    public static func resolve(_ words: String, on board: Board) throws(TargetError) -> TaskIdentity {
        let text = trimmed(words)
        if let key = slotNumber(text) { return try onKey(key, board) }
        guard !text.isEmpty else { throw .noMatch(words) }
        if let identity = (TaskKey(text)?.identity) {
            guard board.task(identity) != nil else { throw .noMatch(words) }
            return identity
        }
        let lowered = text.lowercased()
        let prefix = identityPrefix(lowered)
        var begins: [TaskIdentity] = []
        var whole: [TaskIdentity] = []
        var parts: [TaskIdentity] = []
        for task in board.tasks {
            guard let identity = task.identity else { continue }
            if let prefix, identity.uuid.utf8.lazy.filter({ $0 != UInt8(ascii: "-") }).starts(with: prefix) { begins.append(identity) }
            guard let title = task.title?.lowercased() else { continue }
            if trimmed(title) == lowered { whole.append(identity) } else if title.contains(lowered) { parts.append(identity) }
        }
        let titled = whole.isEmpty ? parts : whole
        let found = begins + titled.filter { !begins.contains($0) }
        guard let first = found.first else { throw .noMatch(words) }
        guard found.count == 1 else { throw .ambiguous(words, candidates: found) }
        return first
    }

    private static func onKey(_ number: Int, _ board: Board) throws(TargetError) -> TaskIdentity {
        guard let task = board.slots[number - 1] else { throw .emptySlot(number) }
        guard let identity = task.identity else { throw .unreadable(number) }
        return identity
    }

    private static func slotNumber(_ text: String) -> Int? {
        guard text.utf8.count == 1, let number = Int(text), (1...Snapshot.slotCount).contains(number) else { return nil }
        return number
    }

    /// The digits without hyphens; `nil` when it is too short or anything else.
    private static func identityPrefix(_ lowered: String) -> [UInt8]? {
        guard lowered.utf8.count <= 36 else { return nil }
        let digits = lowered.utf8.filter { $0 != UInt8(ascii: "-") }
        let isHexadecimal = digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isHexadecimal && digits.count >= minimumPrefix ? digits : nil
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
