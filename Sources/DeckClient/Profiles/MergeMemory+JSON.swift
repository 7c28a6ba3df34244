import JSON
import RelayProtocol

/// What was seen and which temporary keys were joined, kept across restarts. Which task is open where is not: an engine that starts
/// takes what it then hears as its baseline.
extension MergeMemory {
    /// The largest file that is read, in bytes.
    public static let maximumFileBytes = 256 * 1024

    public func encoded() -> [UInt8] {
        let seen = acknowledgements.all.map { entry -> JSONValue in
            var members: [String: JSONValue] = ["task": .string(entry.identity.uuid), "at": .number(Double(entry.at.value))]
            if !entry.completions.isEmpty { members["completions"] = .array(entry.completions.map { .number(Double($0)) }) }
            if entry.unnumberedCompletion { members["unnumbered"] = true }
            switch entry.error {
            case .number(let revision): members["error"] = .number(Double(revision))
            case .unnumbered: members["error"] = true
            case nil: break
            }
            return .object(members)
        }
        let joined = joins.all.map { join -> JSONValue in
            [
                "key": .string(join.temporary.uuid), "task": .string(join.task.uuid), "evidence": .string(join.evidence.rawValue),
                "at": .number(Double(join.seenAt.value)),
            ]
        }
        return JSONValue.object(["version": 1, "seen": .array(seen), "joins": .array(joined)]).encoded()
    }

    /// - Throws: ``MergeMemoryError/damaged`` for anything that ``encoded()`` would not write.
    public init(decoding bytes: [UInt8]) throws(MergeMemoryError) {
        guard bytes.count <= Self.maximumFileBytes else { throw .damaged }
        let root: JSONValue
        do throws(JSONError) { root = try JSONParser(maximumDepth: 8).parse(bytes) } catch { throw .damaged }
        guard root["version"]?.int == 1, let seen = root["seen"]?.array, let joined = root["joins"]?.array else { throw .damaged }
        var entries: [Acknowledgements.Entry] = []
        for value in seen { entries.append(try Acknowledgements.Entry(json: value)) }
        var joins: [TemporaryKeyJoins.Join] = []
        for value in joined { joins.append(try TemporaryKeyJoins.Join(json: value)) }
        self.init(acknowledgements: Acknowledgements(entries), joins: TemporaryKeyJoins(joins))
    }
}

/// Why remembered marks could not be read.
public enum MergeMemoryError: Error, Equatable, Sendable, CustomStringConvertible {
    case damaged

    public var description: String { "The file of seen completions is damaged; it has to be set aside, and tasks may show as complete once more." }
}

extension Acknowledgements.Entry {
    fileprivate init(json: JSONValue) throws(MergeMemoryError) {
        guard let identity = json["task"]?.string.flatMap({ TaskIdentity($0) }), let at = json["at"]?.int.flatMap({ UnixMilliseconds($0) }) else {
            throw .damaged
        }
        var completions: [Int64] = []
        for number in json["completions"]?.array ?? [] {
            guard let revision = number.int, revision >= 0 else { throw .damaged }
            completions.append(revision)
        }
        let error: Acknowledgements.Revision?
        switch json["error"] {
        case nil: error = nil
        case .bool(true): error = .unnumbered
        case .some(let value):
            guard let revision = value.int, revision >= 0 else { throw .damaged }
            error = .number(revision)
        }
        self.init(
            identity: identity, completions: completions, unnumberedCompletion: json["unnumbered"]?.bool ?? false, error: error, at: at)
    }
}

extension TemporaryKeyJoins.Join {
    fileprivate init(json: JSONValue) throws(MergeMemoryError) {
        guard let temporary = json["key"]?.string.flatMap({ TaskIdentity($0) }), let task = json["task"]?.string.flatMap({ TaskIdentity($0) }),
            let evidence = json["evidence"]?.string.flatMap(TemporaryKeyJoins.Evidence.init(rawValue:)),
            let at = json["at"]?.int.flatMap({ UnixMilliseconds($0) })
        else { throw .damaged }
        self.init(temporary: temporary, task: task, evidence: evidence, seenAt: at)
    }
}
