/// Reads one JSON text (RFC 8259) into a ``JSONValue``.
///
/// Strict: no trailing commas, comments, leading zeros or byte-order mark, and only valid UTF-8. Bounded: work and memory are
/// linear in the input and recursion stops at ``maximumDepth``; no input traps. Half of a surrogate pair in an escape becomes
/// U+FFFD rather than an error, because peers that cut titles by UTF-16 units write such halves. Numbers never depend on the locale.
public struct JSONParser: Sendable {
    /// What happens when an object holds a key twice.
    public enum DuplicateKeys: Sendable {
        /// The text is refused: two readers could understand it differently.
        case reject
        /// The last one counts, as in JavaScript.
        case lastWins
    }

    /// Containers inside each other, 1 … 512.
    public let maximumDepth: Int
    public let duplicateKeys: DuplicateKeys

    /// - Parameter maximumDepth: Brought into 1 … 512, which keeps the recursion within a small thread's stack.
    public init(maximumDepth: Int = 64, duplicateKeys: DuplicateKeys = .reject) {
        self.maximumDepth = min(max(maximumDepth, 1), 512)
        self.duplicateKeys = duplicateKeys
    }

    /// - Throws: ``JSONError`` with the place where the text stops being acceptable.
    public func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes, maximumDepth: maximumDepth, rejectsDuplicates: duplicateKeys == .reject)
        let value = try reader.value(depth: 0)
        try reader.end()
        return value
    }

    /// See ``parse(_:)-(UnsafeRawBufferPointer)``.
    public func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBytes { bytes in Result { () throws(JSONError) in try parse(bytes) } }.get()
    }

    /// See ``parse(_:)-(UnsafeRawBufferPointer)``; offsets in errors count from the start of the slice.
    public func parse(_ bytes: ArraySlice<UInt8>) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBytes { bytes in Result { () throws(JSONError) in try parse(bytes) } }.get()
    }

    /// See ``parse(_:)-(UnsafeRawBufferPointer)``; copies collections that are not contiguous.
    public func parse(_ bytes: some Collection<UInt8>) throws(JSONError) -> JSONValue {
        let result = bytes.withContiguousStorageIfAvailable { bytes in
            Result { () throws(JSONError) in try parse(UnsafeRawBufferPointer(bytes)) }
        }
        if let result { return try result.get() }
        return try parse(Array(bytes))
    }
}
