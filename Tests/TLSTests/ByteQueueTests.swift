import Testing

@testable import TLS

struct ByteQueueTests {
    @Test("Behaves like an array under any mix of operations", arguments: 0..<20) func matchesAnArray(seed: UInt64) {
        var random = SplitMix(state: seed)
        var queue = ByteQueue()
        var model: [UInt8] = []
        for _ in 0..<400 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let added = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
                added.withUnsafeBytes { queue.append($0) }
                model += added
            case 2: queue.reserve(Int.random(in: 0...500, using: &random))
            default:
                let size = Int.random(in: 0...400, using: &random)
                queue.consume(size)
                model.removeFirst(min(size, model.count))
            }
            let count = queue.count
            let bytes = Array(queue.bytes)
            #expect(count == model.count)
            #expect(bytes == model)
        }
    }

    @Test func consumingANegativeSizeDropsNothing() {
        var queue = ByteQueue()
        [UInt8]([1, 2, 3]).withUnsafeBytes { queue.append($0) }
        let before = queue.count
        queue.consume(-5)
        let after = queue.count
        #expect(before == after)
    }

    @Test func anEmptyQueueOwnsNothing() {
        var queue = ByteQueue()
        let initially = queue.bytes.baseAddress
        queue.reserve(10)
        [UInt8]([1]).withUnsafeBytes { queue.append($0) }
        queue.consume(1)
        let finally = queue.bytes.baseAddress
        #expect(initially == nil)
        #expect(finally == nil)
    }
}
