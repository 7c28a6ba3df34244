import Files
import Foundation
import RelayProtocol
import Synchronization
import TLS
import Testing

@testable import Pairing

/// A state folder of its own for each test, removed with it.
final class NodePairingTests {
    let folder = NSTemporaryDirectory() + "pairing-" + UUID().uuidString
    let directory: NodeStateDirectory
    let pairing: NodePairing
    let host: HostID

    init() throws {
        directory = NodeStateDirectory(path: folder, now: { .seconds(1_700_000_000) })
        let counter = Mutex<UInt8>(0)
        pairing = NodePairing(
            directory: directory,
            random: { count in
                let start = counter.withLock { value in
                    value += 1
                    return value
                }
                return (0..<count).map { start &+ UInt8(truncatingIfNeeded: $0) }
            },
            makeCertificate: { try StoredCertificate.selfSigned(host: $0, address: $1, now: .seconds(1_700_000_000)) })
        host = try #require(HostID(Fixture.hostID))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)) }
    func write(_ text: String, _ name: String) throws {
        try PrivateDirectory.ensure(folder)
        try AtomicFile.write(text, to: folder + "/" + name)
    }
    func mode(_ path: String) throws -> Int { try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) }
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } }

    @Test func readsNothingBeforeAnythingWasMade() throws {
        #expect(try directory.hostIdentity() == .missing)
        #expect(try directory.nearby() == .missing)
        #expect(try directory.relayServer() == .missing)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func makesTheIdentityOnce() throws {
        let first = try pairing.identity(systemName: "studio\n")
        #expect(first.change == .created && first.damage == nil)
        #expect(first.value.name == "studio" && first.value.platform == .mac)
        #expect(first.value.id.uuid == "01020304-0506-4708-890a-0b0c0d0e0f10")
        let before = try bytes("host.json")
        let second = try pairing.identity(systemName: "renamed")
        #expect(second.change == .unchanged && second.value == first.value)
        #expect(try bytes("host.json") == before)
        #expect(try mode(folder) == 0o700 && mode(folder + "/host.json") == 0o600)
    }

    @Test func changesHowItPresentsItself() throws {
        let id = try pairing.identity(systemName: "studio").value.id
        let changed = try pairing.identity(systemName: "studio", presentAs: .windows)
        #expect(changed.change == .updated && changed.value.platform == .windows && changed.value.id == id)
        #expect(try pairing.identity(systemName: "studio").value.platform == .windows)
    }

    @Test func pairsOnceAndKeepsEverything() throws {
        let first = try pairing.enableNearby(host: host, address: IPv4Address("192.168.1.20"))
        #expect(first.change == .created)
        #expect(first.value.listen == .automatic && first.value.port == 47653 && first.value.discovery && first.value.enabled)
        #expect(first.value.token.secret.reveal().utf8.count == 43)
        let before = try bytes("mobile-local-relay-server.json")
        let second = try pairing.enableNearby(host: host, address: IPv4Address("10.0.0.1"))
        #expect(second.change == .unchanged && second.value == first.value)
        #expect(try bytes("mobile-local-relay-server.json") == before)
        #expect(try mode(folder + "/mobile-local-relay-server.json") == 0o600)
        #expect(try directory.nearby().value == first.value)
    }

    @Test func writesTheShapeOfOlderNodes() throws {
        let value = try pairing.enableNearby(host: host, address: nil).value
        let object = try #require(try JSONSerialization.jsonObject(with: bytes("mobile-local-relay-server.json")) as? [String: Any])
        #expect(Set(object.keys) == ["enabled", "listenHost", "port", "token", "transport", "tls", "discovery"])
        #expect(object["listenHost"] as? String == "auto" && object["port"] as? Int == 47653 && object["enabled"] as? Bool == true)
        let tls = try #require(object["tls"] as? [String: String])
        #expect(Set(tls.keys) == ["certificate", "privateKey", "fingerprintSha256"])
        #expect(tls["fingerprintSha256"] == value.certificate.fingerprint.hex)
        #expect(tls["certificate"]?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
        #expect((object["discovery"] as? [String: Bool]) == ["enabled": true])
    }

    @Test func rotationReplacesSecretsAndKeepsTheRest() throws {
        let request = NodePairing.NearbyRequest(listen: .address(IPv4Address(10, 0, 0, 1)), port: 50000, discovery: false)
        let first = try pairing.enableNearby(request, host: host, address: nil).value
        let outcome = try pairing.enableNearby(.init(rotate: true), host: host, address: nil)
        #expect(outcome.change == .rotated)
        #expect(outcome.value.token != first.token && outcome.value.certificate.fingerprint != first.certificate.fingerprint)
        #expect(outcome.value.listen == first.listen && outcome.value.port == 50000 && !outcome.value.discovery)
        #expect(try directory.nearby().value == outcome.value)
    }

    @Test func changesSettingsWithoutTouchingSecrets() throws {
        let first = try pairing.enableNearby(host: host, address: nil).value
        let outcome = try pairing.enableNearby(.init(port: 47654), host: host, address: nil)
        #expect(outcome.change == .updated && outcome.value.port == 47654)
        #expect(outcome.value.token == first.token && outcome.value.certificate == first.certificate)
    }

    @Test("Ports outside the range", arguments: [-1, 0, 1023, 65536, Int.max, Int.min])
    func refusesPorts(port: Int) throws {
        #expect(throws: ListenRefusal.port(port)) { try pairing.enableNearby(.init(port: port), host: host, address: nil) }
        #expect(throws: ListenRefusal.port(port)) { try pairing.enableRelayServer(port: port) }
        #expect(throws: ListenRefusal.loopback) {
            try pairing.enableNearby(.init(listen: .address(IPv4Address(127, 0, 0, 1))), host: host, address: nil)
        }
        #expect(try directory.nearby() == .missing)
    }

    @Test func disablingDeletesSecretsAndPictureButNotTheIdentity() throws {
        _ = try pairing.identity(systemName: "studio")
        _ = try pairing.enableNearby(host: host, address: nil)
        try directory.storePairingPicture("<svg/>")
        #expect(try mode(directory.pairingPicturePath) == 0o600)
        let first = try pairing.disableNearby()
        let second = try pairing.disableNearby()
        #expect(first && !second)
        #expect(try names == ["host.json", "pairing.lock"])
        let again = try pairing.enableNearby(host: host, address: nil)
        #expect(again.change == .created)
    }

    @Test func relayServerRotatesItsTokenEachTime() throws {
        let first = try pairing.enableRelayServer()
        #expect(first.change == .created && first.value.listenHost == "127.0.0.1" && first.value.port == 47651)
        let second = try pairing.enableRelayServer(listenHost: "100.100.1.2", port: 47660)
        #expect(second.change == .rotated && second.value.token != first.value.token)
        let third = try pairing.enableRelayServer()
        #expect(third.value.listenHost == "100.100.1.2" && third.value.port == 47660)
        #expect(try directory.relayServer().value == third.value)
        #expect(throws: ListenRefusal.wildcard) { try pairing.enableRelayServer(listenHost: "0.0.0.0") }
        #expect(throws: ListenRefusal.privateNetwork) { try pairing.enableRelayServer(listenHost: "192.168.1.1") }
        let removed = try pairing.disableRelayServer()
        let removedAgain = try pairing.disableRelayServer()
        #expect(removed && !removedAgain)
    }

    @Test("Damaged identities are set aside and named", arguments: [
        "", "{", "[]", "null", #"{"hostId":"x","hostName":"a","platform":"darwin"}"#, "{\"hostId\":\"\(Fixture.hostID)\",\"hostName\":\"a\"}",
        "{\"hostId\":\"\(Fixture.hostID)\",\"hostName\":\"\",\"platform\":\"darwin\"}",
        "{\"hostId\":\"\(Fixture.hostID)\",\"hostName\":\"a\\u001b\",\"platform\":\"darwin\"}",
        "{\"hostId\":\"\(Fixture.hostID)\",\"hostName\":\"a\",\"platform\":\"linux\"}", String(repeating: " ", count: 70_000),
    ])
    func setsDamagedIdentityAside(text: String) throws {
        try write(text, "host.json")
        let damage = try #require(try directory.hostIdentity().damage)
        #expect(damage.fileName == "host.json" && damage.movedTo == folder + "/host.json.damaged-20231114T221320Z")
        #expect(try String(decoding: bytes("host.json.damaged-20231114T221320Z"), as: UTF8.self) == text)
        #expect(try directory.hostIdentity() == .missing)
    }

    @Test func replacesDamagedConfigurationAndSaysSo() throws {
        let good = try pairing.enableNearby(host: host, address: nil).value
        let text = try String(decoding: bytes("mobile-local-relay-server.json"), as: UTF8.self)
        let token = good.token.secret.reveal()
        try write(text.replacingOccurrences(of: token, with: "short-secret"), "mobile-local-relay-server.json")
        let outcome = try pairing.enableNearby(host: host, address: nil)
        let damage = try #require(outcome.damage)
        #expect(outcome.change == .created && damage.problem.contains("token") && !"\(damage)".contains("short-secret"))
        #expect(outcome.value.token != good.token && outcome.value.certificate != good.certificate)
    }

    @Test("Configurations whose parts do not belong together", arguments: [
        ("\"port\":47653", "\"port\":80"), ("\"port\":47653", "\"port\":47653.5"), ("\"port\":47653", "\"port\":\"47653\""),
        ("\"auto\"", "\"0.0.0.0\""), ("\"auto\"", "\"127.0.0.1\""), ("\"enabled\":true,\"listenHost\"", "\"enabled\":1,\"listenHost\""),
        ("BEGIN CERTIFICATE", "BEGIN NONSENSE"), ("BEGIN PRIVATE KEY", "BEGIN NONSENSE"), ("\"fingerprintSha256\":\"", "\"fingerprintSha256\":\"00"),
        ("{\"enabled\":true}", "{\"enabled\":\"yes\"}"), ("{\"enabled\":true}", "[]"),
    ])
    func refusesInconsistentConfiguration(original: String, replacement: String) throws {
        _ = try pairing.enableNearby(host: host, address: nil)
        let text = try String(decoding: bytes("mobile-local-relay-server.json"), as: UTF8.self)
        #expect(text.contains(original))
        try write(text.replacingOccurrences(of: original, with: replacement), "mobile-local-relay-server.json")
        #expect(try directory.nearby().damage?.fileName == "mobile-local-relay-server.json")
    }

    @Test func refusesAKeyOfAnotherCertificate() throws {
        let first = try pairing.enableNearby(host: host, address: nil).value
        let other = try StoredCertificate.selfSigned(host: host, address: nil, now: .zero)
        let text = try String(decoding: bytes("mobile-local-relay-server.json"), as: UTF8.self)
        func escaped(_ key: String) -> String { key.replacingOccurrences(of: "\n", with: "\\n") }
        let mixed = text.replacingOccurrences(of: escaped(first.certificate.identity.privateKey.pem), with: escaped(other.identity.privateKey.pem))
        #expect(mixed != text)
        try write(mixed, "mobile-local-relay-server.json")
        #expect(try directory.nearby().damage != nil)
    }

    @Test func readsFilesThatLackDiscovery() throws {
        _ = try pairing.enableNearby(host: host, address: nil)
        let text = try String(decoding: bytes("mobile-local-relay-server.json"), as: UTF8.self)
        try write(text.replacingOccurrences(of: "\"discovery\":{\"enabled\":true},", with: ""), "mobile-local-relay-server.json")
        #expect(try directory.nearby().value?.discovery == true)
    }

    @Test func closesFilesThatOthersCouldRead() throws {
        _ = try pairing.enableNearby(host: host, address: nil)
        let path = folder + "/mobile-local-relay-server.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let outcome = try pairing.enableNearby(host: host, address: nil)
        #expect(outcome.exposed && outcome.change == .unchanged)
        #expect(try mode(path) == 0o600)
    }

    @Test func followsNoLink() throws {
        try write("{}", "elsewhere")
        try FileManager.default.createSymbolicLink(atPath: folder + "/host.json", withDestinationPath: folder + "/elsewhere")
        #expect(throws: FileError.symbolicLink(folder + "/host.json")) { try directory.hostIdentity() }
    }

    @Test func makesALinkThatClientsRead() throws {
        let identity = try pairing.identity(systemName: "Studio PC").value
        let configuration = try pairing.enableNearby(host: identity.id, address: nil).value
        let address = IPv4Address(192, 168, 1, 20)
        let link = configuration.link(host: identity, address: address)
        #expect(try PairingLink(link.text) == link)
        #expect(link.os == "linux" && link.address == address && link.fingerprint == configuration.certificate.fingerprint)
    }

    @Test func neverPrintsSecrets() throws {
        let configuration = try pairing.enableNearby(host: host, address: nil).value
        var dumped = ""
        dump(configuration, to: &dumped)
        let text = dumped + "\(configuration)" + String(reflecting: configuration)
        #expect(!text.contains(configuration.token.secret.reveal()) && !text.contains("PRIVATE KEY"))
    }
}

struct PairingTokenTests {
    @Test("Base64url without padding", arguments: [
        (UInt8(0), String(repeating: "A", count: 43)), (255, String(repeating: "_", count: 42) + "8"),
    ] as [(UInt8, String)])
    func encodes(byte: UInt8, text: String) throws {
        #expect(try PairingToken(using: { _ in [UInt8](repeating: byte, count: 32) }).secret.reveal() == text)
    }

    @Test func agreesWithFoundation() throws {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
        let expected = Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        #expect(try PairingToken(using: { _ in bytes }).secret.reveal() + "=" == expected)
    }

    @Test func refusesTooLittleRandomness() {
        #expect(throws: NodeStateError.noRandomness) { try PairingToken(using: { _ in [1, 2, 3] }) }
        #expect(throws: NodeStateError.noRandomness) { try HostIdentity(systemName: "x", using: { _ in [] }) }
    }
}

struct HostNameTests {
    @Test("Names made of what the system says", arguments: [
        ("studio", "studio"), ("", "Linux computer"), (" \n", "Linux computer"), ("a\u{1b}[31mb", "a[31mb"),
        (String(repeating: "x", count: 200), String(repeating: "x", count: 128)),
        (String(repeating: "🖥", count: 100), String(repeating: "🖥", count: 64)),
    ])
    func cleans(text: String, name: String) {
        #expect(HostName.cleaned(text) == name)
        #expect(HostName.validated(name) == name)
    }

    @Test func namesThisComputer() {
        let name = HostName.ofThisComputer()
        #expect(HostName.validated(name) == name && !name.contains("."))
    }
}
