/// A small generator with a visible state (Steele, Lea and Flood, 2014): the demo and tests need the same numbers again, not good ones.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(state: UInt64) { self.state = state }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    /// A generator for one moment of the demo: whatever else happens, and in whatever order, it gives the same numbers.
    static func of(seed: UInt64, _ words: UInt64...) -> Self {
        var mixed = Self(state: seed)
        for word in words { mixed = Self(state: mixed.next() ^ word) }
        return mixed
    }
}
