import Testing

@testable import CodexKit

struct StructuredOutputFramingTests {
    private struct Result: Equatable {
        var text = "", payload = ""
        var ends = 0
    }

    private static func run(_ pieces: [String]) -> Result {
        var framing = StructuredOutputFraming()
        var result = Result()
        for piece in pieces.flatMap({ framing.receive($0) }) + framing.finish() {
            switch piece {
            case .text(let text): result.text += text
            case .payload(let text): result.payload += text
            case .payloadEnd: result.ends += 1
            }
        }
        return result
    }

    private static let cases: [(String, Result)] = [
        ("plain", Result(text: "plain")),
        ("Hi.<structured_output>{\"a\":1}</structured_output>", Result(text: "Hi.", payload: "{\"a\":1}", ends: 1)),
        ("A <b> and <<structured_output>[]</structured_output> end", Result(text: "A <b> and < end", payload: "[]", ends: 1)),
        (
            "<structured_output>{\"t\":\"</structured_output>\"}</structured_output>!",
            Result(text: "!", payload: "{\"t\":\"</structured_output>\"}", ends: 1)
        ),
        ("<structured_output>\"\\\"</structured_output>\\\\\"</structured_output>", Result(payload: "\"\\\"</structured_output>\\\\\"", ends: 1)),
        ("<structured_output>1 < 2</structured_output>", Result(payload: "1 < 2", ends: 1)),
        ("cut <structured_outp", Result(text: "cut <structured_outp")),
        ("cut <structured_output>{\"a\"", Result(text: "cut ", payload: "{\"a\"")),
        (
            "a<structured_output>1</structured_output>b<structured_output>2</structured_output>",
            Result(text: "ab<structured_output>2</structured_output>", payload: "1", ends: 1)
        ),
        ("grün 🙂 <structured_output>\"ü🙂\"</structured_output> süß", Result(text: "grün 🙂  süß", payload: "\"ü🙂\"", ends: 1)),
        ("", Result()),
    ]

    @Test(arguments: cases.indices, [1, 2, 3, 5, 1_000])
    func cuttingNeverChangesTheOutcome(index: Int, size: Int) {
        let (input, expected) = Self.cases[index]
        let scalars = Array(input)
        let pieces = stride(from: 0, to: scalars.count, by: size).map { String(scalars[$0..<min($0 + size, scalars.count)]) }
        #expect(Self.run(pieces) == expected)
    }

    @Test func aValueThatIsTooLargeIsDropped() {
        var framing = StructuredOutputFraming()
        _ = framing.receive("<structured_output>\"")
        for _ in 0..<1_100 { _ = framing.receive(String(repeating: "a", count: 1_000)) }
        #expect(framing.isTooLarge)
        #expect(framing.payload.count <= StructuredOutputFraming.payloadLimit)
    }

    @Test(arguments: [
        ("{", "{}"), ("{\"a\":1,", "{\"a\":1}"), ("{\"a\":1", "{}"), ("[[1,2],[3,", "[[1,2],[3]]"), ("{\"a\":\"x,}\",\"b", "{\"a\":\"x,}\"}"),
        ("{\"a\":[{\"b\":2}", "{\"a\":[{\"b\":2}]}"), ("[1,2]", "[1,2]"),
    ])
    func beginningsAreClosed(beginning: String, closed: String) {
        let value = PartialJSON.value(of: Array(beginning.utf8)).map { String(decoding: $0.encoded(), as: UTF8.self) }
        #expect(value == closed)
    }

    @Test(arguments: ["", "12", "\"abc", "}", "{]", "nonsense", "{\"a\" 1,"])
    func nothingComesOfNothing(text: String) { #expect(PartialJSON.value(of: Array(text.utf8)) == nil) }
}
