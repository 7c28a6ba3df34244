import RelayProtocol
import Testing

@testable import DeckClient

struct ProfileBookTests {
    static let pin = String(repeating: "a1", count: 32)

    static func nearby(_ id: String, host: Int, name: String? = nil, address: String = "wss://192.168.1.5:47653", fingerprint: String = pin)
        -> NodeProfile
    {
        NodeProfile(
            id: id, name: name ?? "Node \(host)", address: try! NodeAddress(address), route: .nearby, hostID: Lab.hostID(host),
            fingerprint: fingerprint,
            platform: .mac, os: "linux")
    }

    static func remote(_ id: String, host: Int? = nil, name: String = "Far", address: String? = nil) -> NodeProfile {
        NodeProfile(id: id, name: name, address: try! NodeAddress("wss://\(address ?? id).example"), route: .remote, hostID: host.map(Lab.hostID))
    }

    static func book(_ profiles: NodeProfile...) -> ProfileBook {
        var book = ProfileBook()
        for profile in profiles { _ = try! book.add(profile) }
        return book
    }

    @Test func replacingSettlesWhatAskedForANewPairing() throws {
        var book = ProfileBook()
        let address = try NodeAddress("wss://one.example:1")
        let added = try book.add(NodeProfile(id: "aaaa", name: "Far", address: address, route: .remote))
        book.requireRePairing(id: added.id, reason: "token refused")
        try book.replace(id: added.id)
        #expect(book[added.id]?.rePairReason == nil)
        #expect(book[added.id]?.address == address)
        let other = try NodeAddress("wss://two.example:2")
        try book.replace(id: added.id, address: other)
        #expect(book[added.id]?.address == other)
        #expect(throws: ProfileError.self) { try book.replace(id: added.id, address: try NodeAddress("ws://100.101.102.103:1")) }
        #expect(book[added.id]?.address == other)
        try book.replace(id: added.id, address: try NodeAddress("ws://100.101.102.103:1"), allowsTailnet: true)
        #expect(book[added.id]?.allowsTailnet == true)
        #expect(throws: ProfileError.notFound("none")) { try book.replace(id: "none") }
    }

    @Test func profilesKeepTheOrderOfPairing() {
        let book = Self.book(Self.nearby("zzzz", host: 1), Self.remote("aaaa"))
        #expect(book.profiles.map(\.id) == ["zzzz", "aaaa"])
        #expect(book.profiles.map(\.pairedOrder) == [1, 2])
    }

    @Test func pairingAgainRenewsTheProfile() throws {
        var book = Self.book(Self.nearby("first", host: 1), Self.nearby("other", host: 2))
        try book.rename(id: "first", to: "Desk")
        book.requireRePairing(id: "first", reason: "certificate changed")
        let pin = String(repeating: "b2", count: 32)
        let renewed = try book.add(Self.nearby("second", host: 1, address: "wss://10.0.0.9:47653", fingerprint: pin))
        #expect(renewed.id == "first")
        #expect(renewed.name == "Desk")
        #expect(renewed.pairedOrder == 1)
        #expect(renewed.rePairReason == nil)
        #expect(renewed.fingerprint == pin)
        #expect(renewed.address.host == "10.0.0.9")
        #expect(book.profiles.count == 2)
    }

    @Test func addingAnAddressAgainRenewsTheProfile() throws {
        var book = Self.book(Self.remote("aaaa", address: "far"))
        book.requireRePairing(id: "aaaa", reason: "token refused")
        let renewed = try book.add(Self.remote("bbbb", address: "far"))
        #expect(renewed.id == "aaaa")
        #expect(renewed.rePairReason == nil)
        #expect(book.profiles.count == 1)
    }

    @Test func theOtherRouteOfAHostIsAProfileOfItsOwn() {
        let book = Self.book(Self.remote("far", host: 1), Self.nearby("near", host: 1))
        #expect(book.profiles.count == 2)
        #expect(book.routes(to: Lab.hostID(1)).map(\.id) == ["near", "far"])
    }

    @Test func namesStayUnique() throws {
        var book = Self.book(Self.remote("aaaa"), Self.remote("bbbb", name: "far"), Self.remote("cccc"))
        #expect(book.profiles.map(\.name) == ["Far", "far 2", "Far 3"])
        #expect(throws: ProfileError.nameTaken("FAR")) { try book.rename(id: "cccc", to: " FAR ") }
        try book.rename(id: "aaaa", to: "far")
        #expect(book["aaaa"]?.name == "far")
    }

    @Test(arguments: ["", "   ", String(repeating: "x", count: 129)])
    func emptyAndLongNamesAreRefused(name: String) {
        var book = Self.book(Self.remote("aaaa"))
        #expect(throws: ProfileError.invalid(.name)) { try book.rename(id: "aaaa", to: name) }
    }

    @Test func aNameLosesWhatATerminalMustNotSee() throws {
        var book = Self.book(Self.remote("aaaa"))
        try book.rename(id: "aaaa", to: "a\u{1b}[31m\nb")
        #expect(book["aaaa"]?.name == "a[31m b")
    }

    @Test func findsByNameIdAndHost() throws {
        let book = Self.book(Self.nearby("abcd1234", host: 1, name: "Desk"), Self.nearby("abcd9999", host: 2, name: "Couch"))
        #expect(try book.find("desk").id == "abcd1234")
        #expect(try book.find("ABCD9").id == "abcd9999")
        #expect(try book.find("00000002").id == "abcd9999")
        #expect(throws: ProfileError.ambiguous("abcd", names: ["Desk (abcd1234)", "Couch (abcd9999)"])) { try book.find("abcd") }
        #expect(throws: ProfileError.notFound("abc")) { try book.find("abc") }
        #expect(throws: ProfileError.notFound("")) { try book.find("") }
    }

    @Test func removingFreesItsDuplicates() throws {
        var book = Self.book(Self.remote("aaaa"), Self.remote("bbbb"))
        _ = book.answered(id: "aaaa", host: Lab.view(1).host)
        _ = book.answered(id: "bbbb", host: Lab.view(1).host)
        #expect(book.markDuplicates(live: []) == ["bbbb"])
        let removed = try book.remove(id: "aaaa")
        #expect(removed.id == "aaaa")
        #expect(book["bbbb"]?.duplicateOf == nil)
        #expect(throws: ProfileError.notFound("aaaa")) { try book.remove(id: "aaaa") }
    }

    @Test func whatIsKeptStaysKeptWhileNobodyIsLive() {
        var book = Self.book(Self.remote("aaaa"), Self.remote("bbbb"), Self.remote("cccc"), Self.remote("dddd"))
        for (id, number) in [("aaaa", 1), ("bbbb", 1), ("cccc", 2), ("dddd", 2)] {
            let isUsable = book.answered(id: id, host: Host(id: Lab.hostID(number), name: "vm", platform: .mac))
            #expect(isUsable)
        }
        #expect(book.markDuplicates(live: []) == ["bbbb", "dddd"])
        #expect(book.markDuplicates(live: ["bbbb"]) == ["aaaa", "bbbb"])
        // The next start: another computer is the first to answer.
        #expect(book.markDuplicates(live: []) == [])
        #expect(book.markDuplicates(of: Lab.hostID(2), live: ["dddd"]) == ["cccc", "dddd"])
        #expect(book.markDuplicates(of: Lab.hostID(2), live: ["aaaa", "dddd"]) == [])
        #expect(book.profiles.map(\.duplicateOf) == ["bbbb", nil, "dddd", nil])
        // Nothing that dialling would help: the other one is.
        book.requireRePairing(id: "bbbb", reason: "the computer does not accept the token")
        #expect(book.markDuplicates(of: Lab.hostID(1), live: []) == ["aaaa", "bbbb"])
    }

    @Test func ofDuplicatesTheLiveThenThePairedThenTheOldestIsKept() {
        var book = Self.book(Self.remote("aaaa"), Self.remote("bbbb"), Self.nearby("near", host: 1))
        var paired = Self.remote("cccc")
        paired.fingerprint = Self.pin
        _ = try? book.add(paired)
        for id in ["aaaa", "bbbb", "cccc"] { _ = book.answered(id: id, host: Lab.view(1).host) }
        #expect(book.markDuplicates(live: ["bbbb"]) == ["aaaa", "cccc"])
        #expect(book.profiles.filter { $0.duplicateOf == nil }.map(\.id) == ["bbbb", "near"])
        #expect(book.markDuplicates(live: []) == ["aaaa", "bbbb", "cccc"])
        #expect(book.profiles.filter { $0.duplicateOf == nil }.map(\.id) == ["near", "cccc"])
        #expect(book.markDuplicates(live: []) == [])
        #expect(book.routes(to: Lab.hostID(1)).map(\.id) == ["near", "cccc"])
        #expect(book["aaaa"]?.isUsable == false)
    }

    @Test func anAddressMovesOnlyWithHostAndFingerprint() throws {
        var book = Self.book(Self.nearby("near", host: 1), Self.remote("far", host: 2))
        let next = try NodeAddress("wss://192.168.1.77:47653")
        #expect(book.heard(Lab.hostID(1), fingerprint: String(repeating: "0", count: 64), at: next) == .otherFingerprint(profileID: "near"))
        #expect(book.heard(Lab.hostID(3), fingerprint: Self.pin, at: next) == .unknownHost)
        #expect(book.heard(Lab.hostID(2), fingerprint: Self.pin, at: next) == .unknownHost)
        #expect(book.heard(Lab.hostID(1), fingerprint: Self.pin, at: try NodeAddress("wss://8.8.8.8:47653")) == .unusable)
        #expect(book["near"]?.address.host == "192.168.1.5")
        #expect(book["near"]?.rePairReason == nil)
        #expect(book.heard(Lab.hostID(1), fingerprint: Self.pin, at: next) == .moved(profileID: "near"))
        #expect(book.heard(Lab.hostID(1), fingerprint: Self.pin, at: next) == .unchanged(profileID: "near"))
        #expect(book["near"]?.address == next)
    }

    @Test func aProfileThatAnswersAsAnotherHostNeedsPairing() {
        var book = Self.book(Self.nearby("near", host: 1))
        let right = book.answered(id: "near", host: Lab.view(1).host)
        let wrong = book.answered(id: "near", host: Lab.view(2).host)
        #expect(right && !wrong)
        #expect(book["near"]?.hostID == Lab.hostID(1))
        #expect(book["near"]?.isUsable == false)
    }

    @Test func thereIsALimit() throws {
        var book = ProfileBook()
        for number in 0..<ProfileBook.capacity { _ = try book.add(Self.remote("id-\(number)")) }
        #expect(throws: ProfileError.tooMany(ProfileBook.capacity)) { try book.add(Self.remote("one-more")) }
    }

    @Test func anUnsoundProfileIsNotAdded() {
        var book = Self.book(Self.remote("aaaa"))
        var unpinned = Self.nearby("near", host: 1)
        unpinned.fingerprint = nil
        #expect(throws: ProfileError.invalid(.fingerprint)) { try book.add(unpinned) }
        #expect(throws: ProfileError.invalid(.fingerprint)) { try book.add(Self.nearby("near", host: 1, fingerprint: Self.pin.uppercased())) }
        #expect(throws: ProfileError.invalid(.id)) { try book.add(Self.remote("../etc", address: "etc")) }
        #expect(throws: ProfileError.invalid(.id)) { try book.add(Self.remote("aaaa", address: "elsewhere")) }
        #expect(throws: ProfileError.address(.notPrivate)) { try book.add(Self.nearby("near", host: 1, address: "wss://1.1.1.1:47653")) }
        #expect(book.profiles.count == 1)
    }
}
