import JSON
import Testing

struct JSONNumberTests {
    private func number(_ text: String) throws(JSONError) -> Double? { try JSONParser().parse(Array(text.utf8)).number }

    @Test(arguments: [
        ("0", 0), ("-1", -1), ("1.5", 1.5), ("-0.25", -0.25), ("1e2", 100), ("1E+2", 100), ("1e-2", 0.01), ("123456789", 123_456_789),
        ("0.1", 0.1), ("0.30000000000000004", 0.30000000000000004), ("1.7976931348623157e308", .greatestFiniteMagnitude),
        ("5e-324", .leastNonzeroMagnitude), ("2.2250738585072014e-308", .leastNormalMagnitude), ("9007199254740993", 9_007_199_254_740_992),
        ("9007199254740993.0", 9_007_199_254_740_992), ("18446744073709551615", 18_446_744_073_709_551_616),
        ("18446744073709551616", 18_446_744_073_709_551_616), ("123456789012345678901234567890", 1.2345678901234568e29),
        ("0.000000000000000000000000000001", 1e-30), ("1e22", 1e22), ("1e23", 1e23), ("1e-400", 0), ("0e999999999999", 0), ("0.0", 0),
        ("1e00000000000000000001", 10), ("100000000000000000000000e-22", 10),
    ] as [(String, Double)])
    func readsNumbers(text: String, expected: Double) throws { #expect(try number(text) == expected) }

    @Test func agreesWithTheStandardLibrary() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<20_000 {
            var text = random.next(upTo: 2) == 0 ? "-" : ""
            text += random.next(upTo: 4) == 0 ? "0" : "\(1 + random.next(upTo: 9))" + random.digits(upTo: 22)
            if random.next(upTo: 2) == 0 { text += ".\(random.next(upTo: 10))" + random.digits(upTo: 22) }
            if random.next(upTo: 2) == 0 { text += "e\(Int(random.next(upTo: 600)) - 300)" }
            let expected = try #require(Double(text))
            if expected.isFinite {
                #expect(try number(text)?.bitPattern == expected.bitPattern, "\(text)")
            } else {
                #expect(throws: JSONError(.numberOutOfRange, at: 0), "\(text)") { try number(text) }
            }
        }
    }

    @Test func numbersHaveALongestForm() throws {
        #expect(try number("1." + String(repeating: "0", count: 1022)) == 1)
        #expect(throws: JSONError(.numberOutOfRange, at: 0)) { try number("1." + String(repeating: "0", count: 1023)) }
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("5.0", 5), ("1e3", 1000), ("9007199254740991", 9_007_199_254_740_991), ("-9007199254740991", -9_007_199_254_740_991),
        ("9007199254740992", nil), ("9007199254740993", nil), ("-9007199254740993", nil), ("1e300", nil), ("0.5", nil), ("\"1\"", nil), ("true", nil),
    ] as [(String, Int64?)])
    func integersAreExactOrNothing(text: String, expected: Int64?) throws {
        #expect(try JSONParser().parse(text.utf8).int == expected)
    }
}
