/// Writes compact JSON into bytes, placing commas by itself.
///
///     var writer = JSONWriter()
///     writer.object {
///         $0.member("type", "ready")
///         $0.member("protocol", 1)
///     }
///
/// It does not check that the caller puts keys only into objects and one value after each key.
public struct JSONWriter: Sendable {
    /// What has been written so far.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// - Parameter capacity: Bytes to reserve, 0 or more.
    public init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(max(capacity, 0))
    }

    // MARK: Containers

    public mutating func object(_ body: (inout JSONWriter) -> Void) { container(UInt8(ascii: "{"), UInt8(ascii: "}"), body) }
    public mutating func array(_ body: (inout JSONWriter) -> Void) { container(UInt8(ascii: "["), UInt8(ascii: "]"), body) }

    private mutating func container(_ opening: UInt8, _ closing: UInt8, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(opening)
        needsComma = false
        body(&self)
        bytes.append(closing)
        needsComma = true
    }

    // MARK: Members of an object

    public mutating func key(_ key: String) {
        string(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    public mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    public mutating func member(_ key: String, _ value: some FixedWidthInteger) {
        self.key(key)
        integer(value)
    }

    /// The usual widths, which callers in other modules reach without generic code.
    public mutating func member(_ key: String, _ value: Int64) {
        self.key(key)
        integer(value)
    }

    public mutating func member(_ key: String, _ value: Int) { member(key, Int64(value)) }

    public mutating func member(_ key: String, _ value: Double) {
        self.key(key)
        number(value)
    }

    /// A member with an object written by `body`.
    public mutating func member(_ key: String, object body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    /// A member with an array written by `body`.
    public mutating func member(_ key: String, array body: (inout JSONWriter) -> Void) {
        self.key(key)
        array(body)
    }

    // MARK: Values

    public mutating func null() { literal("null") }
    public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    /// Writes every digit; readers that use `Double` are exact up to 2^53 - 1.
    public mutating func integer(_ value: some FixedWidthInteger) {
        if let usual = Int64(exactly: value) { return integer(usual) }
        separate()
        bytes.append(contentsOf: String(value).utf8)
        needsComma = true
    }

    public mutating func integer(_ value: Int64) {
        separate()
        appendDecimal(value)
        needsComma = true
    }

    /// Whole numbers up to 2^53 - 1 in magnitude go without a fraction, others in the shortest form that reads back the same;
    /// infinities and NaN, which JSON lacks, become `null` as in JavaScript.
    public mutating func number(_ value: Double) {
        guard value.isFinite else { return null() }
        if let whole = JSONValue.exactInteger(value) { return integer(whole) }
        separate()
        bytes.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    public mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        let written: Void? = value.utf8.withContiguousStorageIfAvailable { escape($0) }
        if written == nil { Array(value.utf8).withUnsafeBufferPointer { escape($0) } }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a whole value, the keys of objects sorted by their bytes.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let elements): array { for element in elements { $0.value(element) } }
        case .object(let members):
            object {
                for (key, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                    $0.key(key)
                    $0.value(value)
                }
            }
        }
    }

    /// Puts `json` in place of a value as it is: the caller vouches that it is one.
    public mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    // MARK: Parts

    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func literal(_ word: StaticString) {
        separate()
        bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        needsComma = true
    }

    private mutating func appendDecimal(_ value: Int64) {
        // Sign and nineteen digits, made from the last to the first.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = digits.count
            var rest = value.magnitude
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest != 0
            if value < 0 {
                first -= 1
                digits[first] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        guard let base = text.baseAddress else { return }
        var index = 0
        var high: UInt64 = 0
        while true {
            let stop = ByteScan.special(base, index, text.count, high: &high)
            bytes.append(contentsOf: UnsafeBufferPointer(start: base + index, count: stop - index))
            guard stop < text.count else { return }
            appendEscape(base[stop])
            index = stop + 1
        }
    }

    private mutating func appendEscape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5c: bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0a: bytes.append(UInt8(ascii: "n"))
        case 0x0c: bytes.append(UInt8(ascii: "f"))
        case 0x0d: bytes.append(UInt8(ascii: "r"))
        default:
            let digits: StaticString = "0123456789abcdef"
            bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
            bytes.append(digits.utf8Start[Int(byte >> 4)])
            bytes.append(digits.utf8Start[Int(byte & 15)])
        }
    }
}
