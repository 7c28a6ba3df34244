extension JSONReader {
    /// Reads a key and finds it among `keys`.
    mutating func child(of keys: [[UInt8]]) throws(JSONError) -> Int? {
        guard try peek() == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
        let start = position + 1
        let stop = ByteScan.quoteOrBackslash(base, start, count)
        guard stop < count else {
            position = count
            throw failure(.unexpectedEnd)
        }
        if base[stop] == UInt8(ascii: "\\") {
            return keys.firstIndex(of: Array(try string().utf8))
        }
        position = stop + 1
        let (key, length) = (base + start, stop - start)
        return keys.firstIndex { candidate in
            candidate.count == length && candidate.indices.allSatisfy { candidate[$0] == key[$0] }
        }
    }

    /// Moves past the value that begins here without validating what is inside it.
    mutating func skipValue() throws(JSONError) {
        switch try peek() {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): try skipContainer()
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]"): throw failure(.unexpectedByte)
        default: try skipWord()
        }
    }

    private mutating func skipString() throws(JSONError) {
        position += 1
        while true {
            position = ByteScan.quoteOrBackslash(base, position, count)
            guard position < count else { throw failure(.unexpectedEnd) }
            if base[position] == UInt8(ascii: "\"") {
                position += 1
                return
            }
            position = min(position + 2, count)
        }
    }

    /// Counts brackets of both kinds; an unbalanced mix is not noticed.
    private mutating func skipContainer() throws(JSONError) {
        var depth = 0
        while position < count {
            switch base[position] {
            case UInt8(ascii: "\""):
                try skipString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return }
        }
        throw failure(.unexpectedEnd)
    }

    /// A number or a literal: up to the next separator. One that touches the end may be cut there.
    private mutating func skipWord() throws(JSONError) {
        while position < count {
            switch base[position] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0a, 0x0d, 0x09: return
            default: position += 1
            }
        }
        throw failure(.unexpectedEnd)
    }
}
