import JSON
import RelayProtocol
import Testing

@testable import DeckClient

struct ProfileFileTests {
    private static let book: ProfileBook = {
        var book = ProfileBookTests.book(ProfileBookTests.nearby("near", host: 1), ProfileBookTests.remote("far"), ProfileBookTests.remote("twin"))
        for id in ["far", "twin"] { _ = book.answered(id: id, host: Lab.view(1).host) }
        book.markDuplicates(live: [])
        book.requireRePairing(id: "near", reason: "certificate changed")
        return book
    }()

    @Test func whatIsWrittenIsRead() throws {
        let read = try ProfileBook(decoding: Self.book.encoded())
        #expect(read == Self.book)
        #expect(read["near"]?.rePairReason == "certificate changed")
        #expect(read["twin"]?.duplicateOf == "far")
    }

    @Test func anUnknownMemberIsDropped() throws {
        let text = #"{"version":1,"profiles":[{"id":"aaaa","name":"n","url":"wss://h","mode":"remote","pairedOrder":1,"token":"canary"}]}"#
        let written = String(decoding: try ProfileBook(decoding: Array(text.utf8)).encoded(), as: UTF8.self)
        #expect(!written.contains("canary"))
        #expect(written.contains("aaaa"))
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"profiles":[]}"#, #"{"version":2,"profiles":[]}"#, #"{"version":1}"#, #"{"version":1,"profiles":{}}"#,
        #"{"version":1,"profiles":[7]}"#, #"{"version":1,"profiles":[],"profiles":[]}"#,
    ])
    func aFileOfAnotherShapeIsDamaged(text: String) {
        #expect(throws: ProfileError.self) { try ProfileBook(decoding: Array(text.utf8)) }
    }

    @Test(arguments: [
        ("id", JSONValue.null), ("id", "A B"), ("name", ""), ("name", "a\u{1b}b"), ("url", "wss://1.2.3.4:47653"), ("url", 7), ("mode", "far"),
        ("mode", nil),
        ("pairedOrder", 1.5), ("pairedOrder", -1), ("hostId", "no"), ("hostId", nil), ("fingerprint", "abc"), ("fingerprint", nil),
        ("platform", "linux"), ("os", 1),
        ("os", .string(String(repeating: "x", count: 33))), ("rePair", .string(String(repeating: "x", count: 257))), ("duplicateOf", 3),
    ])
    func aDamagedMemberIsNotGuessedBack(member: String, value: JSONValue) throws {
        var root = try JSONParser().parse(ProfileBookTests.book(ProfileBookTests.nearby("near", host: 1)).encoded())
        guard case .object(var members) = root, var profile = members["profiles"]?[0]?.object else { return #expect(Bool(false)) }
        profile[member] = value
        members["profiles"] = .array([.object(profile)])
        root = .object(members)
        #expect { try ProfileBook(decoding: root.encoded()) } throws: { error in
            if case .damaged(let reason)? = error as? ProfileError { reason.hasPrefix("profile 1: ") } else { false }
        }
    }

    @Test func twoProfilesWithOneIdAndTooLargeFilesAreDamaged() throws {
        let one = #"{"id":"aaaa","name":"n","url":"wss://h","mode":"remote","pairedOrder":1}"#
        #expect(throws: ProfileError.damaged(reason: "its id is not valid")) {
            try ProfileBook(decoding: Array(#"{"version":1,"profiles":[\#(one),\#(one)]}"#.utf8))
        }
        #expect(throws: ProfileError.damaged(reason: "it is larger than 256 KiB")) {
            try ProfileBook(decoding: [UInt8](repeating: 0x20, count: ProfileBook.maximumFileBytes + 1))
        }
    }

    @Test(arguments: 0..<200)
    func cutOffAnywhereItIsDamagedAndNothingTraps(percent: Int) {
        let bytes = Self.book.encoded()
        let cut = Array(bytes.prefix(bytes.count * percent / 200))
        #expect(throws: ProfileError.self) { try ProfileBook(decoding: cut) }
    }
}

struct MergeMemoryFileTests {
    private static let memory: MergeMemory = {
        var seen = Acknowledgements()
        seen.record(Lab.task(1), .init(completion: .number(0), error: .unnumbered), at: Lab.now)
        seen.record(Lab.task(2), .init(completion: .unnumbered, error: .number(9)), at: Lab.ago(5))
        let joins = TemporaryKeyJoins([.init(temporary: Lab.task(90), task: Lab.task(1), evidence: .selection, seenAt: Lab.now)])
        return MergeMemory(acknowledgements: seen, joins: joins)
    }()

    @Test func whatIsWrittenIsRead() throws { #expect(try MergeMemory(decoding: Self.memory.encoded()) == Self.memory) }

    @Test(arguments: [
        "", "{}", #"{"version":1,"seen":[],"joins":0}"#, #"{"version":1,"seen":[{}],"joins":[]}"#, #"{"version":1,"seen":[],"joins":[{}]}"#,
        #"{"version":1,"seen":[{"task":"00000001-aaaa-4000-8000-000000000000","at":0}],"joins":[]}"#,
        #"{"version":1,"seen":[{"task":"00000001-aaaa-4000-8000-000000000000","at":1,"completions":[-1]}],"joins":[]}"#,
        #"{"version":1,"seen":[{"task":"00000001-aaaa-4000-8000-000000000000","at":1,"completions":[1.5]}],"joins":[]}"#,
        #"{"version":1,"seen":[{"task":"00000001-aaaa-4000-8000-000000000000","at":1,"error":"x"}],"joins":[]}"#,
    ])
    func aDamagedFileIsRefused(text: String) {
        #expect(throws: MergeMemoryError.damaged) { try MergeMemory(decoding: Array(text.utf8)) }
    }

    @Test func theFullestMemoryFitsItsFile() throws {
        var seen = Acknowledgements()
        for number in 0..<Acknowledgements.capacity {
            for revision in 0..<4 {
                seen.record(
                    Lab.task(number), .init(completion: .number(9_007_199_254_740_900 + Int64(revision)), error: .number(9_007_199_254_740_991)),
                    at: Lab.now)
            }
            seen.record(Lab.task(number), .init(completion: .unnumbered), at: Lab.now)
        }
        let joins = TemporaryKeyJoins(
            (0..<TemporaryKeyJoins.capacity).map { .init(temporary: Lab.task(5000 + $0), task: Lab.task($0), evidence: .selection, seenAt: Lab.now) })
        let memory = MergeMemory(acknowledgements: seen, joins: joins)
        #expect(memory.encoded().count < MergeMemory.maximumFileBytes)
        #expect(try MergeMemory(decoding: memory.encoded()) == memory)
    }
}
