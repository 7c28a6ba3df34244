import JSON
import Testing

struct JSONRandomTests {
    private static func text(_ random: inout SeededGenerator) -> String {
        let alphabet: [Character] = ["a", "b", "\"", "\\", "/", "\n", "\0", "\u{1f}", "\u{7f}", "é", "€", "😀", "👩‍👩‍👧", "\u{2028}", "\u{fffd}", " "]
        return String((0..<random.next(upTo: 24)).map { _ in alphabet[random.next(upTo: alphabet.count)] })
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
        switch random.next(upTo: depth > 4 ? 5 : 7) {
        case 0: return .null
        case 1: return .bool(random.next(upTo: 2) == 0)
        case 2: return .number(Double(Int64(truncatingIfNeeded: random.next()) >> 20))
        case 3:
            let number = Double(bitPattern: random.next())
            return .number(number.isFinite ? number : 0.5)
        case 4: return .string(text(&random))
        case 5: return .array((0..<random.next(upTo: 5)).map { _ in value(&random, depth: depth + 1) })
        default:
            let members = (0..<random.next(upTo: 5)).map { _ in (text(&random), value(&random, depth: depth + 1)) }
            return .object([String: JSONValue](members, uniquingKeysWith: { $1 }))
        }
    }

    @Test func whatWasWrittenReadsBackTheSame() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let value = Self.value(&random, depth: 0)
            let bytes = value.encoded()
            #expect(try JSONParser().parse(bytes) == value)
            #expect(try JSONParser().parse(bytes).encoded() == bytes)
        }
    }

    @Test func noInputTraps() {
        var random = SeededGenerator(seed: 2)
        var accepted = 0
        let skimmer = JSONSkimmer([["a"], ["b", "a"], ["", "é"]])
        for _ in 0..<20_000 {
            var bytes = JSONValue.object(["a": Self.value(&random, depth: 1), "b": Self.value(&random, depth: 1)]).encoded()
            for _ in 0..<(1 + random.next(upTo: 3)) {
                let index = random.next(upTo: bytes.count)
                switch random.next(upTo: 4) {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(Array(#"{}[]",:\u0e-1d8"#.utf8)[random.next(upTo: 15)], at: index)
                default: bytes.removeLast(bytes.count - index)
                }
                if bytes.isEmpty { bytes = [0x22] }
            }
            // Whatever is accepted must be writable and readable again; the rest must be an error, not a trap.
            if let value = try? JSONParser().parse(bytes) {
                accepted += 1
                #expect((try? JSONParser().parse(value.encoded())) == value)
            }
            _ = try? skimmer.fields(of: bytes)
            _ = try? skimmer.fields(of: bytes, isPrefix: true)
        }
        #expect((1_000..<19_000).contains(accepted))
    }

    @Test func theSkimmerAgreesWithTheParser() throws {
        var random = SeededGenerator(seed: 3)
        let skimmer = JSONSkimmer([["type"], ["payload", "type"], ["payload"], ["missing"]])
        for _ in 0..<2_000 {
            let value: JSONValue = [
                "type": Self.value(&random, depth: 2), "payload": ["type": Self.value(&random, depth: 3), "x": Self.value(&random, depth: 2)],
                "a\"b": Self.value(&random, depth: 1),
            ]
            #expect(try skimmer.fields(of: value.encoded()) == [value["type"], value["payload"]?["type"], value["payload"], nil])
        }
    }
}
