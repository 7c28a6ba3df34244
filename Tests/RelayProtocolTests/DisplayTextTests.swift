import RelayProtocol
import Testing

struct DisplayTextTests {
    @Test(arguments: [
        ("", ""), ("plain title", "plain title"), ("  two  spaces ", "two spaces"), ("a\nb", "a b"), ("a\r\n\t b", "a b"), ("\n", ""), (" ", ""),
        ("a\u{a0}b\u{2003}c\u{3000}d", "a b c d"), ("a\u{85}b\u{2028}c\u{2029}d\u{b}e\u{c}f", "a b c d e f"),
        ("\u{1b}[31mred\u{1b}[0m", "[31mred[0m"), ("\u{1b}]52;c;aGk=\u{7}x", "]52;c;aGk=x"), ("\u{9b}31mred", "31mred"), ("\u{90}q\u{9c}", "q"),
        ("a\0b\u{7f}c\u{8}d", "abcd"), ("\u{202e}abc\u{202c}", "abc"), ("\u{2066}a\u{2069}\u{200e}\u{200f}\u{61c}b", "ab"),
        ("a\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{180e}b", "ab"), ("a\u{3164}\u{115f}\u{34f}\u{ffa0}b", "ab"), ("a\u{e0041}\u{fff9}b",
        "ab"),
        ("👩\u{200d}🚀", "👩🚀"), ("❤\u{fe0f}", "❤\u{fe0f}"), ("日本語 テスト", "日本語 テスト"), ("naïve e\u{301}", "naïve e\u{301}"), ("a\u{ffff}b", "ab"),
        ("\u{200b} \u{200b}a", "a"), ("a \u{200b} b", "a b"), ("a\u{fffd}b", "a\u{fffd}b"), ("สวัสดี ที่", "สวัสดี ที่"),
    ])
    func keepsOneHarmlessLine(text: String, expected: String) {
        let result = DisplayText.singleLine(text)
        #expect(result.unicodeScalars.elementsEqual(expected.unicodeScalars), "\(result.unicodeScalars.map(\.value))")
        #expect(DisplayText.singleLine(result) == result)
    }

    @Test func noControlOrFormatCharacterIsLeft() {
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            guard [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory) else { continue }
            let left = DisplayText.singleLine("a\(Character(scalar))b")
            #expect(left == "ab" || left == "a b", "U+\(String(value, radix: 16))")
        }
    }

    @Test func marksDoNotPileUp() {
        let pile = "e" + String(repeating: "\u{301}", count: 100) + "x" + String(repeating: "\u{301}", count: 8)
        #expect(DisplayText.singleLine(pile).unicodeScalars.count == 1 + 8 + 1 + 8)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abc", 2, "ab"), ("abc", 0, ""), ("🇩🇪🇫🇷", 1, "🇩🇪"), ("e\u{301}e\u{301}", 1, "e\u{301}"), ("a\n\nb", 3, "a b"),
        ("a\u{1b}bc", 2, "ab"), ("abc", -1, ""),
    ])
    func cutsAfterCharacters(text: String, maximum: Int, expected: String) {
        #expect(DisplayText.sanitized(text, maximumCharacters: maximum) == expected)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abc", 2, "ab"), ("😀😀", 4, "😀😀"), ("😀😀", 3, "😀"), ("a😀", 2, "a"), ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 21, "👩‍👩‍👧‍👦"), ("éé", 2, "éé"),
        ("e\u{301}\u{302}", 2, "e\u{301}"), ("😀", 1, ""), ("abc", 0, ""),
    ])
    func cutsAtUnits(text: String, maximum: Int, expected: String) {
        let result = DisplayText.clipped(text, maximumUTF16Units: maximum)
        #expect(result.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }
}
