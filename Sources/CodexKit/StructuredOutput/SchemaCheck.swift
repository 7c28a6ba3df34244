/// Tells whether a value fits a JSON schema, as far as the schemas of typed answers go: type, enum, const, properties, required,
/// additionalProperties, items, anyOf, allOf, lengths and bounds. Other keywords are passed over.
struct SchemaCheck {
    /// Deeper schemas are not followed: one could contain itself only by reference, which is not supported, so this is generous.
    private static let deepest = 64

    /// Where and why the value does not fit, without the value; `nil` when it fits.
    static func problem(of value: JSONValue, against schema: JSONValue, at path: String = "the answer", depth: Int = 0) -> String? {
        guard depth < deepest, case .object(let rules) = schema else { return nil }
        if let type = rules["type"], !hasType(value, type) { return "\(path) has the wrong type" }
        if let values = rules["enum"]?.array, !values.contains(value) { return "\(path) is none of the allowed values" }
        if let constant = rules["const"], constant != value { return "\(path) is not the required value" }
        if let choices = rules["anyOf"]?.array, choices.allSatisfy({ problem(of: value, against: $0, at: path, depth: depth + 1) != nil }) {
            return "\(path) fits none of its forms"
        }
        for part in rules["allOf"]?.array ?? [] {
            if let problem = problem(of: value, against: part, at: path, depth: depth + 1) { return problem }
        }
        return switch value {
        case .object(let members): problem(ofObject: members, rules, path, depth)
        case .array(let elements): problem(ofArray: elements, rules, path, depth)
        case .string(let text): bounds(Double(text.unicodeScalars.count), rules["minLength"], rules["maxLength"], path, "length")
        case .number(let number): bounds(number, rules["minimum"], rules["maximum"], path, "value")
        case .null, .bool: nil
        }
    }

    private static func problem(ofObject members: [String: JSONValue], _ rules: [String: JSONValue], _ path: String, _ depth: Int) -> String? {
        let properties = rules["properties"]?.object ?? [:]
        for name in (rules["required"]?.array ?? []).compactMap(\.string) where members[name] == nil { return "\(path).\(name) is missing" }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let schema: JSONValue
            if let property = properties[name] {
                schema = property
            } else {
                // The name is the model's text, so it is not shown.
                switch rules["additionalProperties"] {
                case .bool(false)?: return "\(path) has a property that is not allowed"
                case let additional?: schema = additional
                case nil: continue
                }
            }
            if let problem = problem(of: value, against: schema, at: "\(path).\(properties[name] == nil ? "*" : name)", depth: depth + 1) {
                return problem
            }
        }
        return nil
    }

    private static func problem(ofArray elements: [JSONValue], _ rules: [String: JSONValue], _ path: String, _ depth: Int) -> String? {
        if let problem = bounds(Double(elements.count), rules["minItems"], rules["maxItems"], path, "number of elements") { return problem }
        guard let items = rules["items"] else { return nil }
        for (index, element) in elements.enumerated() {
            if let problem = problem(of: element, against: items, at: "\(path)[\(index)]", depth: depth + 1) { return problem }
        }
        return nil
    }

    private static func bounds(_ value: Double, _ lowest: JSONValue?, _ highest: JSONValue?, _ path: String, _ what: String) -> String? {
        if let lowest = lowest?.number, value < lowest { return "the \(what) of \(path) is too small" }
        if let highest = highest?.number, value > highest { return "the \(what) of \(path) is too large" }
        return nil
    }

    private static func hasType(_ value: JSONValue, _ type: JSONValue) -> Bool {
        if let types = type.array { return types.contains { hasType(value, $0) } }
        return switch (type.string, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("null", .null), ("number", .number): true
        case ("integer", .number): value.int != nil
        case (nil, _): true
        default: false
        }
    }
}
