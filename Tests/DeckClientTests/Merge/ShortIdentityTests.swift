import RelayProtocol
import Testing

@testable import DeckClient

struct ShortIdentityTests {
    private static func identities(_ texts: [String]) -> [TaskIdentity] { texts.compactMap { TaskIdentity($0) } }

    @Test(arguments: [
        ([], []),
        (["0199aaaa-1111-7000-8000-000000000001"], ["0199aaaa"]),
        (["0199aaaa-1111-7000-8000-000000000001", "0199aaaa-1111-7000-8000-000000000001"], ["0199aaaa", "0199aaaa"]),
        (["0199aaab-1111-7000-8000-000000000001", "0199aaaa-1111-7000-8000-000000000001"], ["0199aaab", "0199aaaa"]),
        (["0199aaaa-2111-7000-8000-000000000001", "0199aaaa-1111-7000-8000-000000000001"], ["0199aaaa-2", "0199aaaa-1"]),
        (
            ["0199aaaa-1111-7000-8000-000000000001", "0199aaaa-1111-7000-8000-000000000002", "0199aaaa-1200-7000-8000-000000000001"],
            ["0199aaaa-1111-7000-8000-000000000001", "0199aaaa-1111-7000-8000-000000000002", "0199aaaa-12"]
        ),
    ])
    func areAsShortAsTellsThemApart(texts: [String], expected: [String]) {
        let identities = Self.identities(texts)
        #expect(identities.count == texts.count)
        let prefixes = ShortIdentity.prefixes(of: identities)
        #expect(identities.map { prefixes[$0] } == expected)
    }

    @Test("What is printed means its task again") func findTheirTask() throws {
        let ids = (0..<6).map { "0199aaaa-\($0 / 2)\($0 % 2)11-7000-8000-000000000001" }
        let board = Lab.board([Lab.view(1, ids.enumerated().map { Lab.slot($0, $0, key: "local:" + $1) })])
        for identity in Self.identities(ids) {
            let prefix = ShortIdentity.prefix(of: identity, on: board)
            #expect(prefix.count == 11)
            #expect(try TargetResolver.resolve(prefix, on: board) == identity)
        }
        #expect(ShortIdentity.prefix(of: Lab.task(7), on: board) == "00000007", "also of a task that is on no board")
    }
}
