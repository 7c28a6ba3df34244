import Testing

@testable import CodexKit

struct SchemaTests {
    private static let draft = AgentOutputSchema.object(
        properties: [
            "subject": .string(minLength: 1, maxLength: 5), "urgency": .string(enum: ["low", "high"]), "count": .integer(minimum: 0, maximum: 9),
            "tags": .array(items: .string(), minItems: 1, maxItems: 2), "note": .nullable(.string()), "ratio": .number(), "done": .boolean(),
        ], required: ["subject", "urgency"])

    private static func parse(_ text: String) throws -> JSONValue { try JSONCodingText.value(text) }

    @Test(arguments: [
        #"{"subject":"a","urgency":"low"}"#, #"{"subject":"abcde","urgency":"high","count":9,"tags":["x"],"note":null,"ratio":0.5,"done":true}"#,
        #"{"subject":"🙂🙂🙂🙂🙂","urgency":"low","note":"n","ratio":3}"#,
    ])
    func fits(text: String) throws { #expect(SchemaCheck.problem(of: try Self.parse(text), against: Self.draft.json) == nil) }

    @Test(arguments: [
        (#"{"urgency":"low"}"#, "subject is missing"), (#"{"subject":"","urgency":"low"}"#, "too small"),
        (#"{"subject":"abcdef","urgency":"low"}"#, "too large"), (#"{"subject":"a","urgency":"hush"}"#, "none of the allowed"),
        (#"{"subject":"a","urgency":"low","count":-1}"#, "too small"), (#"{"subject":"a","urgency":"low","count":1.5}"#, "wrong type"),
        (#"{"subject":"a","urgency":"low","tags":[]}"#, "too small"), (#"{"subject":"a","urgency":"low","tags":["a",5]}"#, "tags[1]"),
        (#"{"subject":"a","urgency":"low","note":5}"#, "none of its forms"), (#"{"subject":"a","urgency":"low","hush":1}"#, "not allowed"),
        (#"["a"]"#, "wrong type"), (#"{"subject":7,"urgency":"low"}"#, "wrong type"),
    ])
    func saysWhereAndNotWhat(text: String, part: String) throws {
        let problem = try #require(SchemaCheck.problem(of: try Self.parse(text), against: Self.draft.json))
        #expect(problem.contains(part), "\(problem)")
        #expect(!problem.contains("hush"))
    }

    @Test func rawSchemasMayUseOtherWords() throws {
        let schema: JSONValue = [
            "allOf": [["type": "object"], ["required": ["a"]]], "properties": ["a": ["const": 5]], "additionalProperties": ["type": "string"],
        ]
        #expect(SchemaCheck.problem(of: ["a": 5, "b": "x"], against: schema) == nil)
        #expect(SchemaCheck.problem(of: ["a": 6], against: schema) != nil)
        #expect(SchemaCheck.problem(of: ["b": "x"], against: schema) != nil)
        #expect(SchemaCheck.problem(of: ["a": 5, "b": 1], against: schema) != nil)
        #expect(SchemaCheck.problem(of: 5, against: ["type": ["string", "number"]]) == nil)
        #expect(SchemaCheck.problem(of: 5, against: "no schema") == nil)
    }

    @Test func isAsStrictAsTheServiceAllows() {
        let inner = AgentOutputSchema.object(properties: ["a": .string()], required: ["a"])
        func strict(_ schema: AgentOutputSchema) -> Bool { AgentStructuredOutputFormat(name: "x", schema: schema).strict }
        #expect(strict(inner))
        #expect(strict(.object(properties: ["list": .array(items: inner), "maybe": .nullable(inner)], required: ["list", "maybe"])))
        #expect(!strict(.object(properties: ["a": .string()], required: [])))
        #expect(!strict(.object(properties: ["a": .string()], required: ["a"], additionalProperties: true)))
        #expect(!strict(.object(properties: ["list": .array(items: .object(properties: ["a": .string()]))], required: ["list"])))
        #expect(!AgentStructuredOutputFormat(name: "x", rawSchema: ["type": "object"]).strict)
        #expect(AgentStructuredOutputFormat(name: "x", rawSchema: ["type": "object"], strict: true).strict)
    }

    @Test func writesTheSchemaThatWasMeant() {
        let schema = AgentOutputSchema.object(properties: ["a": .string(enum: ["x"], description: "An a.")], required: ["a"])
        let property: JSONValue = ["description": "An a.", "enum": ["x"], "type": "string"]
        #expect(
            schema.json == ["additionalProperties": false, "properties": ["a": property], "required": ["a"], "type": "object"] as JSONValue)
    }
}
