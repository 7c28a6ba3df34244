import RelayProtocol
import Testing

@testable import Discovery

enum Fixture {
    static let fingerprint = String(repeating: "0123456789abcdef", count: 4)
    static let hostID = "12345678-9abc-4def-8123-456789abcdef"

    static func record(
        name: String = "Studio PC", address: IPv4Address = IPv4Address(192, 168, 1, 20), port: UInt16 = 47653
    ) throws -> ServiceRecord {
        ServiceRecord(
            host: try #require(HostID(hostID)), name: name, platform: .mac, address: address, port: port, fingerprint: fingerprint)
    }
}

struct ServiceRecordTests {
    static let values = [
        "protocol": "1", "hostId": Fixture.hostID, "hostName": "Studio PC", "platform": "darwin", "address": "192.168.1.20", "port": "47653",
        "secure": "1", "fingerprint": Fixture.fingerprint, "os": "linux",
    ]

    static func entries(_ changes: [String: String?] = [:]) -> [[UInt8]] {
        values.merging(changes.compactMapValues { $0 }) { $1 }.filter { changes[$0.key] != .some(nil) }.map { Array("\($0)=\($1)".utf8) }
    }

    @Test func writesEveryFieldAndNoToken() throws {
        let written = try Fixture.record().entries.map { String(decoding: $0, as: UTF8.self) }
        #expect(Set(written) == Set(Self.values.map { "\($0)=\($1)" }))
        #expect(written.count == Self.values.count)
    }

    @Test func readsWhatItWrites() throws {
        for name in ["Studio PC", "Büro = 日本語 🖥️", String(repeating: "x", count: 128)] {
            let record = try Fixture.record(name: name)
            #expect(try ServiceRecord(entries: record.entries) == record)
        }
    }

    @Test func cutsNamesThatDoNotFitAnEntry() throws {
        let record = try Fixture.record(name: String(repeating: "日", count: 128))
        #expect(record.entries.allSatisfy { $0.count <= 255 })
        #expect(try ServiceRecord(entries: record.entries).name == String(repeating: "日", count: 82))
    }

    @Test("Service names fit a DNS label and end between characters", arguments: [
        ("Studio PC", "Codex Deck Studio PC"), (String(repeating: "x", count: 52), "Codex Deck " + String(repeating: "x", count: 52)),
        (String(repeating: "x", count: 53), "Codex Deck " + String(repeating: "x", count: 52)),
        (String(repeating: "日", count: 30), "Codex Deck " + String(repeating: "日", count: 17)),
        (String(repeating: "👩‍👩‍👧", count: 9), "Codex Deck " + String(repeating: "👩‍👩‍👧", count: 2)),
    ])
    func cutsServiceNames(name: String, service: String) throws {
        #expect(try Fixture.record(name: name).serviceName == service)
        #expect(service.utf8.count <= 63)
    }

    @Test func needsNoSystemNameAndSkipsTheUnknown() throws {
        let entries = Self.entries(["os": nil]) + [Array("color=blue".utf8), Array("flag".utf8), [], Array("=x".utf8), [0xff, 0x3d, 0xff]]
        #expect(try ServiceRecord(entries: entries).os == nil)
    }

    @Test func comparesKeysWithoutCase() throws {
        let entries = Self.entries(["hostId": nil]) + [Array("HOSTID=\(Fixture.hostID.uppercased())".utf8)]
        #expect(try ServiceRecord(entries: entries).host.uuid == Fixture.hostID)
    }

    @Test func takesTheFirstOfRepeatedKeys() throws {
        let first = Array("port=50000".utf8)
        #expect(try ServiceRecord(entries: [first] + Self.entries()).port == 50000)
    }

    @Test("Every key but os must be there", arguments: values.keys.filter { $0 != "os" }.sorted())
    func refusesMissing(key: String) {
        #expect(throws: ServiceRecordProblem.missing(key.lowercased())) { try ServiceRecord(entries: Self.entries([key: nil])) }
    }

    @Test("Values that break a rule", arguments: [
        ("protocol", "2", ServiceRecordProblem.unsupportedProtocol), ("protocol", "", .unsupportedProtocol), ("secure", "0", .insecure),
        ("hostId", "me", .invalid("hostId")), ("hostName", "", .invalid("hostName")), ("hostName", " ", .invalid("hostName")),
        ("hostName", "a\u{1b}]0;b\u{7}", .invalid("hostName")), ("hostName", "a\u{9b}31m", .invalid("hostName")),
        ("hostName", "a\nb", .invalid("hostName")), ("hostName", "a\u{202e}b", .invalid("hostName")),
        ("hostName", String(repeating: "x", count: 129), .invalid("hostName")), ("platform", "linux", .invalid("platform")),
        ("address", "8.8.8.8", .invalid("address")), ("address", "127.0.0.1", .invalid("address")), ("address", "100.64.0.1", .invalid("address")),
        ("address", "169.254.0.1", .invalid("address")), ("address", "10.0.0", .invalid("address")), ("address", "::1", .invalid("address")),
        ("port", "1023", .invalid("port")), ("port", "65536", .invalid("port")), ("port", "+5000", .invalid("port")), ("port", "", .invalid("port")),
        ("fingerprint", "00", .invalid("fingerprint")), ("fingerprint", Fixture.fingerprint + "0", .invalid("fingerprint")),
        ("fingerprint", String(Fixture.fingerprint.dropLast()) + "g", .invalid("fingerprint")), ("os", "", .invalid("os")),
        ("os", "li nux", .invalid("os")),
    ])
    func refusesBadValue(key: String, value: String, problem: ServiceRecordProblem) {
        #expect(throws: problem) { try ServiceRecord(entries: Self.entries([key: value])) }
    }

    @Test func acceptsFingerprintsWithColonsAndCapitals() throws {
        let colons = Fixture.fingerprint.uppercased().enumerated().map { $0 > 0 && $0 % 2 == 0 ? ":\($1)" : "\($1)" }.joined()
        #expect(try ServiceRecord(entries: Self.entries(["fingerprint": colons])).fingerprint == Fixture.fingerprint)
    }

    @Test func refusesBytesThatAreNoText() {
        let entries = Self.entries(["hostName": nil]) + [Array("hostName=".utf8) + [0xc3]]
        #expect(throws: ServiceRecordProblem.invalid("hostname")) { try ServiceRecord(entries: entries) }
    }

    @Test func boundsEverything() {
        let many = Self.entries() + [[UInt8]](repeating: [0x61], count: 64 - Self.values.count)
        #expect(throws: Never.self) { try ServiceRecord(entries: many) }
        #expect(throws: ServiceRecordProblem.tooLarge) { try ServiceRecord(entries: many + [[0x61]]) }
        #expect(throws: ServiceRecordProblem.tooLarge) { try ServiceRecord(entries: Self.entries() + [[UInt8](repeating: 0x61, count: 256)]) }
        #expect(throws: ServiceRecordProblem.missing("protocol")) { try ServiceRecord(entries: []) }
    }
}
