import JSON

/// Why bytes from a node are no message a client can use.
public enum NodeMessageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// More than ``RelayLimits/maximumMessageBytes``.
    case tooLarge(bytes: Int)
    /// Not JSON, or not an object.
    case notJSON
    /// `protocol` is not the number 1.
    case otherProtocol
    case unknownType
    /// `field` is missing, of another type or out of range.
    case invalid(field: String)

    public var description: String {
        switch self {
        case .tooLarge(let bytes): "A host sent \(bytes) bytes in one message; the protocol allows \(RelayLimits.maximumMessageBytes)."
        case .notJSON: "A host sent something that is not a JSON object."
        case .otherProtocol: "A host speaks another protocol version; update Codex Deck on one of the two computers."
        case .unknownType: "A host sent a message of a type this version does not know."
        case .invalid(let field): "A host sent a message whose \(field) is missing or not valid."
        }
    }
}

/// What is refused and what is not: a required field that is missing, and any known field of another JSON type or out of range, refuses the
/// message. Unknown words do not, where showing them amiss is harmless (status, agentSource, theme, kinds of windows and sessions), nor do
/// unknown or additive fields, keys that are no ``TaskKey``, and titles that are too long, which are cut.
extension NodeMessage {
    /// Reads what a Mac, Windows or Linux node sent.
    ///
    /// Strings stay as they came; pass them through ``DisplayText`` before showing or logging them.
    /// - Parameter bytes: One reassembled message.
    public init(decoding bytes: some Collection<UInt8>) throws(NodeMessageError) {
        guard bytes.count <= RelayLimits.maximumMessageBytes else { throw .tooLarge(bytes: bytes.count) }
        let value: JSONValue
        do { value = try JSONParser().parse(bytes) } catch { throw .notJSON }
        guard case .object = value else { throw .notJSON }
        guard value["protocol"]?.int == Int64(RelayLimits.version) else { throw .otherProtocol }
        let message: NodeMessage?
        do throws(InvalidField) { message = try Self(WireFields(value, "message")) } catch { throw .invalid(field: error.name) }
        guard let message else { throw .unknownType }
        self = message
    }

    /// - Returns: `nil` for an unknown type.
    private init?(_ fields: WireFields) throws(InvalidField) {
        switch fields["type"]?.string {
        case "ready":
            // Entries that are no strings are of no use, and no reason to do without the host.
            let capabilities = try fields.array("capabilities").compactMap(\.string)
            self = .ready(host: try Host(fields.object("host")), capabilities: capabilities, bridge: try fields.optionalString("bridge") ?? "")
        case "snapshot":
            let observedAt = try fields.time("observedAt")
            let snapshot = try Snapshot(fields.object("snapshot"), observedAt: observedAt)
            self = .snapshot(host: try Host(fields.object("host")), observedAt: observedAt, snapshot)
        case "health":
            self = .health(
                host: try Host(fields.object("host")), state: try fields.string("state"), reason: try fields.string("reason"),
                observedAt: try fields.time("observedAt"))
        case "result":
            let id = try fields.string("requestId")
            guard (1...RelayLimits.maximumRequestIDBytes).contains(id.utf8.count) else { throw fields.invalid("requestId") }
            let refusal = try fields.bool("ok") ? nil : try fields.optionalString("error") ?? ""
            self = .result(requestID: id, error: refusal.map { $0.isEmpty ? RelayError.noReason : $0 })
        case "fresh":
            let host = try fields.object("host")
            guard let id = HostID(try host.string("hostId")) else { throw host.invalid("hostId") }
            self = .fresh(hostID: id, observedAt: try fields.time("observedAt"))
        default: return nil
        }
    }
}

extension Host {
    fileprivate init(_ fields: WireFields) throws(InvalidField) {
        guard let id = HostID(try fields.string("hostId")) else { throw fields.invalid("hostId") }
        let name = try fields.string("hostName")
        guard !name.isEmpty, name.count <= Self.maximumNameCharacters else { throw fields.invalid("hostName") }
        guard let platform = Platform(rawValue: try fields.string("platform")) else { throw fields.invalid("platform") }
        // Only shown, so one that does not fit is left out.
        let version = fields["codexVersion"]?.string.flatMap { (1...Self.maximumVersionCharacters).contains($0.count) ? $0 : nil }
        let os = fields["os"]?.string.flatMap { (1...Self.maximumOSCharacters).contains($0.count) ? $0 : nil }
        self.init(id: id, name: name, platform: platform, os: os, codexVersion: version)
    }
}
