/// A binary heap of timers by deadline; equal deadlines keep the order in which they were added.
///
/// Each timer knows its place, so that removing one costs O(log n) too.
struct TimerHeap {
    private(set) var timers: [Timer] = []
    private var nextSequence: UInt64 = 0

    /// The timer that is due first.
    var first: Timer? { timers.first }

    /// What the next inserted timer will have as its `sequence`.
    var upcomingSequence: UInt64 { nextSequence }

    mutating func insert(_ timer: Timer) {
        timer.sequence = nextSequence
        nextSequence += 1
        timer.heapIndex = timers.count
        timers.append(timer)
        siftUp(timers.count - 1)
    }

    mutating func remove(_ timer: Timer) {
        let index = timer.heapIndex
        guard timers.indices.contains(index), timers[index] === timer else { return }
        timer.heapIndex = -1
        let last = timers.removeLast()
        guard index < timers.count else { return }
        timers[index] = last
        last.heapIndex = index
        siftUp(index)
        siftDown(last.heapIndex)
    }

    /// Takes out the first timer when it is due at `now` and was added before `sequence`.
    ///
    /// The second condition keeps a timer that is set again from its own handler, for a time already past, from
    /// holding the loop.
    mutating func popDue(now: ContinuousClock.Instant, before sequence: UInt64) -> Timer? {
        guard let timer = timers.first, timer.deadline <= now, timer.sequence < sequence else { return nil }
        remove(timer)
        return timer
    }

    mutating func removeAll() {
        for timer in timers { timer.heapIndex = -1 }
        timers.removeAll()
    }

    private func isBefore(_ left: Timer, _ right: Timer) -> Bool {
        left.deadline == right.deadline ? left.sequence < right.sequence : left.deadline < right.deadline
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(timers[child], timers[parent]) else { return }
            exchange(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count && isBefore(timers[child], timers[least]) {
                least = child
            }
            if least == parent { return }
            exchange(parent, least)
            parent = least
        }
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        timers.swapAt(left, right)
        timers[left].heapIndex = left
        timers[right].heapIndex = right
    }
}
