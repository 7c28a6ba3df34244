import RelayProtocol
import Testing

@testable import DeckClient

struct TargetResolverTests {
    private static let board = Lab.board([
        Lab.view(
            1,
            [
                Lab.slot(0, 0x12ab, title: "Fix the login"), Lab.slot(1, 0x12ac, title: "Fix"), Lab.slot(3, 0xdead, title: "ÄNDERE die Farbe 🎨"),
                Lab.slot(4, 9, key: "unreadable", title: "Odd"), Lab.slot(5, 0xf00d, title: "dead code \u{1b}[31m"),
            ])
    ])

    private func resolve(_ words: String) -> Result<Int, TargetError> {
        Result { () throws(TargetError) in try TargetResolver.resolve(words, on: Self.board) }.map { Int($0.uuid.prefix(8), radix: 16)! }
    }

    @Test(arguments: [
        ("1", 0x12ab), (" 4 ", 0xdead), ("000012ab", 0x12ab), ("0000F00D-aaaa", 0xf00d), ("0000f00daaaa4000", 0xf00d), ("login", 0x12ab),
        ("FIX THE", 0x12ab),
        ("fix", 0x12ac), ("ändere", 0xdead), ("🎨", 0xdead), ("code", 0xf00d),
    ])
    func findsOneTask(words: String, number: Int) { #expect(resolve(words) == .success(number)) }

    @Test func findsAWholeKeyAndIdentity() {
        #expect(resolve(Lab.task(0xdead).uuid.uppercased()) == .success(0xdead))
        #expect(resolve("remote:" + Lab.task(0xdead).uuid) == .success(0xdead))
        #expect(resolve(Lab.task(0xbeef).uuid) == .failure(.noMatch(Lab.task(0xbeef).uuid)))
    }

    @Test(arguments: ["3"]) func anEmptyKeyIsSaidSo(words: String) { #expect(resolve(words) == .failure(.emptySlot(3))) }
    @Test func aKeyWithAnUnreadableTaskIsSaidSo() { #expect(resolve("5") == .failure(.unreadable(5))) }

    @Test(arguments: ["", "  ", "0", "7", "12", "000", "nothing", "00003", "odd", "--", "-", "0000-0000-0000-0000-0000-0000-0000-0000-0000"])
    func whatFitsNothingIsSaidSo(words: String) {
        #expect(resolve(words) == .failure(.noMatch(words)))
    }

    @Test func whatFitsSeveralIsAmbiguous() {
        #expect(resolve("000012a") == .failure(.ambiguous("000012a", candidates: [Lab.task(0x12ab), Lab.task(0x12ac)])))
        #expect(resolve("e") == .failure(.ambiguous("e", candidates: [0x12ab, 0xdead, 0xf00d].map(Lab.task))))
    }

    @Test func anIdentityAndAnothersTitleAreAmbiguous() {
        let uuid = Lab.task(0xdead).uuid
        let board = Lab.board([Lab.view(1, [Lab.slot(0, 0xdead, title: "x"), Lab.slot(1, 2, title: "see 0000dead")])])
        #expect(throws: TargetError.ambiguous("0000dead", candidates: [Lab.task(0xdead), Lab.task(2)])) {
            try TargetResolver.resolve("0000dead", on: board)
        }
        #expect(throws: Never.self) { try TargetResolver.resolve(uuid, on: board) }
    }

    @Test func theRestOfTheBoardIsFoundToo() throws {
        let board = Lab.board([Lab.view(1, (0..<6).map { Lab.slot($0, $0 + 1) }), Lab.view(2, [Lab.slot(0, 99, title: "Ninety-nine")])])
        #expect(board.keyNumbers.contains(99) == false)
        #expect(try TargetResolver.resolve("ninety", on: board) == Lab.task(99))
    }

    @Test func sentencesHoldNoWordsFromOutside() {
        let sentence = TargetError.ambiguous("\u{1b}[2J", candidates: [Lab.task(1), Lab.task(2)]).description
        #expect(!sentence.contains("\u{1b}"))
        #expect(TargetError.noMatch("\u{1b}").description.contains("\u{1b}") == false)
        #expect(TargetError.noMatch("parser").description == "No task matches \"parser\"; `deckclient agents` lists them.")
        #expect(TargetError.noMatch(String(repeating: "x", count: 5000)).description.count < 200)
    }

    @Test("What is ambiguous is told by beginnings that differ, also beyond the sixth")
    func candidatesAreToldApart() {
        let two = ["0199aaaa-1111-7000-8000-000000000001", "0199aaaa-1112-7000-8000-000000000001"].compactMap { TaskIdentity($0) }
        #expect(
            TargetError.ambiguous("0199", candidates: two).description
                == "That fits 2 tasks: 0199aaaa-1111, 0199aaaa-1112; use more characters of the identity.")
        let seven = (0..<7).compactMap { TaskIdentity("0199aaaa-111\($0)-7000-8000-000000000001") }
        #expect(TargetError.ambiguous("0199", candidates: seven).description.contains("0199aaaa-1115, …;"))
    }
}
