import RelayProtocol
import Testing

struct TaskIdentityTests {
    private static let uuid = Fixture.uuid

    @Test func readsEitherCase() {
        #expect(TaskIdentity(Self.uuid)?.uuid == Self.uuid)
        #expect(TaskIdentity(Self.uuid.uppercased())?.uuid == Self.uuid)
        #expect(TaskIdentity("x\(Self.uuid)".dropFirst())?.uuid == Self.uuid)
        #expect(HostID(Self.uuid.uppercased())?.uuid == Self.uuid && HostID("x") == nil)
    }

    @Test(arguments: [
        "", "0189aabb", String(repeating: "-", count: 36), "0189aabb-ccdd-4eef-8011-22334455667", "0189aabb-ccdd-4eef-8011-2233445566777",
        "0189aabb-ccdd-4eef-8011-22334455667g", "0189aabbcccdd-4eef-8011-223344556677", "0189aabb-ccdd-4eef-8011_223344556677",
        "{189aabb-ccdd-4eef-8011-223344556677", "0189aab-bccdd-4eef-8011-223344556677", "0189aabb-ccdd-4eef-8011-2233445566é",
    ])
    func refusesWhatIsNoUUID(text: String) { #expect(TaskIdentity(text) == nil) }

    @Test(arguments: [
        (uuid, []), ("local:\(uuid)", ["local"]), ("LOCAL:\(uuid.uppercased())", ["local"]), ("local:client-new-thread:\(uuid)", ["local",
        "client-new-thread"]),
        ("a:b_1:c-2:\(uuid)", ["a", "b_1", "c-2"]), ("a\(String(repeating: "b", count: 31)):\(uuid)", ["a\(String(repeating: "b", count: 31))"]),
    ])
    func readsKeysAndKeepsTheirSpelling(text: String, prefixes: [String]) throws {
        let key = try #require(TaskKey(text))
        #expect(key.rawValue == text && key.identity.uuid == Self.uuid && key.prefixes == prefixes)
        #expect(key.isTemporary == prefixes.contains("client-new-thread"))
    }

    @Test(arguments: [
        "", "local:", "local", ":\(uuid)", "local::\(uuid)", "a:b:c:d:\(uuid)", "1a:\(uuid)", "-a:\(uuid)", "lo cal:\(uuid)", "lócal:\(uuid)",
        "\u{212a}a:\(uuid)",
        "a\(String(repeating: "b", count: 32)):\(uuid)", "local:\(uuid):", "local:\(uuid) ", "local\(uuid)", "local;\(uuid)",
        "local:\(uuid.dropLast())", "é\(uuid)",
        "e\u{301}:\(uuid)", "\(uuid)\u{301}", "a@:\(uuid)", "[a:\(uuid)", "`a:\(uuid)", "{:\(uuid)",
    ])
    func refusesWhatIsNoKey(text: String) { #expect(TaskKey(text) == nil) }

    @Test func ourOwnKeysReadBack() throws {
        let key = TaskKey(local: try #require(TaskIdentity(Self.uuid.uppercased())))
        #expect(key == TaskKey("local:\(Self.uuid)"))
    }

    @Test func onlyVersionSevenTellsWhenItWasMade() {
        #expect(TaskIdentity("01A22C38-7e74-7811-b9bb-43e715f4b585")?.createdAt == UnixMilliseconds(clamping: 1_796_038_229_620))
        #expect(TaskIdentity("ffffffff-ffff-7fff-bfff-ffffffffffff")?.createdAt == UnixMilliseconds(clamping: 0xffff_ffff_ffff))
        #expect(TaskIdentity("01a22c38-7e74-4811-b9bb-43e715f4b585")?.createdAt == nil)
        #expect(TaskIdentity(bytes: []).createdAt == nil)
    }
}
