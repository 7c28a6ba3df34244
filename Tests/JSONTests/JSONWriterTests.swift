import JSON
import Testing

struct JSONWriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func placesCommas() {
        let written = text {
            $0.object {
                $0.member("a", 1)
                $0.member("b", object: { _ in })
                $0.member("c", array: {
                    $0.array { _ in }
                    $0.null()
                    $0.bool(true)
                    $0.object { $0.member("d", "e") }
                })
                $0.member("f", false)
                $0.member("g", 0.5)
                $0.key("h")
                $0.raw(Array("[1]".utf8))
                $0.key("i")
                $0.value(["k": [nil]])
            }
        }
        #expect(written == #"{"a":1,"b":{},"c":[[],null,true,{"d":"e"}],"f":false,"g":0.5,"h":[1],"i":{"k":[null]}}"#)
    }

    @Test(arguments: [
        ("", #""""#), ("a\"b\\c/", #""a\"b\\c/""#), ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#), ("\0\u{1}\u{1f}\u{7f}",
        "\"\\u0000\\u0001\\u001f\u{7f}\""),
        ("é€😀", #""é€😀""#), ("1234567\"8", #""1234567\"8""#), ("12345678\n12345678\n", #""12345678\n12345678\n""#),
    ])
    func escapesStrings(value: String, expected: String) { #expect(text { $0.string(value) } == expected) }

    @Test(arguments: [
        (0, "0"), (-0.0, "0"), (1, "1"), (-12, "-12"), (0.5, "0.5"), (1e15, "1000000000000000"), (9_007_199_254_740_991, "9007199254740991"),
        (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"), (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
        (9_007_199_254_740_992, "9007199254740992.0"),
    ] as [(Double, String)])
    func writesNumbers(value: Double, expected: String) { #expect(text { $0.number(value) } == expected) }

    @Test func writesIntegersOfEverySize() {
        let written = text {
            $0.array {
                $0.integer(Int64.min)
                $0.integer(Int64.max)
                $0.integer(UInt64.max)
                $0.integer(UInt8.max)
                $0.integer(-1)
                $0.integer(100)
            }
        }
        #expect(written == "[-9223372036854775808,9223372036854775807,18446744073709551615,255,-1,100]")
    }

    @Test func equalValuesGiveEqualBytes() {
        let value: JSONValue = ["b": 1, "a": ["d": nil, "c": "x"], "B": true, "é": 2, "aa": 3]
        #expect(String(decoding: value.encoded(), as: UTF8.self) == #"{"B":true,"a":{"c":"x","d":null},"aa":3,"b":1,"é":2}"#)
    }
}
