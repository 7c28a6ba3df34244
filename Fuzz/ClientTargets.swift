import RelayProtocol

@testable import DeckClient

let clientTargets = [
    FuzzTarget("profiles", maximumLength: 8192) { bytes in
        guard let book = try? ProfileBook(decoding: Array(bytes)) else { return }
        checkWritten(book)
        checkWritten(changed(book))
    },
    FuzzTarget("merge-memory", maximumLength: 8192) { bytes in
        guard let memory = try? MergeMemory(decoding: Array(bytes)) else { return }
        expect((try? MergeMemory(decoding: memory.encoded())) == memory, "what is written reads back the same")
        expect(memory.acknowledgements.all.count <= Acknowledgements.capacity, "memory is bounded")
    },
    FuzzTarget("node-address", maximumLength: 1200) { bytes in
        guard let address = try? NodeAddress(bytes.text) else { return }
        expect((try? NodeAddress(address.description)) == address, "an address reads back the same")
        if (try? address.check(for: .nearby, tailnet: false)) != nil { expect(address.isEncrypted, "a nearby node is reached over TLS") }
        if (try? address.check(for: .remote, tailnet: false)) != nil {
            expect(address.isEncrypted || address.isLoopback, "only this computer is reached without TLS")
        }
    },
]

private func checkWritten(_ book: ProfileBook) {
    expect((try? ProfileBook(decoding: book.encoded())) == book, "what is written reads back the same")
}

/// The book after all that hosts and users can do to it, with words from the book itself.
private func changed(_ book: ProfileBook) -> ProfileBook {
    var changed = book
    for profile in book.profiles.prefix(4) {
        let words = profile.name + " " + (profile.rePairReason ?? "")
        let host = profile.hostID ?? HostID("0189aabb-ccdd-4eef-8011-223344556677")
        if let host {
            _ = changed.answered(id: profile.id, host: Host(id: host, name: words, platform: .mac, os: words))
            _ = changed.heard(host, fingerprint: profile.fingerprint ?? "", at: profile.address)
        }
        changed.requireRePairing(id: profile.id, reason: words + words)
        try? changed.rename(id: profile.id, to: words)
        _ = try? changed.find(words)
        _ = try? changed.add(profile)
    }
    changed.markDuplicates(live: Set(book.profiles.prefix(1).map(\.id)))
    if let first = book.profiles.first { _ = try? changed.remove(id: first.id) }
    return changed
}
