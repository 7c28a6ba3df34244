import RelayProtocol
import Testing

@testable import Discovery

struct ServiceTableTests {
    static func key(_ interface: Int32, _ name: String = "Codex Deck") -> ServiceKey {
        ServiceKey(interface: interface, networkProtocol: 0, name: name, type: "_codexdeck._tcp", domain: "local")
    }

    @Test func reportsOneRecordOnceHoweverOftenItIsSeen() throws {
        var table = ServiceTable()
        let record = try Fixture.record()
        #expect(table.insert(record, at: Self.key(1)) == [.found(record)])
        #expect(table.insert(record, at: Self.key(1)) == [])
        #expect(table.insert(record, at: Self.key(2)) == [])
        #expect(table.remove(Self.key(1)) == [])
        #expect(table.remove(Self.key(1)) == [])
        #expect(table.remove(Self.key(2)) == [.lost(record)])
        #expect(table.all.isEmpty)
    }

    @Test func aMovedRecordComesBeforeItGoes() throws {
        var table = ServiceTable()
        let old = try Fixture.record()
        let new = try Fixture.record(address: IPv4Address(10, 0, 0, 7))
        _ = table.insert(old, at: Self.key(1))
        _ = table.insert(old, at: Self.key(2))
        #expect(table.insert(new, at: Self.key(1)) == [.found(new)])
        #expect(table.insert(new, at: Self.key(2)) == [.lost(old)])
        #expect(table.all == [new])
    }

    @Test func keepsTwoRecordsThatClaimOneIdentity() throws {
        var table = ServiceTable()
        let real = try Fixture.record()
        var other = real
        other.fingerprint = String(repeating: "f", count: 64)
        _ = table.insert(real, at: Self.key(1))
        #expect(table.insert(other, at: Self.key(1, "Codex Deck #2")) == [.found(other)])
        #expect(table.all == [real, other])
    }

    @Test func forgetsEverythingAtOnce() throws {
        var table = ServiceTable()
        let first = try Fixture.record()
        let second = try Fixture.record(port: 50000)
        _ = table.insert(second, at: Self.key(1))
        _ = table.insert(first, at: Self.key(2))
        _ = table.insert(first, at: Self.key(3))
        #expect(table.removeAll() == [.lost(first), .lost(second)])
        #expect(table.removeAll() == [])
    }
}
