import Testing

@testable import EventLoop

struct WriteQueueTests {
    /// Whatever is put in comes out, in order, however it is cut on the way in and out.
    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8]) func keepsBytesInOrder(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var queue = WriteQueue()
        var expected: [UInt8] = []
        var taken: [UInt8] = []
        for _ in 0..<2000 {
            switch random.next() % 4 {
            case 0:
                let piece = bytes(Int(random.next() % 40), &random)
                expected += piece
                piece.withUnsafeBytes { queue.append($0) }
            case 1:
                let piece = bytes(Int(random.next() % 30_000), &random)
                let start = Int(random.next() % 3)
                expected += piece.dropFirst(start)
                queue.append(piece, from: start)
            default:
                let count = queue.withFirst { first in
                    let count = first.isEmpty ? 0 : Int(random.next() % UInt64(first.count)) + 1
                    taken += first.prefix(count)
                    return count
                }
                queue.remove(count)
            }
            #expect(queue.count == expected.count - taken.count)
        }
        while !queue.isEmpty {
            let count = queue.withFirst { taken += $0; return $0.count }
            queue.remove(count)
        }
        #expect(taken == expected)
    }

    @Test func emptyPiecesAreNothing() {
        var queue = WriteQueue()
        queue.append([], from: 0)
        queue.append([1, 2], from: 2)
        queue.append(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(queue.isEmpty)
        queue.remove(1)
        #expect(queue.withFirst { $0.count } == 0)
    }

    @Test func smallPiecesAreGathered() {
        var queue = WriteQueue()
        for _ in 0..<1000 { [UInt8](repeating: 1, count: 10).withUnsafeBytes { queue.append($0) } }
        #expect(queue.withFirst { $0.count } == 10_000)
    }

    private func bytes(_ count: Int, _ random: inout SplitMix) -> [UInt8] {
        let start = Int(random.next() % 30_000)
        return Array(Self.source[start..<start + count])
    }

    private static let source = pattern(65_521)
}
