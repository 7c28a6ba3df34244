import RelayProtocol

/// The name of a rollout file: `rollout-<local time>-<uuid>.jsonl`, or the same with `.zst`.
struct RolloutName: Equatable {
    /// The session, as far as the name tells; the first line of the file has the last word.
    var identity: TaskIdentity
    var isCompressed: Bool

    /// - Returns: `nil` for other files.
    init?(_ name: String) {
        var name = name
        guard let parsed = name.withUTF8({ Self(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = parsed
    }

    /// - Parameter name: Without a zero at its end.
    init?(_ name: UnsafeRawBufferPointer) {
        guard name.starts(with: Self.prefix) else { return nil }
        let suffix = name.suffix(4).elementsEqual(Self.packed) ? Self.suffix + Self.packed : Self.suffix
        let stem = name.dropLast(suffix.count)
        guard name.suffix(suffix.count).elementsEqual(suffix), stem.count >= 45, stem[stem.endIndex - 37] == UInt8(ascii: "-"),
            let identity = TaskIdentity(String(decoding: stem.suffix(36), as: UTF8.self))
        else { return nil }
        self.identity = identity
        isCompressed = suffix.count > Self.suffix.count
    }

    private static let prefix = Array("rollout-".utf8)
    private static let suffix = Array(".jsonl".utf8)
    private static let packed = Array(".zst".utf8)
}
