import JSON
import Testing

struct JSONParserTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONParser().parse(Array(text.utf8)) }

    @Test(arguments: [
        ("null", .null), ("true", true), (" false\r\n\t", false), ("0", 0), ("-0", 0), ("\"\"", ""), ("[]", []), ("{}", [:]),
        ("[1,2 , 3]", [1, 2, 3]), (#"{"a":{"b":[null,{}]}}"#, ["a": ["b": [nil, [:]]]]), (#"{"":1}"#, ["": 1]),
        (#"{ "a" : 1 , "b" : [ ] }"#, ["a": 1, "b": []]), ("[[[]]]", [[[]]]),
    ] as [(String, JSONValue)])
    func readsValues(text: String, expected: JSONValue) throws { #expect(try parse(text) == expected) }

    @Test(arguments: [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2),
        ("[1,", .unexpectedEnd, 3), ("{", .unexpectedEnd, 1), (#"{"a""#, .unexpectedEnd, 4), (#"{"a":"#, .unexpectedEnd, 5),
        ("\"", .unexpectedEnd, 1),
        (#"{"a":1"#, .unexpectedEnd, 6), (#""\"#, .unexpectedEnd, 2), (#""\u12"#, .unexpectedEnd, 5), ("tru", .unexpectedEnd, 3),
        ("-", .unexpectedEnd, 1), ("1.", .unexpectedEnd, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
        ("[1,]", .unexpectedByte, 3), (#"{"a":1,}"#, .unexpectedByte, 7), ("[,1]", .unexpectedByte, 1), ("[1 2]", .unexpectedByte, 3),
        ("{1:2}", .unexpectedByte, 1), (#"{"a" 1}"#, .unexpectedByte, 5), ("[1}", .unexpectedByte, 2), (#"{"a":1]"#, .unexpectedByte, 6),
        ("1 1", .unexpectedByte, 2), ("{}x", .unexpectedByte, 2), ("]", .unexpectedByte, 0), ("True", .unexpectedByte, 0),
        ("nul1", .unexpectedByte, 3), ("01", .unexpectedByte, 1), ("-01", .unexpectedByte, 2), ("+1", .unexpectedByte, 0),
        (".5", .unexpectedByte, 0), ("1.e5", .unexpectedByte, 2), ("1ex", .unexpectedByte, 2), ("-x", .unexpectedByte, 1),
        ("0x10", .unexpectedByte, 1), ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0),
        ("// c\n1", .unexpectedByte, 0), ("[1]/**/", .unexpectedByte, 3), ("\u{feff}1", .unexpectedByte, 0), ("\u{a0}1", .unexpectedByte, 0),
        (#""\x""#, .invalidEscape, 1), (#""\u12g4""#, .invalidEscape, 5), (#""\'""#, .invalidEscape, 1),
        ("\"a\nb\"", .controlCharacter, 2), ("\"\0\"", .controlCharacter, 1), ("\"12345678\u{1f}\"", .controlCharacter, 9),
        ("\"123\u{1f}56789012345\"", .controlCharacter, 4),
        ("\"\\n\t\"", .controlCharacter, 3), ("1e999", .numberOutOfRange, 0), ("[-1e309]", .numberOutOfRange, 1),
        (#"{"a":1,"a":2}"#, .duplicateKey, 7), (#"{"a":1,"\u0061":2}"#, .duplicateKey, 7),
    ] as [(String, JSONError.Reason, Int)])
    func refuses(text: String, reason: JSONError.Reason, offset: Int) {
        #expect(throws: JSONError(reason, at: offset)) { try parse(text) }
    }

    @Test(arguments: [
        [0x80], [0xc0, 0xaf], [0xc3], [0xc3, 0x28], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80],
        [0xf4, 0x90, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xff], [0xe2, 0x82],
    ] as [[UInt8]])
    func refusesWhatIsNotUTF8(bytes: [UInt8]) {
        for (prefix, suffix) in [("", ""), ("12345678", ""), (#"\n"#, ""), ("", "x"), ("", "1234567890123456"), ("12345678", "12345678")] {
            let text = [0x22] + Array(prefix.utf8) + bytes + Array(suffix.utf8) + [0x22]
            #expect(throws: JSONError(.invalidUTF8, at: 1)) { try JSONParser().parse(text) }
            #expect(throws: JSONError(.invalidUTF8, at: 2)) { try JSONParser().parse([0x7b] + text + Array(":1}".utf8)) }
        }
        #expect(throws: JSONError.self) { try JSONParser().parse(bytes) }
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0000\u001f\u007f""#, "\0\u{1f}\u{7f}"), (#""\u00e9\u20AC""#, "é€"),
        (#""\ud83d\ude00""#, "😀"), (#""\uDBFF\uDFFF""#, "\u{10ffff}"), (#""é€😀""#, "é€😀"), (#""12345678é""#, "12345678é"),
        (#""abc\u0041def\u0042""#, "abcAdefB"), (#""\u007f\u0080\u07ff\u0800\uffff""#, "\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}"),
        ("\"\u{7f}\u{2028}\"", "\u{7f}\u{2028}"),
    ])
    func readsStrings(text: String, expected: String) throws {
        #expect(try parse(text).string?.unicodeScalars.elementsEqual(expected.unicodeScalars) == true)
    }

    @Test("Half of a surrogate pair becomes U+FFFD", arguments: [
        (#""\ud83d""#, "\u{fffd}"), (#""\ude00""#, "\u{fffd}"), (#""\ud83dx""#, "\u{fffd}x"), (#""\ud83d\n""#, "\u{fffd}\n"),
        (#""\ud83d\u0041""#, "\u{fffd}A"), (#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"), (#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
        (#""\ude00\ude00""#, "\u{fffd}\u{fffd}"),
    ])
    func replacesLoneSurrogates(text: String, expected: String) throws { #expect(try parse(text).string == expected) }

    @Test(arguments: [
        (#""\ud83d\u12"#, JSONError.Reason.unexpectedEnd), (#""\ud83d\"#, .unexpectedEnd), (#""\ud83d\uzzzz""#, .invalidEscape),
        (#""\ud83d"#, .unexpectedEnd),
    ])
    func aBadEscapeAfterHalfAPairIsStillRefused(text: String, reason: JSONError.Reason) {
        let error = #expect(throws: JSONError.self) { try parse(text) }
        #expect(error?.reason == reason)
    }

    @Test func keepsToItsDepth() throws {
        func nested(_ depth: Int) -> [UInt8] { Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth) }
        #expect(throws: Never.self) { try JSONParser(maximumDepth: 3).parse(nested(3)) }
        #expect(throws: JSONError(.tooDeep, at: 3)) { try JSONParser(maximumDepth: 3).parse(nested(4)) }
        #expect(throws: JSONError.self) { try JSONParser(maximumDepth: 1).parse(Array(#"{"a":{}}"#.utf8)) }
        #expect(throws: Never.self) { try JSONParser(maximumDepth: 0).parse(nested(1)) }
        #expect(throws: Never.self) { try JSONParser(maximumDepth: .max).parse(nested(512)) }
        #expect(throws: JSONError(.tooDeep, at: 512)) { try JSONParser(maximumDepth: .max).parse(nested(1_000_000)) }
    }

    @Test func theLastOfRepeatedKeysWinsWhenAskedFor() throws {
        let parser = JSONParser(duplicateKeys: .lastWins)
        #expect(try parser.parse(Array(#"{"a":1,"b":2,"a":[3]}"#.utf8)) == ["a": [3], "b": 2])
    }

    @Test func readsEveryKindOfCollection() throws {
        let text = #"{"a":[1,"é"]}"#
        let expected: JSONValue = ["a": [1, "é"]]
        let padded = Array("xx\(text)yy".utf8)
        #expect(try JSONParser().parse(text.utf8) == expected)
        #expect(try JSONParser().parse(padded[2..<(padded.count - 2)]) == expected)
        #expect(try JSONParser().parse(text.utf8.lazy.map { $0 }) == expected)
        #expect(try Array(text.utf8).withUnsafeBytes { try JSONParser().parse($0) } == expected)
        #expect(throws: JSONError(.unexpectedEnd, at: 0)) { try JSONParser().parse(UnsafeRawBufferPointer(start: nil, count: 0)) }
        #expect(throws: JSONError(.unexpectedByte, at: 1)) { try JSONParser().parse(Array("xx[}".utf8)[2...]) }
    }

    @Test func everyCutOfATextIsRefused() {
        let text = Array(#"{"a":[true,null,-1.5e3,"\ud83d\ude00é"],"b":{"c":false}}"#.utf8)
        for end in text.indices {
            #expect(throws: JSONError.self, "cut at \(end)") { try JSONParser().parse(text[..<end]) }
        }
        #expect(throws: Never.self) { try JSONParser().parse(text) }
    }

    @Test func errorsSayWhereAndHoldNoText() {
        let error = #expect(throws: JSONError.self) { try parse(#"{"token":"secret"#) }
        #expect(error?.description == "This is not acceptable JSON: at byte 16, the text ends inside a value.")
    }
}
