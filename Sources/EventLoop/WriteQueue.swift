/// Bytes that the kernel has not taken yet, in order.
///
/// An empty queue holds no memory. Small pieces are gathered into chunks, so that many short writes to a slow peer cost
/// neither an array nor a system call each.
struct WriteQueue {
    /// How many bytes wait.
    private(set) var count = 0

    private var chunks: [[UInt8]] = []
    private var firstChunk = 0
    private var offset = 0   // taken bytes of the first chunk
    private static let gatherLimit = 16_384

    var isEmpty: Bool { count == 0 }

    /// Adds an array from its index `start` on; a large one is kept, not copied.
    mutating func append(_ bytes: [UInt8], from start: Int) {
        guard start < bytes.count else { return }
        if isEmpty {
            chunks.append(bytes)
            offset = start
            count = bytes.count - start
        } else if start == 0 && bytes.count >= Self.gatherLimit {
            chunks.append(bytes)
            count += bytes.count
        } else {
            bytes.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        if chunks.count - firstChunk > 0, chunks[chunks.count - 1].count + bytes.count <= Self.gatherLimit {
            chunks[chunks.count - 1].append(contentsOf: bytes)
        } else {
            chunks.append([UInt8](bytes))
        }
    }

    /// Lends the first bytes that wait, as many as lie together; empty when none do.
    func withFirst<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard !isEmpty else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return chunks[firstChunk].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }

    /// Drops the first `taken` bytes, at most what ``withFirst(_:)`` lends.
    mutating func remove(_ taken: Int) {
        guard taken > 0, !isEmpty else { return }
        offset += min(taken, chunks[firstChunk].count - offset)
        count -= min(taken, count)
        if isEmpty {
            removeAll()
        } else if offset == chunks[firstChunk].count {
            chunks[firstChunk] = []
            firstChunk += 1
            offset = 0
            if firstChunk >= 64 {
                chunks.removeSubrange(..<firstChunk)
                firstChunk = 0
            }
        }
    }

    mutating func removeAll() { self = WriteQueue() }
}
