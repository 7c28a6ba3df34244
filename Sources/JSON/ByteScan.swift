/// Finds the bytes that matter in a string, eight at a time.
enum ByteScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The top bit of each byte of `word` that equals `byte`; exact up to and including the lowest one set.
    @inline(__always)
    private static func matches(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ (ones &* UInt64(byte))
        return (difference &- ones) & ~difference & highBits
    }

    /// The index of the first quote, backslash or control character in `start..<end`, or `end`.
    ///
    /// - Parameter high: Gains bits above 0x7f when a byte before that index may not be ASCII (never misses one).
    @inline(__always)
    static func special(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, high: inout UInt64) -> Int {
        var index = start
        while end - index >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
            let control = (word &- ones &* 0x20) & ~word & highBits
            let found = matches(word, 0x22) | matches(word, 0x5c) | control
            high |= word
            if found != 0 { return index + found.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < end {
            let byte = base[index]
            if byte == 0x22 || byte == 0x5c || byte < 0x20 { return index }
            high |= UInt64(byte)
            index += 1
        }
        return end
    }

    /// The index of the first quote or backslash in `start..<end`, or `end`.
    @inline(__always)
    static func quoteOrBackslash(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
        var index = start
        while end - index >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
            let found = matches(word, 0x22) | matches(word, 0x5c)
            if found != 0 { return index + found.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < end, base[index] != 0x22, base[index] != 0x5c { index += 1 }
        return index
    }
}
