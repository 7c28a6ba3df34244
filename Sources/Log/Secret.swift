/// A token, key or password in memory. Printing, interpolating, dumping or mirroring it never shows its text.
public struct Secret: Sendable {
    private let text: String

    public init(_ text: String) { self.text = text }

    /// The text itself, for the one place that sends or stores it.
    public func reveal() -> String { text }

    public var isEmpty: Bool { text.isEmpty }
}

extension Secret: Equatable {
    /// Takes the same time for all texts of one length, so that answers do not tell how much of a guess was right.
    public static func == (left: Secret, right: Secret) -> Bool {
        let a = left.text.utf8, b = right.text.utf8
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for (x, y) in zip(a, b) { difference |= x ^ y }
        return difference == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Redaction.mask }
    public var debugDescription: String { Redaction.mask }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
