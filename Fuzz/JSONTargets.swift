import JSON

let jsonTargets = [
    FuzzTarget("json") { bytes in
        guard let value = parsed(bytes) else { return }
        let encoded = value.encoded()
        expect((try? JSONParser().parse(encoded)) == value, "what is written reads back the same")
        expect((try? JSONParser(duplicateKeys: .lastWins).parse(bytes)) == value, "a text without repeated keys means the same under both rules")
        expect((try? JSONParser().parse(encoded))?.encoded() == encoded, "equal values give equal bytes")
    },
    FuzzTarget("json-skimmer") { bytes in
        // Of texts that are no JSON only some is looked at: nothing is promised but that it ends.
        _ = try? fixedSkimmer.fields(of: bytes)
        _ = try? fixedSkimmer.fields(of: bytes, isPrefix: true)
        guard case .object(let members)? = parsed(bytes) else { return }
        checkSkimmer(bytes, paths: paths(in: members))
    },
]

private let fixedSkimmer = JSONSkimmer([["type"], ["payload", "type"], ["payload", "item", "type"], ["a"]])

private func parsed(_ bytes: UnsafeRawBufferPointer) -> JSONValue? {
    do throws(JSONError) {
        return try JSONParser().parse(bytes)
    } catch {
        expect((0...bytes.count).contains(error.offset), "an error stands inside the text")
        return nil
    }
}

/// Some paths that exist in an object, and some that do not.
private func paths(in members: [String: JSONValue]) -> [[String]] {
    var paths = [["no such key"]]
    for (key, value) in members.sorted(by: { $0.key < $1.key }).prefix(4) {
        paths.append([key])
        paths.append([key, "no such key"])
        guard let inner = value.object?.keys.min() else { continue }
        paths.append([key, inner])
    }
    return paths
}

private func checkSkimmer(_ bytes: UnsafeRawBufferPointer, paths: [[String]]) {
    let skimmer = JSONSkimmer(paths)
    guard let whole = try? JSONParser().parse(bytes), let fields = try? skimmer.fields(of: bytes) else {
        return expect(false, "the skimmer reads what the parser reads")
    }
    for (path, field) in zip(paths, fields) {
        let value = path.reduce(Optional(whole)) { $0?[$1] }
        expect(field == value, "the skimmer finds what the parser finds")
    }
    let cut = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count * Int(bytes.first ?? 0) / 256 + Int(bytes.last ?? 0) % 16))
    guard let beginning = try? skimmer.fields(of: cut, isPrefix: true) else { return expect(false, "the beginning of an object is readable") }
    for (part, field) in zip(beginning, fields) { expect(part == nil || part == field, "a beginning tells nothing that the whole does not") }
}
