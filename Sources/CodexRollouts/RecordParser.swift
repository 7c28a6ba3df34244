import JSON
import RelayProtocol

/// Reads one line of a rollout.
///
/// Most lines are told apart by their first few hundred bytes and read no further; only the records that decide something
/// are validated as a whole. Never traps, whatever the bytes are.
public struct RecordParser: Sendable {
    /// Whether the text of user messages is looked at; once a session has its preview there is no need.
    public var wantsPreview: Bool

    public init(wantsPreview: Bool = true) { self.wantsPreview = wantsPreview }

    /// - Parameters:
    ///   - line: Without its newline.
    ///   - offset: Byte offset of the line in its file, 0 or more.
    /// - Returns: `nil` when the line is not a record: damaged, cut, or no JSON object.
    public func parse(_ line: UnsafeRawBufferPointer, offset: Int64) -> RolloutRecord? {
        guard let inner = Self.repeatedStart(line) else { return record(line, offset: offset) }
        // A line cut by a crash with the next record behind it, or an object nested in a whole record: then all of it is JSON.
        let isWhole = (try? Self.parser.parse(line)) != nil
        return isWhole ? record(line, offset: offset) : record(UnsafeRawBufferPointer(rebasing: line[inner...]), offset: offset &+ Int64(inner))
    }

    /// See ``parse(_:offset:)-(UnsafeRawBufferPointer,_)``.
    public func parse(_ line: some Collection<UInt8>, offset: Int64) -> RolloutRecord? {
        Array(line).withUnsafeBytes { parse($0, offset: offset) }
    }

    /// What the beginning of a first line says, also when the line goes on beyond `bytes`.
    ///
    /// - Returns: `nil` when it is not the description of a session.
    static func meta(ofPrefix bytes: UnsafeRawBufferPointer) -> SessionMeta? {
        guard let names = try? wholeLine.fields(of: bytes, isPrefix: true) else { return nil }
        switch names[0]?.string {
        case "session_meta": return meta(bytes, skimmer: metaInPayload)
        case nil: return meta(bytes, skimmer: metaAtTop).flatMap { $0.id == nil ? nil : $0 }
        default: return nil
        }
    }

    /// Records are shallow; the bound is what keeps the stack safe.
    static let parser = JSONParser(maximumDepth: 256, duplicateKeys: .lastWins)
    private static let headLength = 512
    private static let headOfLine = JSONSkimmer(RecordNames.paths)
    private static let wholeLine = JSONSkimmer(Array(RecordNames.paths.prefix(3)))
    private static let metaInPayload = JSONSkimmer(SessionMeta.keys.map { ["payload", $0] })
    private static let metaAtTop = JSONSkimmer(SessionMeta.keys.map { [$0] })
    private static let recordStart = Array(#"{"timestamp":""#.utf8)

    /// Where the last record on this line begins, if one begins after the first byte.
    private static func repeatedStart(_ line: UnsafeRawBufferPointer) -> Int? {
        ByteSearch.lastOccurrence(of: recordStart, afterFirstOf: line)
    }

    private static func meta(_ line: UnsafeRawBufferPointer, skimmer: JSONSkimmer) -> SessionMeta? {
        (try? skimmer.fields(of: line, isPrefix: true)).map { SessionMeta(values: $0) }
    }

    private func record(_ line: UnsafeRawBufferPointer, offset: Int64) -> RolloutRecord? {
        guard line.last(where: { $0 != 0x20 && $0 != 0x0d && $0 != 0x09 }) == UInt8(ascii: "}"), let names = Self.names(line),
            let kind = kind(names, line)
        else { return nil }
        return RolloutRecord(kind, timestamp: names.timestamp, offset: offset)
    }

    private static func names(_ line: UnsafeRawBufferPointer) -> RecordNames? {
        let head = UnsafeRawBufferPointer(rebasing: line.prefix(headLength))
        guard var names = (try? headOfLine.fields(of: head, isPrefix: head.count < line.count)).map(RecordNames.init) else { return nil }
        if head.count < line.count, names.isIncomplete {
            guard let fields = try? wholeLine.fields(of: line) else { return nil }
            names.complete(RecordNames(fields))
        }
        return names
    }

    /// - Returns: `nil` when a record that decides something is not whole.
    private func kind(_ names: RecordNames, _ line: UnsafeRawBufferPointer) -> RolloutRecord.Kind? {
        switch names.type {
        case "session_meta": Self.meta(line, skimmer: Self.metaInPayload).map { .sessionMeta($0) }
        case "event_msg": event(names, line)
        case "response_item": item(names.payload, names, line, in: ["payload"])
        // Before records had an envelope, the first line had no type, and conversation items stood alone.
        case nil: Self.meta(line, skimmer: Self.metaAtTop).flatMap { $0.id == nil ? nil : .sessionMeta($0) } ?? .bookkeeping
        case .some(let type): names.payload == nil ? item(type, names, line, in: []) : .bookkeeping
        }
    }
}

/// The words by which a line is told apart.
struct RecordNames {
    var type: String?
    var timestamp: UnixMilliseconds?
    var payload: String?
    var item: String?
    var role: String?
    var callID: String?

    /// The first three tell what a record is.
    static let paths = [
        ["type"], ["timestamp"], ["payload", "type"], ["payload", "item", "type"], ["payload", "role"], ["payload", "call_id"], ["role"], ["call_id"],
    ]

    /// - Parameter fields: One for each of ``paths``, or the first of them.
    init(_ fields: [JSONValue?]) {
        func text(_ index: Int) -> String? { index < fields.count ? fields[index]?.string : nil }
        type = text(0)
        timestamp = text(1).flatMap { Timestamp.parse($0.utf8) }
        payload = text(2)
        item = text(3)
        role = text(4) ?? text(6)
        callID = text(5) ?? text(7)
    }

    /// Whether the head of the line did not tell what it is.
    var isIncomplete: Bool {
        switch type {
        case nil: true
        case "event_msg", "response_item": payload == nil
        default: false
        }
    }

    mutating func complete(_ other: RecordNames) {
        type = type ?? other.type
        timestamp = timestamp ?? other.timestamp
        payload = payload ?? other.payload
    }
}
