import JSON

extension NodeMessage {
    /// The message as the text to send: never more than ``RelayLimits/maximumMessageBytes``, and nothing an older peer would refuse.
    ///
    /// Texts are cut to their limits; a snapshot goes through ``SnapshotBudget``.
    public func encoded() -> [UInt8] {
        if case .snapshot(let host, let observedAt, let snapshot) = self {
            return SnapshotBudget().encoded(host: host, observedAt: observedAt, snapshot)
        }
        var writer = JSONWriter()
        writer.object { write(&$0) }
        return writer.bytes
    }

    private func write(_ message: inout JSONWriter) {
        switch self {
        case .ready(let host, let capabilities, let bridge):
            message.header("ready", host)
            message.member("capabilities", array: { list in
                for word in capabilities.prefix(32) { list.string(DisplayText.clipped(word, maximumUTF16Units: 64)) }
            })
            message.member("bridge", DisplayText.clipped(bridge, maximumUTF16Units: 64))
        case .snapshot(let host, let observedAt, let snapshot):
            message.header("snapshot", host)
            message.member("observedAt", observedAt.value)
            message.member("snapshot", object: snapshot.write)
        case .health(let host, let state, let reason, let observedAt):
            message.header("health", host)
            message.member("state", DisplayText.clipped(state, maximumUTF16Units: 64))
            message.member("reason", DisplayText.clipped(reason, maximumUTF16Units: 256))
            message.member("observedAt", observedAt.value)
        case .result(let requestID, let error):
            message.member("type", "result")
            message.member("protocol", RelayLimits.version)
            message.member("requestId", requestID)
            message.member("ok", error == nil)
            if let error { message.member("error", DisplayText.clipped(error, maximumUTF16Units: RelayError.maximumUTF16Units)) }
        case .fresh(let hostID, let observedAt):
            message.member("type", "fresh")
            message.member("protocol", RelayLimits.version)
            message.member("host", object: { $0.member("hostId", hostID.uuid) })
            message.member("observedAt", observedAt.value)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func header(_ type: String, _ host: Host) {
        member("type", type)
        member("protocol", RelayLimits.version)
        member("host", object: host.write)
    }
}

extension Host {
    static let maximumNameCharacters = 128
    static let maximumVersionCharacters = 64
    static let maximumOSCharacters = 32

    /// Limits are kept in UTF-16 units, the strictest way any peer counts.
    func write(_ members: inout JSONWriter) {
        members.member("hostId", id.uuid)
        members.member("hostName", name.isEmpty ? "computer" : DisplayText.clipped(name, maximumUTF16Units: Self.maximumNameCharacters))
        members.member("platform", platform.rawValue)
        if let os { members.member("os", DisplayText.clipped(os, maximumUTF16Units: Self.maximumOSCharacters)) }
        if let codexVersion {
            members.member("codexVersion", DisplayText.clipped(codexVersion, maximumUTF16Units: Self.maximumVersionCharacters))
        }
    }
}
