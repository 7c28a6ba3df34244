import Log
import Testing

struct RedactionTests {
    private static let run31 = String(repeating: "aB3-_x7Q", count: 3) + "aB3-_x7"
    private static let run32 = run31 + "Q"
    private static let uuid = "019a2b3c-4d5e-7f60-8123-456789abcdef"

    @Test(arguments: [
        ("", ""), ("plain words stay", "plain words stay"), (run31, run31), (run32, "[hidden]"), ("a/\(run32)/b", "a/[hidden]/b"),
        ("\(run32)==", "[hidden]"), ("task \(uuid) is idle", "task \(uuid) is idle"), (uuid + "0", "[hidden]"), ("x" + uuid, "[hidden]"),
        ("größe \(run32) 標題", "größe [hidden] 標題"),
    ])
    func masksLongRuns(text: String, expected: String) { #expect(redact(text) == expected) }

    @Test func masksARunOfAnyLengthAsOne() { #expect(redact(String(repeating: "a", count: 100_000)) == "[hidden]") }

    @Test(arguments: [
        ("codexdeck://pair?name=box&token=abc&port=1", "codexdeck://pair?name=box&token=[hidden]&port=1"),
        ("token=", "token="), ("token=\nnext", "token=\nnext"), ("TOKEN=abc", "TOKEN=[hidden]"),
        ("access_token: abc def", "access_token: [hidden] def"),
        (#"{"token":"a\"b\\","port":1}"#, #"{"token":"[hidden]","port":1}"#), (#""token":"a\"#, #""token":"[hidden]"#),
        (#"{"accessToken" : "a b c", "x": 1}"#, #"{"accessToken" : "[hidden]", "x": 1}"#),
        (#"{\"token\":\"abc\"}"#, #"{\"token\":\"[hidden]\"}"#), ("token%3Dabc", "token%3D[hidden]"), ("token%3dabc", "token%3d[hidden]"),
        ("password='a b'", "password='[hidden]'"), ("client_secret=x;y", "client_secret=[hidden];y"), ("api-key: k1", "api-key: [hidden]"),
        ("the token was refused", "the token was refused"), ("tokens=3", "tokens=3"), ("token", "token"), ("token:", "token:"),
        ("token: ", "token: "),
    ])
    func masksValuesOfSensitiveNames(text: String, expected: String) { #expect(redact(text) == expected) }

    @Test(arguments: [
        ("Bearer abc", "Bearer [hidden]"), ("bearer  a.b-c~d x", "bearer  [hidden] x"), ("Bearer", "Bearer"), ("Bearer ", "Bearer "),
        ("Authorization: Bearer abc\r\nHost: x", "Authorization: [hidden]\r\nHost: x"), ("authorization: Basic YTpi", "authorization: [hidden]"),
        ("Cookie: a=b; c=d\nX: y", "Cookie: [hidden]\nX: y"), ("sk-0123456789abcdefghij", "[hidden]"), ("sk-short", "sk-short"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln x", "[hidden] x"),
    ])
    func masksCredentials(text: String, expected: String) { #expect(redact(text) == expected) }

    @Test(arguments: [
        ("a -----BEGIN PRIVATE KEY-----\nMIGH\nAgE=\n-----END PRIVATE KEY-----\nb", "a [hidden]\nb"),
        ("-----BEGIN EC PRIVATE KEY-----\\nMIGH\\n-----END EC PRIVATE KEY-----\",\"x\"", "[hidden]\",\"x\""),
        ("-----BEGIN CERTIFICATE-----\nAAAA", "[hidden]"), ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END", "[hidden]"), ("-----BEGIN", "-----BEGIN"),
        ("-----END X-----", "-----END X-----"),
    ])
    func masksPEMBlocks(text: String, expected: String) { #expect(redact(text) == expected) }

    @Test func everyCutOfASecretLineIsSurvivedAndNeverShowsMore() {
        let line = Array("x token=\"c4n4ry\" Bearer c4n4ry -----BEGIN A-----\nc4n4ry\n-----END A-----".utf8)
        for end in 0...line.count {
            #expect(!redact(String(decoding: line[..<end], as: UTF8.self)).contains("c4n4r"))
        }
    }

    @Test func takesTimeInProportionToTheText() {
        // Each of these would take minutes if the search began anew at every character.
        for piece in ["token", "-----BEGIN A", "bearer ", "token\"", "-", "eyJ.", "%3d"] {
            #expect(redact(String(repeating: piece, count: 50_000)).utf8.count <= 50_000 * 24)
        }
    }
}
