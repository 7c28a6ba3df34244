import JSON
import Testing

struct JSONSkimmerTests {
    private func skim(_ text: String, _ paths: [[String]], isPrefix: Bool = false) throws(JSONError) -> [JSONValue?] {
        try JSONSkimmer(paths).fields(of: Array(text.utf8), isPrefix: isPrefix)
    }

    @Test func findsMembersAtEveryDepth() throws {
        let text = #" { "skip" : [ "}", {"type":0}, "\"]" ] , "type" : "a", "payload" : { "x" : {} , "type" : 2 } , "t" : null }"#
        #expect(try skim(text, [["type"], ["payload", "type"], ["t"], ["payload", "x"]]) == ["a", 2, .null, [:]])
    }

    @Test func aContainerAndItsMemberCanBothBeAskedFor() throws {
        #expect(try skim(#"{"a":{"b":{"c":1},"d":2}}"#, [["a"], ["a", "b", "c"], ["a", "b"]]) == [["b": ["c": 1], "d": 2], 1, ["c": 1]])
    }

    @Test(arguments: [
        (#"{}"#, nil), (#"{"payload":3}"#, nil), (#"{"payload":["type"]}"#, nil), (#"{"payload":{}}"#, nil), (#"{"payload":{"type":null}}"#, .null),
        (#"{"p\u0061yload":{"t\u0079pe":1}}"#, 1), (#"{"payload":{"type":1,"type":2}}"#, 1), (#"{"payload":{},"payload":{"type":3}}"#, 3),
        (#"{"payload\"":{"type":1}}"#, nil), (#"{"payloa":{"type":1},"payloads":{"type":1}}"#, nil),
    ] as [(String, JSONValue?)])
    func takesTheFirstMatch(text: String, expected: JSONValue?) throws {
        #expect(try skim(text, [["payload", "type"]]) == [expected])
    }

    @Test func repeatedKeysCountOnce() throws {
        #expect(try skim(#"{"a":1,"a":2,"a":{"x":3},"b":4}"#, [["b"], ["a"]]) == [4, 1])
    }

    @Test func stopsReadingOnceNothingIsMissing() throws {
        #expect(try skim(#"{"type":"a","payload":{"type":"b" this is not JSON"#, [["type"], ["payload", "type"]]) == ["a", "b"])
        #expect(throws: JSONError.self) { try skim(#"{"type":"a" this is not JSON"#, [["type"], ["missing"]]) }
    }

    @Test func aPrefixGivesWhatIsComplete() throws {
        let text = Array(#"{"type":"a","n":12,"payload":{"type":"b","text":"ccc"}}"#.utf8)
        let skimmer = JSONSkimmer([["n"], ["payload", "type"], ["payload", "text"]])
        for end in text.indices {
            let found = try skimmer.fields(of: text[..<end], isPrefix: true)
            #expect(found[0] == (end >= 19 ? 12 : nil), "a number that touches the end may go on: \(end)")
            #expect(found[1] == (end >= 40 ? "b" : nil), "\(end)")
            #expect(found[2] == (end >= 53 ? "ccc" : nil), "\(end)")
        }
        #expect(throws: JSONError.self) { try skimmer.fields(of: text.dropLast(10)) }
    }

    @Test(arguments: ["", "[]", "1", "\"a\"", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1:", "{a:1}", "{\"a\":]", "x{}"])
    func refusesWhatIsNoObject(text: String) {
        #expect(throws: JSONError.self) { try skim(text, [["type"]]) }
    }

    @Test func aBadValueAtAPathIsRefused() {
        #expect(throws: JSONError(.unexpectedByte, at: 1)) { try skim(#"{"type":01}"#, [["type"]]) }
        #expect(throws: JSONError(.unexpectedByte, at: 1)) { try skim(#"{"type":[}}"#, [["type"]]) }
        #expect(throws: JSONError(.controlCharacter, at: 1)) { try skim("{\"type\":\"\n\"}", [["type"]]) }
    }

    @Test func skippedContainersMayBeOfAnyDepth() throws {
        let deep = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
        #expect(try skim(#"{"skip":\#(deep),"type":1}"#, [["type"]]) == [1])
        #expect(throws: JSONError.self) { try skim(#"{"type":\#(deep)}"#, [["type"]]) }
    }

    @Test func pathsThatCannotMatchAreHarmless() throws {
        #expect(try skim(#"{"a":1}"#, [[], ["a"], Array(repeating: "x", count: 1000)]) == [nil, 1, nil])
        #expect(try skim(#"{"a":1}"#, []) == [])
    }

    @Test func rangesPointIntoTheText() throws {
        let text = Array(#"{"a": [1, 2] ,"b":"x"}"#.utf8)
        let ranges = try text.withUnsafeBytes { try JSONSkimmer([["b"], ["a"]]).ranges(of: $0) }
        #expect(ranges == [18..<21, 6..<12])
    }
}
