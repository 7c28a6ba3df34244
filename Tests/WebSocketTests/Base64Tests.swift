import Testing

@testable import WebSocket

struct Base64Tests {
    @Test(
        "Encodes the vectors of RFC 4648",
        arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy")])
    func encodes(text: String, expected: String) {
        #expect(Base64.encode(Array(text.utf8)) == expected)
    }

    @Test func usesTheStandardAlphabet() {
        #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
    }

    @Test(
        "Only sixteen bytes are a key",
        arguments: [
            ("dGhlIHNhbXBsZSBub25jZQ==", true), ("AQIDBAUGBwgJCgsMDQ4PEC==", true), ("+/+/+/+/+/+/+/+/+/+/+A==", true),
            ("", false), ("dGhlIHNhbXBsZSBub25jZQ=", false), ("dGhlIHNhbXBsZSBub25jZQ", false), ("dGhlIHNhbXBsZSBub25jZQA=", false),
            ("dGhlIHNhbXBsZSBub25jZQAA", false), ("dGhlIHNhbXBsZSBub2-jZQ==", false), ("dGhlIHNhbXBsZSB =25jZQ==", false),
            ("SGVsbG8sIHdvcmxkIQ==", false), ("dGhlIHNhbXBsZSBub25jZQ== ", false), ("dGhlIHNhbXBsZSBub25j=Q==", false),
        ])
    func recognisesKeys(text: String, isKey: Bool) {
        #expect(Base64.encodesSixteenBytes(text) == isKey)
    }
}
