/// Checks UTF-8 that arrives in pieces, and knows at the first wrong byte.
///
/// Overlong forms, surrogates and code points over U+10FFFF are wrong already at their second byte (Unicode, table 3-7).
struct UTF8Validator: Sendable {
    /// Continuation bytes still due, 0…3.
    private var due: UInt8 = 0
    /// What the next continuation byte may be; narrower after some lead bytes.
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    /// Whether no character is unfinished.
    var isComplete: Bool { due == 0 }

    /// - Returns: `false` once a byte cannot belong to UTF-8; the validator is of no further use then.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if due == 0 {
                index = Self.skipASCII(bytes, from: index)
                if index == bytes.count { return true }
            }
            guard step(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private static func skipASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while bytes.count - index >= 8, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 {
            index += 1
        }
        return index
    }

    private mutating func step(_ byte: UInt8) -> Bool {
        if due > 0 {
            guard byte >= lower, byte <= upper else { return false }
            (due, lower, upper) = (due - 1, 0x80, 0xBF)
            return true
        }
        switch byte {
        case 0x00...0x7F: break
        case 0xC2...0xDF: (due, lower, upper) = (1, 0x80, 0xBF)
        case 0xE0: (due, lower, upper) = (2, 0xA0, 0xBF)
        case 0xED: (due, lower, upper) = (2, 0x80, 0x9F)
        case 0xE1...0xEF: (due, lower, upper) = (2, 0x80, 0xBF)
        case 0xF0: (due, lower, upper) = (3, 0x90, 0xBF)
        case 0xF1...0xF3: (due, lower, upper) = (3, 0x80, 0xBF)
        case 0xF4: (due, lower, upper) = (3, 0x80, 0x8F)
        default: return false
        }
        return true
    }

    /// Whether `bytes` are UTF-8 from beginning to end.
    static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        var validator = UTF8Validator()
        return bytes.withContiguousBytes { validator.consume(UnsafeRawBufferPointer($0)) } && validator.isComplete
    }
}
