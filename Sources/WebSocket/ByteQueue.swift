/// Bytes received and not yet used: appended at the back, taken from the front, each moved a bounded number of times.
///
/// An empty queue owns no memory, because most connections are idle most of the time.
struct ByteQueue: Sendable {
    private var storage: [UInt8] = []
    private var start = 0

    var count: Int { storage.count - start }

    /// The memory it holds, whether used or not.
    var capacity: Int { storage.capacity }

    /// - Parameter offset: 0..<count, counted from the front.
    subscript(offset: Int) -> UInt8 { storage[start + offset] }

    mutating func append(_ bytes: some Collection<UInt8>) {
        bytes.withContiguousBytes { storage.append(contentsOf: $0) }
    }

    /// Removes and returns the first `length` bytes; `length` is at most `count`.
    mutating func take(_ length: Int) -> [UInt8] {
        let taken = Array(storage[start..<start + length])
        drop(length)
        return taken
    }

    /// Removes the first `length` bytes; `length` is at most `count`.
    mutating func drop(_ length: Int) {
        start += length
        if start == storage.count {
            removeAll()
        } else if start >= 4096 && start >= count {
            // At least as many bytes are thrown away as are copied, and the new array is no larger than it needs to be.
            storage = Array(storage[start...])
            start = 0
        }
    }

    mutating func removeAll() {
        storage = []
        start = 0
    }

    /// Lets `body` change the bytes at `range`, counted from the front, in place.
    mutating func withMutableBytes<Result>(_ range: Range<Int>, _ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        storage.withUnsafeMutableBytes { all in
            body(UnsafeMutableRawBufferPointer(rebasing: all[start + range.lowerBound..<start + range.upperBound]))
        }
    }
}

extension Collection where Element == UInt8 {
    /// The elements as one stretch of memory, copied only when the collection has none.
    func withContiguousBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
    }
}
