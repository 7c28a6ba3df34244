/// A type that the model can answer with.
public protocol AgentStructuredOutput: Decodable, Sendable {
    /// The form of the answer; its properties are the type's.
    static var responseFormat: AgentStructuredOutputFormat { get }
}

/// The form of a typed answer.
public struct AgentStructuredOutputFormat: Codable, Hashable, Sendable {
    /// 1 to 64 letters, digits, `_` and `-`.
    public let name: String
    public let description: String?
    /// The JSON schema.
    public let rawSchema: JSONValue
    /// Whether the service enforces the schema while it writes; the library checks every answer in any case.
    public let strict: Bool

    /// - Parameter strict: `nil` for as strict as the schema allows: the service enforces only schemas whose objects require all
    ///   their properties and allow no others.
    public init(name: String, description: String? = nil, schema: AgentOutputSchema, strict: Bool? = nil) {
        self.init(name: name, description: description, rawSchema: schema.json, strict: strict)
    }

    /// For schemas that ``AgentOutputSchema`` has no words for.
    public init(name: String, description: String? = nil, rawSchema: JSONValue, strict: Bool? = nil) {
        self.name = name
        self.description = description
        self.rawSchema = rawSchema
        self.strict = strict ?? Self.allowsStrict(rawSchema)
    }

    /// What the backend is asked for.
    var responseFormat: AgentResponseFormat {
        AgentResponseFormat(name: name, description: description, schema: rawSchema, strict: strict)
    }

    static func allowsStrict(_ schema: JSONValue) -> Bool {
        if let properties = schema["properties"]?.object {
            let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
            guard schema["additionalProperties"] == .bool(false), required == Set(properties.keys) else { return false }
            guard properties.values.allSatisfy(allowsStrict) else { return false }
        } else if schema["type"] == .string("object") {
            return false
        }
        if let items = schema["items"], !allowsStrict(items) { return false }
        return (schema["anyOf"]?.array ?? []).allSatisfy(allowsStrict)
    }
}
