import Testing

@testable import WebSocket

struct ByteQueueTests {
    @Test("Bytes come out in the order they went in, whatever the pieces", arguments: [1, 3, 4095, 4096, 5000])
    func keepsOrder(size: Int) {
        let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var queue = ByteQueue()
        var taken: [UInt8] = []
        for chunk in bytes.chunks(of: size) {
            queue.append(chunk)
            taken += queue.take(queue.count / 2)
        }
        taken += queue.take(queue.count)
        #expect(taken == bytes)
        #expect(queue.count == 0)
    }

    @Test func givesMemoryBack() {
        var queue = ByteQueue()
        queue.append([UInt8](repeating: 1, count: 65_536) + [2, 3])
        queue.drop(65_536)
        #expect(queue.capacity < 1024, "two bytes must not hold on to what came before them")
        queue.drop(2)
        #expect(queue.capacity == 0)
    }

    @Test func acceptsCollectionsWithoutContiguousStorage() {
        var queue = ByteQueue()
        queue.append((0..<5).lazy.map { UInt8($0) })
        #expect(queue.take(5) == [0, 1, 2, 3, 4])
    }

    @Test func changesBytesBehindTakenOnes() {
        var queue = ByteQueue()
        queue.append([1, 2, 3, 4])
        queue.drop(1)
        queue.withMutableBytes(1..<2) { $0[0] = 9 }
        #expect(queue[1] == 9)
        #expect(queue.take(3) == [2, 9, 4])
    }
}
