/// The cursor behind ``JSONParser`` and ``JSONSkimmer``: recursive descent over bytes it does not own.
///
/// Invariant: `0 ... count` contains `position`, and `base` is read only below `count`.
struct JSONReader {
    let base: UnsafePointer<UInt8>
    let count: Int
    var position = 0
    let maximumDepth: Int
    let rejectsDuplicates: Bool

    /// The caller keeps `bytes` alive while the reader is used.
    init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int, rejectsDuplicates: Bool) {
        let bound = bytes.assumingMemoryBound(to: UInt8.self)
        if let start = bound.baseAddress {
            base = start
            count = bound.count
        } else {
            // Never read, since the count is zero, but it has to point somewhere.
            let empty: StaticString = ""
            base = empty.utf8Start
            count = 0
        }
        self.maximumDepth = maximumDepth
        self.rejectsDuplicates = rejectsDuplicates
    }

    @inline(__always)
    func failure(_ reason: JSONError.Reason) -> JSONError { JSONError(reason, at: position) }

    @inline(__always)
    mutating func skipWhitespace() {
        while position < count {
            switch base[position] {
            case 0x20, 0x0a, 0x0d, 0x09: position += 1
            default: return
            }
        }
    }

    /// The next byte that is not white space, left in place.
    @inline(__always)
    mutating func peek() throws(JSONError) -> UInt8 {
        skipWhitespace()
        guard position < count else { throw failure(.unexpectedEnd) }
        return base[position]
    }

    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard try peek() == byte else { throw failure(.unexpectedByte) }
        position += 1
    }

    /// Accepts nothing but white space up to the end.
    mutating func end() throws(JSONError) {
        skipWhitespace()
        guard position == count else { throw failure(.unexpectedByte) }
    }

    mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        switch try peek() {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < count else { throw failure(.unexpectedEnd) }
            guard base[position] == word.utf8Start[offset] else { throw failure(.unexpectedByte) }
            position += 1
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= maximumDepth else { throw failure(.tooDeep) }
        position += 1
        var elements: [JSONValue] = []
        if try peek() == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth))
            guard try comma(or: UInt8(ascii: "]")) else { return elements }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> [String: JSONValue] {
        guard depth <= maximumDepth else { throw failure(.tooDeep) }
        position += 1
        if try peek() == UInt8(ascii: "}") {
            position += 1
            return [:]
        }
        // Most objects of the protocol have four to six members: grown from nothing, the table would be built three times.
        var members: [String: JSONValue] = [:]
        members.reserveCapacity(6)
        while true {
            guard try peek() == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
            let keyPosition = position
            let key = try string()
            try expect(UInt8(ascii: ":"))
            let old = members.updateValue(try value(depth: depth), forKey: key)
            if old != nil, rejectsDuplicates { throw JSONError(.duplicateKey, at: keyPosition) }
            guard try comma(or: UInt8(ascii: "}")) else { return members }
        }
    }

    /// Consumes a comma (`true`) or the closing bracket (`false`).
    @inline(__always)
    mutating func comma(or closing: UInt8) throws(JSONError) -> Bool {
        let byte = try peek()
        guard byte == UInt8(ascii: ",") || byte == closing else { throw failure(.unexpectedByte) }
        position += 1
        return byte != closing
    }
}
