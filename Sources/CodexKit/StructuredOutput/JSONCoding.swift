import FoundationEssentials
import JSON

/// Between Swift types and ``JSONValue``.
enum JSONCoding {
    static func value(of value: some Encodable) throws(AgentRuntimeError) -> JSONValue {
        do {
            // A fragment, such as a plain text, is fine.
            return try JSONParser(maximumDepth: 512, duplicateKeys: .lastWins).parse([UInt8](JSONEncoder().encode(value)))
        } catch {
            throw AgentRuntimeError(code: .invalidConfiguration, message: "A value of type \(type(of: value)) cannot be written as JSON.")
        }
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        try JSONDecoder().decode(type, from: Data(value.encoded()))
    }
}
