import JSON

enum JSONParserForTests {
    static func parse(_ text: String) throws -> JSONValue { try JSONParser().parse(Array(text.utf8)) }
}
