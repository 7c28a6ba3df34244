@testable import Discovery

let discoveryTargets = [
    FuzzTarget("txt-record", maximumLength: 2048) { bytes in
        let entries = textEntries(bytes)
        guard let record = try? ServiceRecord(entries: entries) else { return }
        expect(record.entries.allSatisfy { $0.count <= 255 }, "an entry fits its length byte")
        expect((try? ServiceRecord(entries: record.entries)) == record, "a record reads back the same")
        expect(record.serviceName.utf8.count <= 63, "a service name fits a DNS label")
        expect(record.address.isPrivate, "a node is announced on a private address")
    },
    FuzzTarget("netlink", maximumLength: 2048) { bytes in
        var messages = NetlinkMessages()
        // Two datagrams, cut where the first byte says.
        let cut = min(bytes.count, Int(bytes.first ?? 0) * 4)
        _ = messages.receive(UnsafeRawBufferPointer(rebasing: bytes.dropFirst().prefix(cut)))
        _ = messages.receive(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(1 + cut)))
        let state = messages.state
        expect(messages.links.count + messages.addresses.count + messages.routes.count <= bytes.count / 8, "results are bounded by the bytes")
        expect(zip(state.routes, state.routes.dropFirst()).allSatisfy { $0.metric <= $1.metric }, "the best route comes first")
        if case .success(let nearby) = NearbyAddressChooser.choose(state) { expect(nearby.address.isPrivate, "a nearby address is private") }
    },
]

/// The bytes of a TXT record: each entry behind a byte with its length.
private func textEntries(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    var entries: [[UInt8]] = []
    var rest = bytes[...]
    while let length = rest.popFirst() {
        entries.append(Array(rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
    }
    return entries
}
