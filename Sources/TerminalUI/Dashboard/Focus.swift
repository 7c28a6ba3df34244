import DeckClient
import RelayProtocol

/// The card that keys without a number act on. It stays with its task when the board is ordered anew, so that a key never acts on a
/// task that slid under the finger.
struct Focus: Sendable, Equatable {
    /// 0 … 5.
    private(set) var slot = 0
    private var task: BoardTask.ID?

    mutating func move(to slot: Int, on board: Board) {
        self.slot = min(max(slot, 0), Snapshot.slotCount - 1)
        task = board.slots[self.slot]?.id
    }

    /// Finds its task again; where that has no key any more, the place stays focused.
    mutating func follow(_ board: Board) {
        if let task, let found = board.slots.firstIndex(where: { $0?.id == task }) { slot = found }
        task = board.slots[slot]?.id
    }
}
