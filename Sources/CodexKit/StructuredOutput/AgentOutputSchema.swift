/// A JSON schema, put together from its parts.
public struct AgentOutputSchema: Hashable, Sendable {
    /// The schema as JSON.
    public let json: JSONValue

    private init(_ members: [String: JSONValue?]) { json = .object(members.compactMapValues { $0 }) }

    /// An object.
    ///
    /// - Parameters:
    ///   - required: Which properties must be there.
    ///   - additionalProperties: Whether others may be.
    public static func object(
        properties: [String: AgentOutputSchema], required: [String] = [], additionalProperties: Bool = false, description: String? = nil
    ) -> Self {
        Self([
            "type": "object", "properties": .object(properties.mapValues(\.json)), "required": .array(required.map { .string($0) }),
            "additionalProperties": .bool(additionalProperties), "description": description.map { .string($0) },
        ])
    }

    /// A text; with `enum` one of these.
    public static func string(
        enum values: [String]? = nil, description: String? = nil, minLength: Int? = nil, maxLength: Int? = nil
    ) -> Self {
        Self([
            "type": "string", "enum": values.map { .array($0.map { .string($0) }) }, "description": description.map { .string($0) },
            "minLength": Self.number(minLength), "maxLength": Self.number(maxLength),
        ])
    }

    public static func integer(minimum: Int? = nil, maximum: Int? = nil, description: String? = nil) -> Self {
        Self([
            "type": "integer", "minimum": Self.number(minimum), "maximum": Self.number(maximum),
            "description": description.map { .string($0) },
        ])
    }

    public static func number(minimum: Double? = nil, maximum: Double? = nil, description: String? = nil) -> Self {
        Self([
            "type": "number", "minimum": minimum.map { .number($0) }, "maximum": maximum.map { .number($0) },
            "description": description.map { .string($0) },
        ])
    }

    public static func boolean(description: String? = nil) -> Self {
        Self(["type": "boolean", "description": description.map { .string($0) }])
    }

    public static func array(items: AgentOutputSchema, minItems: Int? = nil, maxItems: Int? = nil, description: String? = nil) -> Self {
        Self([
            "type": "array", "items": items.json, "minItems": Self.number(minItems), "maxItems": Self.number(maxItems),
            "description": description.map { .string($0) },
        ])
    }

    /// One of several forms.
    public static func anyOf(_ schemas: [AgentOutputSchema]) -> Self { Self(["anyOf": .array(schemas.map(\.json))]) }

    /// The form, or null: what an optional property of a strict schema is.
    public static func nullable(_ schema: AgentOutputSchema) -> Self { anyOf([schema, Self(["type": "null"])]) }

    private static func number(_ value: Int?) -> JSONValue? { value.map { .number(Double($0)) } }
}
