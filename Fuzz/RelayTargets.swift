import RelayProtocol

let relayTargets = [
    FuzzTarget("relay-client-message") { bytes in
        guard let message = try? ClientMessage(decoding: bytes) else { return }
        let encoded = message.encoded()
        expect(encoded.count <= RelayLimits.maximumMessageBytes, "a message fits the limit")
        expect((try? ClientMessage(decoding: encoded)) == message, "what is written reads back the same")
    },
    FuzzTarget("relay-node-message", maximumLength: 16_384) { bytes in
        guard let message = try? NodeMessage(decoding: bytes) else { return }
        let encoded = message.encoded()
        expect(encoded.count <= RelayLimits.maximumMessageBytes, "a message fits the limit")
        // Texts may have been cut to the limits of older peers, but only once.
        guard let again = try? NodeMessage(decoding: encoded) else { return expect(false, "what is written can be read") }
        expect(again.encoded() == encoded, "what was written once is written the same again")
        if isShort(message) { expect(again == message, "what is within the limits reads back the same") }
    },
]

/// Whether no text in the message is near a limit.
private func isShort(_ message: NodeMessage) -> Bool {
    switch message {
    case .fresh: true
    case .result(_, let error): (error ?? "").utf16.count <= RelayError.maximumUTF16Units
    case .health(let host, let state, let reason, _): isShort(host) && state.utf16.count <= 64 && reason.utf16.count <= 256
    case .ready(let host, let capabilities, let bridge):
        isShort(host) && capabilities.count <= 32 && capabilities.allSatisfy(isShort) && isShort(bridge)
    case .snapshot(let host, _, let snapshot): isShort(host) && (snapshot.hostSessions?.count ?? 0) <= 8 && texts(of: snapshot).allSatisfy(isShort)
    }
}

private func isShort(_ host: Host) -> Bool {
    [host.name, host.os ?? "", host.codexVersion ?? ""].allSatisfy { $0.utf16.count <= 32 }
}

private func isShort(_ text: String) -> Bool { text.utf16.count <= 64 }

private func texts(of snapshot: Snapshot) -> [String] {
    let slots = snapshot.slots.flatMap { [$0.threadKey ?? "", $0.title ?? "", $0.status.rawValue] }
    let keys = snapshot.layout.slots.values.flatMap { [$0.keycapID, $0.commandID ?? ""] } + snapshot.layout.analogStick.values
    let windows = snapshot.usage?.windows.map(\.id) ?? []
    return slots + keys + windows + [snapshot.activeThreadKey ?? "", snapshot.activeThreadTitle ?? "", snapshot.lightingAutoOff]
}
