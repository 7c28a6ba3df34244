import JSON

func parse(_ text: String) throws -> JSONValue { try JSONParser().parse(Array(text.utf8)) }
