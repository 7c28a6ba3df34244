/// One JSON value.
///
/// Numbers are `Double`, as for every peer on the wire; integers are exact up to 2^53 - 1 in magnitude.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// Always finite when it came from ``JSONParser``.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue {
    /// The member of an object; `nil` for a missing key and for anything that is no object.
    public subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The element of an array; `nil` outside its bounds and for anything that is no array.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    public var isNull: Bool { if case .null = self { true } else { false } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// The number as an integer: `nil` with a fraction, or past 2^53 - 1 in magnitude, where a `Double` no longer tells neighbours apart.
    public var int: Int64? {
        if case .number(let value) = self { Self.exactInteger(value) } else { nil }
    }

    /// Not `Int64(exactly:)`: it calls the C mathematics library, which nothing else here needs linked.
    static func exactInteger(_ value: Double) -> Int64? {
        guard value.magnitude <= 9_007_199_254_740_991 else { return nil }
        let whole = Int64(value)
        return Double(whole) == value ? whole : nil
    }

    /// The value as compact JSON, the keys of objects sorted by their bytes: equal values give equal bytes.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .number(Double(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// The last of repeated keys wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object([String: JSONValue](elements, uniquingKeysWith: { $1 }))
    }
}
