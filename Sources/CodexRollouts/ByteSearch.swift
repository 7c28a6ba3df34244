import Glibc

/// Searches that the C library offers to programs compiled with its GNU extensions only.
enum ByteSearch {
    /// The index of the last newline in the first `end` bytes.
    static func lastNewline(_ bytes: UnsafeRawBufferPointer, before end: Int) -> Int? {
        var index = min(end, bytes.count)
        while index >= 8 {
            let word = bytes.loadUnaligned(fromByteOffset: index - 8, as: UInt64.self) ^ 0x0a0a_0a0a_0a0a_0a0a
            // Some byte of the word is zero now; which one, the loop below finds.
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { break }
            index -= 8
        }
        while index > 0 {
            index -= 1
            if bytes[index] == 0x0a { return index }
        }
        return nil
    }

    /// The index of the last occurrence of `needle` in the bytes from index 1 on.
    static func lastOccurrence(of needle: [UInt8], afterFirstOf bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, let first = needle.first else { return nil }
        var found: Int?
        var from = 1
        while bytes.count - from >= needle.count, let hit = memchr(base + from, Int32(first), bytes.count - from - needle.count + 1) {
            let index = UnsafeRawPointer(hit) - base
            if memcmp(base + index, needle, needle.count) == 0 { found = index }
            from = index + 1
        }
        return found
    }
}
