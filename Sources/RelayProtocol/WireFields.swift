import JSON

/// A field that has the wrong type, is out of range or is missing.
struct InvalidField: Error {
    let name: String
}

/// Typed access to the members of one object of a message.
///
/// `optional…` take a missing member and `null` for "not given"; a member of another type is an error everywhere.
struct WireFields {
    private let members: [String: JSONValue]
    private let name: String

    /// - Parameter name: What the object is called in errors.
    init(_ value: JSONValue?, _ name: String) throws(InvalidField) {
        guard case .object(let members)? = value else { throw InvalidField(name: name) }
        self.members = members
        self.name = name
    }

    subscript(key: String) -> JSONValue? { members[key] }

    /// The member, unless it is missing or `null`.
    func given(_ key: String) -> JSONValue? {
        guard let value = members[key], !value.isNull else { return nil }
        return value
    }

    func invalid(_ key: String) -> InvalidField { InvalidField(name: "\(name).\(key)") }

    func string(_ key: String) throws(InvalidField) -> String {
        guard let text = members[key]?.string else { throw invalid(key) }
        return text
    }

    func bool(_ key: String) throws(InvalidField) -> Bool {
        guard let value = members[key]?.bool else { throw invalid(key) }
        return value
    }

    func array(_ key: String) throws(InvalidField) -> [JSONValue] {
        guard let elements = members[key]?.array else { throw invalid(key) }
        return elements
    }

    func object(_ key: String) throws(InvalidField) -> WireFields { try WireFields(members[key], "\(name).\(key)") }

    func time(_ key: String) throws(InvalidField) -> UnixMilliseconds {
        guard let number = members[key]?.number, let time = UnixMilliseconds(number) else { throw invalid(key) }
        return time
    }

    func optionalString(_ key: String) throws(InvalidField) -> String? { given(key) == nil ? nil : try string(key) }
    func optionalBool(_ key: String) throws(InvalidField) -> Bool? { given(key) == nil ? nil : try bool(key) }
    func optionalTime(_ key: String) throws(InvalidField) -> UnixMilliseconds? { given(key) == nil ? nil : try time(key) }

    /// 0 … 100, fractions kept.
    func percent(_ key: String) throws(InvalidField) -> Double {
        guard let number = members[key]?.number, (0...100).contains(number) else { throw invalid(key) }
        return number
    }

    /// 0 … 100, rounded: some hosts send fractions.
    func optionalPercent(_ key: String) throws(InvalidField) -> Int? {
        given(key) == nil ? nil : Int(try percent(key) + 0.5)
    }

    /// A whole number, 0 or more.
    func optionalCount(_ key: String) throws(InvalidField) -> Int64? {
        guard let value = given(key) else { return nil }
        guard let count = value.int, count >= 0 else { throw invalid(key) }
        return count
    }
}
