import Glibc

/// The same numbers for the same seed, on every machine.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// One of `choices`; cheaper than `randomElement`, of which tests without optimisation need millions.
    mutating func pick<Value>(_ choices: [Value]) -> Value { choices[below(choices.count)] }
    mutating func below(_ limit: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % limit }
    /// True once in `count` times.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }
}

/// The random cases of this run: others in every run, unless `DECK_TEST_SEED` says with which one to begin.
enum RandomCases {
    /// `DECK_TEST_CASES` asks for more or fewer.
    static let count = number("DECK_TEST_CASES").map { Int(clamping: $0) } ?? 10_000
    static let firstSeed = number("DECK_TEST_SEED") ?? UInt64.random(in: 0...UInt64.max / 2)
    /// They run side by side.
    static let shards = 8

    /// The seeds of a shard, each with how to see its case again.
    static func seeds(shard: Int) -> some Sequence<UInt64> {
        stride(from: shard, to: count, by: shards).lazy.map { firstSeed &+ UInt64($0) }
    }

    static func again(_ seed: UInt64) -> String { "DECK_TEST_SEED=\(seed) DECK_TEST_CASES=1 shows this case again" }

    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}
