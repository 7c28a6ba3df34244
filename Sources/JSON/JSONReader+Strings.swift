extension JSONReader {
    /// Reads the string whose opening quote is next.
    mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        var high: UInt64 = 0
        position = ByteScan.special(base, position, count, high: &high)
        guard position < count else { throw failure(.unexpectedEnd) }
        switch base[position] {
        case 0x22:
            let text = try decoded(start, position, isASCII: high & ByteScan.highBits == 0)
            position += 1
            return text
        case 0x5c: return try escapedString(from: start)
        default: throw failure(.controlCharacter)
        }
    }

    private func decoded(_ start: Int, _ end: Int, isASCII: Bool) throws(JSONError) -> String {
        let bytes = UnsafeBufferPointer(start: base + start, count: end - start)
        if isASCII { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw JSONError(.invalidUTF8, at: start) }
        return text
    }

    /// Continues at the first backslash of a string that began at `start`.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(position - start + 32)
        bytes.append(contentsOf: UnsafeBufferPointer(start: base + start, count: position - start))
        var high: UInt64 = 0
        while true {
            guard position < count else { throw failure(.unexpectedEnd) }
            switch base[position] {
            case 0x22:
                position += 1
                guard let text = String(validating: bytes, as: UTF8.self) else { throw JSONError(.invalidUTF8, at: start) }
                return text
            case 0x5c: try escape(into: &bytes)
            default: throw failure(.controlCharacter)
            }
            let run = position
            position = ByteScan.special(base, position, count, high: &high)
            bytes.append(contentsOf: UnsafeBufferPointer(start: base + run, count: position - run))
        }
    }

    private mutating func escape(into bytes: inout [UInt8]) throws(JSONError) {
        guard position + 1 < count else { throw JSONError(.unexpectedEnd, at: count) }
        let letter = base[position + 1]
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0c)
        case UInt8(ascii: "n"): bytes.append(0x0a)
        case UInt8(ascii: "r"): bytes.append(0x0d)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            let unit = try codeUnit(at: position + 2)
            position += 6
            Self.append(scalar(unit), to: &bytes)
            return
        default: throw failure(.invalidEscape)
        }
        position += 2
    }

    /// The scalar that begins with `unit`, which was just read; takes the second half of a pair when it follows.
    private mutating func scalar(_ unit: UInt32) -> UInt32 {
        guard 0xd800...0xdfff ~= unit else { return unit }
        guard unit < 0xdc00, position + 1 < count, base[position] == 0x5c, base[position + 1] == UInt8(ascii: "u"),
            let low = try? codeUnit(at: position + 2), 0xdc00...0xdfff ~= low  // a bad escape is reported when it is read by itself
        else { return 0xfffd }
        position += 6
        return 0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)
    }

    private func codeUnit(at index: Int) throws(JSONError) -> UInt32 {
        guard count - index >= 4 else { throw JSONError(.unexpectedEnd, at: count) }
        var unit: UInt32 = 0
        for offset in 0..<4 {
            let byte = base[index + offset]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw JSONError(.invalidEscape, at: index + offset)
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// Appends the UTF-8 form of a scalar value, which is no surrogate.
    private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        switch scalar {
        case ..<0x80: bytes.append(UInt8(truncatingIfNeeded: scalar))
        case ..<0x800:
            bytes.append(UInt8(truncatingIfNeeded: 0xc0 | scalar >> 6))
            bytes.append(continuation(scalar))
        case ..<0x10000:
            bytes.append(UInt8(truncatingIfNeeded: 0xe0 | scalar >> 12))
            bytes.append(continuation(scalar >> 6))
            bytes.append(continuation(scalar))
        default:
            bytes.append(UInt8(truncatingIfNeeded: 0xf0 | scalar >> 18))
            bytes.append(continuation(scalar >> 12))
            bytes.append(continuation(scalar >> 6))
            bytes.append(continuation(scalar))
        }
    }

    private static func continuation(_ bits: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | bits & 0x3f) }
}
