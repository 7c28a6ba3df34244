import RelayProtocol

/// The tasks in the order they were opened, with a place in it, as a browser has it. At most 50.
struct OpenHistory: Sendable {
    static let limit = 50

    private var opened: [TaskIdentity] = []
    private var place = -1

    /// Notes that a task was opened by itself; what lay ahead is forgotten.
    mutating func open(_ identity: TaskIdentity) {
        if opened.indices.contains(place), opened[place] == identity { return }
        opened = Array(opened.prefix(place + 1)) + [identity]
        if opened.count > Self.limit { opened.removeFirst(opened.count - Self.limit) }
        place = opened.count - 1
    }

    /// Steps back to the nearest task that still exists; `nil`, and nothing changes, when there is none.
    mutating func back(where exists: (TaskIdentity) -> Bool) -> TaskIdentity? { step(by: -1, exists) }

    /// Steps forward again.
    mutating func forward(where exists: (TaskIdentity) -> Bool) -> TaskIdentity? { step(by: 1, exists) }

    private mutating func step(by direction: Int, _ exists: (TaskIdentity) -> Bool) -> TaskIdentity? {
        var next = place + direction
        while opened.indices.contains(next) {
            if exists(opened[next]) {
                place = next
                return opened[next]
            }
            next += direction
        }
        return nil
    }
}
