/// Bytes appended at the end and consumed from the front, in one contiguous piece; an empty queue owns no memory.
struct ByteQueue: ~Copyable {
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private var head = 0
    private var tail = 0

    deinit { base?.deallocate() }

    var count: Int { tail - head }

    /// Valid until the queue is next changed.
    var bytes: UnsafeRawBufferPointer {
        guard let base else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: base + head, count: count)
    }

    /// Makes room for `extra` more bytes, so that appending them moves nothing.
    mutating func reserve(_ extra: Int) {
        guard capacity - tail < extra else { return }
        let size = max(count + extra, count * 2)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        if let base {
            grown.copyMemory(from: base + head, byteCount: count)
            base.deallocate()
        }
        (base, capacity, head, tail) = (grown, size, 0, count)
    }

    mutating func append(_ added: UnsafeRawBufferPointer) {
        guard let source = added.baseAddress, !added.isEmpty else { return }
        reserve(added.count)
        guard let base else { return }
        (base + tail).copyMemory(from: source, byteCount: added.count)
        tail += added.count
    }

    /// Drops the first `size` bytes, or all when there are fewer.
    mutating func consume(_ size: Int) {
        head += min(max(size, 0), count)
        if head == tail { release() }
    }

    private mutating func release() {
        base?.deallocate()
        (base, capacity, head, tail) = (nil, 0, 0, 0)
    }
}
