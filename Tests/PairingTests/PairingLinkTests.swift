import RelayProtocol
import Testing

@testable import Pairing

struct PairingLinkTests {
    @Test func readsEveryField() throws {
        let link = try PairingLink(Fixture.link())
        #expect(link.host.uuid == Fixture.hostID)
        #expect(link.name == "Studio PC")
        #expect(link.platform == .mac)
        #expect(link.os == "linux")
        #expect(link.address == IPv4Address("192.168.1.20"))
        #expect(link.port == 47653)
        #expect(link.token.secret.reveal() == Fixture.token)
        #expect(link.fingerprint.hex == Fixture.fingerprint)
    }

    @Test func writesWhatItReads() throws {
        let text = Fixture.link()
        #expect(try PairingLink(text).text == text)
    }

    @Test("Names survive the way there and back", arguments: ["a+b c&d=e%20", "Büro №1", "日本語 🖥️", "it's #1?/:@"])
    func roundTripsNames(name: String) throws {
        let text = try Fixture.pairingLink(name: name).text
        #expect(!text.contains(" "))
        #expect(try PairingLink(text).name == name)
    }

    @Test func readsPlusAsBlankButWritesPercent20() throws {
        let link = try PairingLink(Fixture.link(["name": "Studio+PC"]))
        #expect(link.name == "Studio PC")
        #expect(link.text.contains("name=Studio%20PC&"))
    }

    @Test func acceptsFingerprintsWithColonsAndCapitals() throws {
        let pairs = stride(from: 0, to: 64, by: 2).map { Array(Fixture.fingerprint)[$0...$0 + 1].map(String.init).joined() }
        let link = try PairingLink(Fixture.link(["fingerprint": pairs.joined(separator: ":").uppercased()]))
        #expect(link.fingerprint.hex == Fixture.fingerprint)
    }

    @Test func needsNoSystemName() throws {
        #expect(try PairingLink(Fixture.link(["os": nil])).os == nil)
    }

    @Test func skipsUnknownParameters() throws {
        #expect(try PairingLink(Fixture.link() + "&color=blue&flag").name == "Studio PC")
    }

    @Test("A link as people paste it", arguments: [" %@\n", "\r\n%@\r\n", "%@"])
    func dropsBlanksAround(form: String) throws {
        let parts = form.split(separator: "%@", omittingEmptySubsequences: false)
        #expect(try PairingLink(parts[0] + Fixture.link() + parts[1]).port == 47653)
    }

    @Test("Scheme and host are read in any case, and the host may end in a slash", arguments: ["CODEXDECK://PAIR?", "codexdeck://pair/?"])
    func acceptsHarmlessForms(start: String) throws {
        #expect(try PairingLink(start + Fixture.link().split(separator: "?")[1]).port == 47653)
    }

    @Test("What is no link at all", arguments: [
        "", " ", "codexdeck", "codexdeck:", "codexdeck://", "https://pair?version=1", "codexdeck://agent/x", "codexdeck://pairs?version=1",
        "codexdeck://pair.example?version=1", "codexdeck://me@pair?version=1", "codexdeck://pair:80?version=1", "codexdeck://pair/x?version=1",
        "xcodexdeck://pair?version=1",
    ])
    func refusesOtherSchemesAndHosts(text: String) {
        #expect(throws: PairingLinkError.notAPairingLink) { try PairingLink(text) }
    }

    @Test("Damaged links", arguments: [
        "%", "%4", "%zz", "%00", "%ff", "%C3", "a b", "a\u{7f}", "a#b", "a\tb",
    ])
    func refusesBrokenEscapes(name: String) {
        #expect(throws: PairingLinkError.malformed) { try PairingLink(Fixture.link(["name": name])) }
    }

    @Test func refusesFragments() {
        #expect(throws: PairingLinkError.malformed) { try PairingLink(Fixture.link() + "#top") }
    }

    @Test("Every parameter but os must be there", arguments: PairingLink.Parameter.allCases.filter { $0 != .os })
    func refusesMissing(parameter: PairingLink.Parameter) {
        #expect(throws: PairingLinkError.missing(parameter)) { try PairingLink(Fixture.link([parameter.rawValue: nil])) }
    }

    @Test("No parameter may stand twice, even with one value", arguments: PairingLink.Parameter.allCases)
    func refusesRepeated(parameter: PairingLink.Parameter) throws {
        let value = try #require(Fixture.parameters.first { $0.0 == parameter.rawValue }).1
        #expect(throws: PairingLinkError.repeated(parameter)) { try PairingLink(Fixture.link() + "&\(parameter.rawValue)=\(value)") }
    }

    @Test func seesRepetitionThroughEscapes() {
        #expect(throws: PairingLinkError.repeated(.token)) { try PairingLink(Fixture.link() + "&%74oken=" + Fixture.token) }
    }

    @Test func doesNotQuoteAnUnknownRepeatedName() {
        #expect(throws: PairingLinkError.repeated(nil)) { try PairingLink(Fixture.link() + "&x&x") }
    }

    @Test("Values that break a rule", arguments: [
        ("version", "2", PairingLinkError.unsupportedVersion), ("version", "", .unsupportedVersion), ("version", "01", .unsupportedVersion),
        ("mode", "remote", .unsupportedMode), ("hostId", "", .invalid(.hostID)), ("hostId", Fixture.hostID + "0", .invalid(.hostID)),
        ("hostId", "local:" + Fixture.hostID, .invalid(.hostID)), ("platform", "linux", .invalid(.platform)),
        ("platform", "", .invalid(.platform)), ("platform", "Darwin", .invalid(.platform)), ("name", "", .invalid(.name)),
        ("name", "%20", .invalid(.name)), ("name", "a%0ab", .invalid(.name)), ("name", "a%1b[31m", .invalid(.name)),
        ("name", "%C2%9B31m", .invalid(.name)), ("name", "a%E2%80%AEb", .invalid(.name)), ("os", "", .invalid(.os)),
        ("os", "lin%0aux", .invalid(.os)), ("os", String(repeating: "x", count: 33), .invalid(.os)),
        ("fingerprint", "", .invalid(.fingerprint)), ("fingerprint", String(Fixture.fingerprint.dropLast()), .invalid(.fingerprint)),
        ("fingerprint", Fixture.fingerprint + "0", .invalid(.fingerprint)),
        ("fingerprint", String(Fixture.fingerprint.dropLast()) + "g", .invalid(.fingerprint)),
        ("fingerprint", String(Fixture.fingerprint.dropLast()) + "%EF%BC%91", .invalid(.fingerprint)),
    ])
    func refusesBadValue(name: String, value: String, error: PairingLinkError) {
        #expect(throws: error) { try PairingLink(Fixture.link([name: value])) }
    }

    @Test("Lengths of the token", arguments: [(31, false), (32, true), (512, true), (513, false), (0, false)])
    func boundsTokens(length: Int, isGood: Bool) {
        let text = Fixture.link(["token": String(repeating: "x", count: length)])
        if isGood {
            #expect((try? PairingLink(text))?.token.secret.reveal().utf8.count == length)
        } else {
            #expect(throws: PairingLinkError.invalid(.token)) { try PairingLink(text) }
        }
    }

    @Test("Lengths of the name", arguments: [(1, true), (128, true), (129, false)])
    func boundsNames(length: Int, isGood: Bool) {
        let text = Fixture.link(["name": String(repeating: "x", count: length)])
        if isGood {
            #expect((try? PairingLink(text))?.name.count == length)
        } else {
            #expect(throws: PairingLinkError.invalid(.name)) { try PairingLink(text) }
        }
    }

    @Test("Endpoints in every private range, at both ends of the ports", arguments: [
        "wss://10.0.0.1:1024", "wss://172.16.0.1:65535", "wss://172.31.255.254:47653", "wss://192.168.0.1:47653", "WSS://10.1.2.3:2000/",
    ])
    func acceptsEndpoint(endpoint: String) throws {
        #expect(throws: Never.self) { try PairingLink(Fixture.link(["endpoint": endpoint])) }
    }

    @Test("Endpoints that lead elsewhere", arguments: [
        ("ws://10.0.0.1:4000", PairingLinkError.insecureEndpoint), ("https://10.0.0.1:4000", .insecureEndpoint), ("", .insecureEndpoint),
        ("10.0.0.1:4000", .insecureEndpoint), ("wss:10.0.0.1:4000", .insecureEndpoint), ("wss://8.8.8.8:4000", .publicEndpoint),
        ("wss://127.0.0.1:4000", .publicEndpoint), ("wss://169.254.1.1:4000", .publicEndpoint), ("wss://100.64.0.1:4000", .publicEndpoint),
        ("wss://172.32.0.1:4000", .publicEndpoint), ("wss://172.15.0.1:4000", .publicEndpoint), ("wss://192.169.0.1:4000", .publicEndpoint),
        ("wss://0.0.0.0:4000", .publicEndpoint), ("wss://224.0.0.1:4000", .publicEndpoint), ("wss://10.0.0.1", .invalid(.endpoint)),
        ("wss://10.0.0.1:", .invalid(.endpoint)), ("wss://10.0.0.1:1023", .invalid(.endpoint)), ("wss://10.0.0.1:65536", .invalid(.endpoint)),
        ("wss://10.0.0.1:04000", .invalid(.endpoint)), ("wss://10.0.0.1:%2B4000", .invalid(.endpoint)),
        ("wss://10.0.0.1:4000/x", .invalid(.endpoint)), ("wss://10.0.0.1:4000//", .invalid(.endpoint)),
        ("wss://10.0.0.1:4000?x", .invalid(.endpoint)), ("wss://10.0.0.1:4000%23x", .invalid(.endpoint)),
        ("wss://me@10.0.0.1:4000", .invalid(.endpoint)), ("wss://10.0.0.1:4000@8.8.8.8", .invalid(.endpoint)),
        ("wss://10.0.0.1:4000:5000", .invalid(.endpoint)), ("wss://10.1:4000", .invalid(.endpoint)), ("wss://010.0.0.1:4000", .invalid(.endpoint)),
        ("wss://10.0.0.256:4000", .invalid(.endpoint)), ("wss://studio.local:4000", .invalid(.endpoint)), ("wss://[::1]:4000", .invalid(.endpoint)),
        ("wss://167772161:4000", .invalid(.endpoint)), ("wss://10.0.0.0x1:4000", .invalid(.endpoint)), ("wss:///10.0.0.1:4000", .invalid(.endpoint)),
    ])
    func refusesEndpoint(endpoint: String, error: PairingLinkError) {
        #expect(throws: error) { try PairingLink(Fixture.link(["endpoint": endpoint])) }
    }

    @Test func boundsTheWholeLink() {
        let filler = 4096 - Fixture.link().utf8.count - 3
        #expect(throws: Never.self) { try PairingLink(Fixture.link() + "&x=" + String(repeating: "y", count: filler)) }
        #expect(throws: PairingLinkError.tooLong) { try PairingLink(Fixture.link() + "&x=" + String(repeating: "y", count: filler + 1)) }
    }

    @Test("No beginning of a link is read as a whole one, and none traps")
    func refusesEveryCutLink() {
        let text = Fixture.link(["os": nil])
        for length in 0..<text.utf8.count {
            #expect(throws: PairingLinkError.self) { try PairingLink(String(text.prefix(length))) }
        }
    }

    @Test func neverShowsTheToken() throws {
        let link = try PairingLink(Fixture.link())
        var dumped = ""
        dump(link, to: &dumped)
        for text in ["\(link)", String(reflecting: link), dumped, "\(link.token)", String(reflecting: link.token)] {
            #expect(!text.contains(Fixture.token))
        }
        for changes in [["endpoint": "x"], ["name": Fixture.token + "%"], ["version": Fixture.token]] {
            let error = #expect(throws: PairingLinkError.self) { try PairingLink(Fixture.link(changes)) }
            #expect(!String(reflecting: error).contains("canary"))
        }
        let error = #expect(throws: PairingLinkError.self) { try PairingLink("codexdeck://pair?\(Fixture.token)&\(Fixture.token)") }
        #expect(error.map { "\($0)".contains("canary") || String(reflecting: $0).contains("canary") } == false)
    }

    @Test("Every error is one sentence", arguments: [
        PairingLinkError.tooLong, .notAPairingLink, .malformed, .repeated(.token), .repeated(nil), .missing(.name), .unsupportedVersion,
        .unsupportedMode, .insecureEndpoint, .publicEndpoint, .invalid(.endpoint),
    ])
    func errorsArePlainSentences(error: PairingLinkError) {
        let text = error.description
        #expect(text.hasSuffix(".") && text.first?.isUppercase == true && !text.contains("\n"))
    }
}
