import Testing

@testable import WebSocket

/// Byte sequences that are no UTF-8, and the index of the first byte that cannot be right.
let invalidUTF8: [(bytes: [UInt8], wrongAt: Int)] = [
    ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFE], 0), ([0xFF], 0),
    ([0xC2, 0x41], 1), ([0xC2, 0xC2], 1), ([0xDF, 0x7F], 1),
    ([0xE0, 0x80, 0x80], 1), ([0xE0, 0x9F, 0xBF], 1), ([0xE1, 0x41, 0x80], 1), ([0xE2, 0x82, 0x41], 2), ([0xEF, 0xBF, 0xC0], 2),
    ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1), ([0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x82], 1),
    ([0xF0, 0x80, 0x80, 0x80], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1), ([0xF0, 0x9F, 0x41, 0x80], 2), ([0xF0, 0x9F, 0x98, 0x41], 3),
    ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF4, 0x8F, 0xBF, 0xC0], 3), ([0xF3, 0xBF, 0xBF, 0x7F], 3),
]

struct UTF8ValidatorTests {
    /// How many bytes are consumed one by one before the validator objects; `nil` if it never does.
    private static func firstWrong(_ bytes: [UInt8]) -> Int? {
        var validator = UTF8Validator()
        return bytes.firstIndex { byte in withUnsafeBytes(of: byte) { !validator.consume($0) } }
    }

    @Test("Bad bytes are found where they stand, behind any prefix", arguments: invalidUTF8.indices)
    func findsTheFirstWrongByte(index: Int) {
        let (bytes, wrongAt) = invalidUTF8[index]
        for prefix in ["", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "é", "€", "🙂", "abcdefgé🙂"] {
            let whole = Array(prefix.utf8) + bytes
            #expect(Self.firstWrong(whole) == prefix.utf8.count + wrongAt)
            #expect(!UTF8Validator.isValid(whole + Array("more than eight".utf8)))
        }
    }

    @Test func agreesWithTheStandardLibraryOnAllPairs() {
        let all = UInt8.min...UInt8.max
        let wrong = all.flatMap { first in all.filter { UTF8Validator.isValid([first, $0]) != Self.isUTF8([first, $0]) } }
        #expect(wrong == [])
    }

    @Test(
        "Agrees with the standard library at every border of longer sequences",
        arguments: [0xC2, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF3, 0xF4] as [UInt8])
    func agreesOnBorders(lead: UInt8) {
        let borders: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xFF]
        for second in borders {
            for third in borders {
                for fourth in borders {
                    let bytes = [lead, second, third, fourth]
                    let agrees =
                        UTF8Validator.isValid(bytes) == Self.isUTF8(bytes) && UTF8Validator.isValid(bytes[..<3]) == Self.isUTF8(Array(bytes[..<3]))
                    if !agrees { Issue.record("\(bytes)") }
                }
            }
        }
    }

    @Test("Valid text may be cut anywhere", arguments: 0...24)
    func resumes(cut: Int) {
        let bytes = Array("aé€🙂\u{10FFFF}\u{D7FF}\u{E000}\u{0}zz".utf8)
        var validator = UTF8Validator()
        let head = bytes.prefix(cut)
        let tail = bytes.dropFirst(cut)
        let isValid = [head, tail].allSatisfy { piece in piece.withUnsafeBytes { validator.consume($0) } }
        #expect(isValid && validator.isComplete)
    }

    @Test(
        "An unfinished character is neither wrong nor complete",
        arguments: [[0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x41, 0xF4, 0x8F]] as [[UInt8]])
    func knowsUnfinishedCharacters(bytes: [UInt8]) {
        #expect(Self.firstWrong(bytes) == nil)
        #expect(!UTF8Validator.isValid(bytes))
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }
}
