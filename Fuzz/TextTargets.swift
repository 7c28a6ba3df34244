import RelayProtocol

let textTargets = [
    FuzzTarget("display-text", maximumLength: 1024) { bytes in
        guard let limit = bytes.first.map(Int.init) else { return }
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        let line = DisplayText.singleLine(text)
        checkLine(line)
        expect(DisplayText.singleLine(line) == line, "a clean line stays as it is")
        let short = DisplayText.sanitized(text, maximumCharacters: limit)
        checkLine(short)
        expect(short.count <= limit && line.utf8.starts(with: short.utf8), "a cut line is the beginning of the whole one")
        let clipped = DisplayText.clipped(text, maximumCharacters: limit, maximumUTF16Units: limit * 2)
        expect(clipped.count <= limit && clipped.utf16.count <= limit * 2, "a clipped text is within both limits")
        expect(text.utf8.starts(with: clipped.utf8), "a clipped text is the beginning of the whole one")
    },
    FuzzTarget("addresses-and-keys", maximumLength: 512) { bytes in
        let text = bytes.text
        if let address = IPv4Address(text) { expect(IPv4Address(address.description) == address, "an IPv4 address reads back") }
        if let address = IPv6Address(text) { expect(IPv6Address(address.description) == address, "an IPv6 address reads back") }
        if let identity = TaskIdentity(text) { expect(TaskIdentity(identity.uuid) == identity, "a task's identity reads back") }
        if let host = HostID(text) { expect(HostID(host.uuid) == host, "a host's identity reads back") }
        if let key = TaskKey(text) {
            expect(TaskKey(key.rawValue) == key && key.rawValue == text, "a key keeps its owner's spelling")
            expect(text.lowercased().hasSuffix(key.identity.uuid), "a key ends in its identity")
        }
        if let address = try? ListenPolicy.remote(text, port: 47651) {
            expect((try? ListenPolicy.remote(address.description, port: 47651)) == address, "an address to listen on reads back")
        }
        if let address = try? ListenPolicy.nearby(text, port: 47653) { expect(address.isPrivate, "a nearby address is private") }
    },
]

/// Nothing in the line can command a terminal, break it, or turn it round.
func checkLine(_ line: String) {
    for scalar in line.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: expect(false, "no control character comes through")
        default: continue
        }
    }
}
