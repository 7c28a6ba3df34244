import FoundationEssentials
import JSON
import Testing

@testable import CodexKit

/// What tokens say, and the account that comes of it.
struct TokenTests {
    @Test func readsTheClaimsOfBothTokens() throws {
        let id = try #require(TokenClaims(token: TestTokens.id()))
        #expect(id.accountID == "acc-1")
        #expect(id.email == "ada@example.org")
        #expect(id.name == "Ada Lovelace")
        #expect(id.plan == "plus")
        let access = try #require(TokenClaims(token: TestTokens.access(expires: 1_800_000_000)))
        #expect(access.email == "ada@example.org")
        #expect(access.issuedAt == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(access.expiresAt == Date(timeIntervalSince1970: 1_800_000_000))
    }

    @Test("What is no token", arguments: [
        "", "a", "a.b", "a.b.c.d", "..", "a.!!!.c", "a.e30.c", "a." + Base64URL.encode(Array("[1]".utf8)) + ".c", "a.eyJhIjox.c",
        "a." + String(repeating: "A", count: 70_000) + ".c",
    ])
    func noToken(text: String) {
        if text == "a.e30.c" { #expect(TokenClaims(token: text)?.accountID == nil) } else { #expect(TokenClaims(token: text) == nil) }
    }

    @Test("Times out of range are none", arguments: [-1.0, 1e300, 253_402_300_800])
    func times(seconds: Double) throws {
        #expect(try #require(TokenClaims(token: TestTokens.jwt(["exp": .number(seconds)]))).expiresAt == nil)
    }

    @Test("The name for the screen", arguments: [
        (" Ada ", "Ada"), ("Ada", "Ada"), ("\n\tAda B\u{A0}", "Ada B"), ("", "e"), ("   ", "e"), ("\u{2003}\n", "e"),
    ])
    func displayName(name: String, expected: String) {
        let account = ChatGPTAccount(id: "1", email: "e", plan: .free, name: name)
        #expect(account.displayName == expected)
        #expect(account.name == name)
    }

    @Test func theFormerInitializerIsStillOneOfItsOwn() {
        let make: (String, String, ChatGPTPlanType) -> ChatGPTAccount = ChatGPTAccount.init(id:email:plan:)
        #expect(make("1", "e", .pro) == ChatGPTAccount(id: "1", email: "e", plan: .pro, name: nil))
        #expect(make("1", "e", .pro).displayName == "e")
    }

    @Test func aStoredSessionWithoutANameStillLoads() throws {
        let text = """
            {"accessToken":"a","account":{"id":"1","email":"e","plan":"plus"},"acquiredAt":1700000000,"isExternallyManaged":false}
            """
        let session = try SessionCoding.decode(text)
        #expect(session.account.name == nil)
        #expect(session.refreshToken == nil)
        #expect(try SessionCoding.decode(SessionCoding.encode(TestTokens.session())) == TestTokens.session())
    }

    @Test("What is stored and no session is damaged, and is not quoted", arguments: ["", "{}", "null", "{\"accessToken\":\"CANARY\\n\"}"])
    func damaged(text: String) {
        let error = #expect(throws: AgentRuntimeError.self) { try SessionCoding.decode(text) }
        #expect(error?.code == .sessionDamaged)
        #expect(error?.message.contains("CANARY") == false)
    }

    @Test("A renewed identity token decides about the name", arguments: [
        (TestTokens.id(name: "New"), "New"), (TestTokens.id(name: nil), nil), (TestTokens.id(name: .null), nil), (nil, "Ada Lovelace"),
    ] as [(String?, String?)])
    func renewedName(idToken: String?, expected: String?) throws {
        var json: [String: JSONValue] = ["access_token": .string(TestTokens.access(serial: 2))]
        if let idToken { json["id_token"] = .string(idToken) }
        let session = try #require(TokenAnswer(.object(json))?.session(replacing: TestTokens.session(), now: Date(timeIntervalSince1970: 0)))
        #expect(session.account.name == expected)
        #expect(session.refreshToken == "refresh-0")
        #expect(session.account.plan == .plus)
    }

    private static let unusable: [JSONValue] = [
        [:], ["access_token": ""], ["access_token": 1], ["access_token": "a b"], ["access_token": "a\r\nX: y"],
        ["access_token": .string(String(repeating: "a", count: 16_385))],
    ]

    @Test("An answer without a usable access token is none", arguments: unusable.indices)
    func unusableAnswer(index: Int) { #expect(TokenAnswer(Self.unusable[index]) == nil) }

    @Test func anOpaqueAccessTokenTakesItsLifeFromTheAnswer() throws {
        let answer = try #require(TokenAnswer(["access_token": "opaque", "id_token": .string(TestTokens.id()), "expires_in": 3600]))
        let session = try #require(answer.session(replacing: nil, now: Date(timeIntervalSince1970: 1000)))
        #expect(session.expiresAt == Date(timeIntervalSince1970: 4600))
        #expect(TokenAnswer(["access_token": "opaque"])?.session(replacing: nil, now: Date()) == nil)
    }

    @Test func printingASessionShowsNoToken() {
        let session = TestTokens.session()
        var text = "\(session) \(String(reflecting: session)) \([session])"
        dump(session, to: &text)
        for token in [session.accessToken, session.refreshToken, session.idToken].compactMap({ $0 }) { #expect(!text.contains(token)) }
    }

    @Test("Near its end means within the margin", arguments: [(100.0, true), (101.0, false), (0.0, true), (-5.0, true)])
    func nearExpiry(left: Double, expected: Bool) {
        let session = TestTokens.session(expires: 1_000_000 + left)
        #expect(session.needsRefresh(at: Date(timeIntervalSince1970: 1_000_000), margin: 100) == expected)
        #expect(!TestTokens.session(expires: nil).needsRefresh(at: Date(), margin: 1e9))
    }
}
