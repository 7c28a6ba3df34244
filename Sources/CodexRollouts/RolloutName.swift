import RelayProtocol

/// The name of a rollout file: `rollout-<local time>-<uuid>.jsonl`, or the same with `.zst`.
struct RolloutName: Equatable {
    /// The session, as far as the name tells; the first line of the file has the last word.
    var identity: TaskIdentity
    var isCompressed: Bool

    /// - Returns: `nil` for other files.
    init?(_ name: some StringProtocol) {
        let bytes = name.utf8
        guard bytes.starts(with: "rollout-".utf8), bytes.count <= 255 else { return nil }
        let compressed = name.hasSuffix(".jsonl.zst")
        guard compressed || name.hasSuffix(".jsonl") else { return nil }
        let stem = name.dropLast(compressed ? 10 : 6)
        guard stem.utf8.count >= 45, stem.utf8.dropLast(36).last == UInt8(ascii: "-"), let identity = TaskIdentity(stem.suffix(36)) else { return nil }
        self.identity = identity
        isCompressed = compressed
    }
}
