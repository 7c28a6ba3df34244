import FoundationEssentials
import JSON

/// Turns the model's JSON into a value of the program's.
enum StructuredOutputDecoder {
    /// Reads the text as exactly one JSON value that fits the format.
    ///
    /// - Throws: ``AgentRuntimeError`` `structuredOutputInvalid`, which says where and not what.
    static func payload(from text: String, format: AgentStructuredOutputFormat) throws(AgentRuntimeError) -> JSONValue {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser(maximumDepth: 128).parse(Array(text.utf8))
        } catch {
            throw invalid("the answer is no JSON, from byte \(error.offset) on")
        }
        if let problem = SchemaCheck.problem(of: value, against: format.rawSchema) { throw invalid(problem) }
        return value
    }

    static func decode<Output: Decodable>(_ type: Output.Type, from payload: JSONValue) throws(AgentRuntimeError) -> Output {
        do {
            return try JSONCoding.decode(type, from: payload)
        } catch {
            throw invalid("\(DecodingReason(error))")
        }
    }

    private static func invalid(_ reason: String) -> AgentRuntimeError {
        AgentRuntimeError(code: .structuredOutputInvalid, message: "The model's answer does not fit the requested form: \(reason).")
    }
}
