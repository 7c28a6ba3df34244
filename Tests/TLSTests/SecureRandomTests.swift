import Testing

@testable import TLS

struct SecureRandomTests {
    @Test(arguments: [0, 1, 32, 4096]) func randomBytesHaveTheirCount(count: Int) throws {
        let one = try SecureRandom.bytes(count)
        let two = try SecureRandom.bytes(count)
        #expect(one.count == count)
        if count >= 32 { #expect(one != two) }
    }

    @Test(arguments: [-1, Int.min, Int.max, Int(Int32.max) + 1]) func refusesImpossibleCounts(count: Int) {
        #expect(throws: TLSError.self) { try SecureRandom.bytes(count) }
    }

    @Test func generatorReachesEveryByteValue() {
        var random = SecureRandom()
        var seen = Set<UInt8>()
        for _ in 0..<10_000 { seen.insert(UInt8.random(in: 0...255, using: &random)) }
        #expect(seen.count == 256)
    }
}
