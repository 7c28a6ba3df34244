import JSON
import Testing

struct JSONValueTests {
    private let value: JSONValue = ["text": "a", "number": 1.5, "flag": true, "list": [1, nil], "nothing": nil]

    @Test func accessorsGiveTheirOwnTypeOnly() {
        #expect(value["text"]?.string == "a" && value["text"]?.number == nil && value["text"]?.bool == nil && value["text"]?.array == nil)
        #expect(value["number"]?.number == 1.5 && value["number"]?.string == nil && value["number"]?.int == nil)
        #expect(value["flag"]?.bool == true && value["flag"]?.number == nil && value["flag"]?.int == nil)
        #expect(value["list"]?.array == [1, nil] && value["list"]?.object == nil)
        #expect(value["nothing"]?.isNull == true && value["text"]?.isNull == false)
        #expect(value.object?.count == 5)
    }

    @Test func subscriptsNeverTrap() {
        #expect(value["missing"] == nil && value["text"]?["x"] == nil && value[0] == nil)
        #expect(value["list"]?[0] == 1 && value["list"]?[2] == nil && value["list"]?[-1] == nil)
    }

    @Test func theLastOfRepeatedKeysInALiteralWins() { #expect((["a": 1, "a": 2] as JSONValue)["a"] == 2) }
}
