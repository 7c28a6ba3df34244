import RelayProtocol

/// How the six cards share the rows between header and foot.
struct BoardLayout: Equatable {
    enum Card: Int {
        /// One row each, below one another.
        case line = 1
        /// Two rows each, below one another.
        case pair = 2
        /// A frame of four rows, side by side where there is room.
        case framed = 4
    }

    let card: Card
    /// Cards side by side.
    let columns: Int
    /// Rows left for tasks without a key: 0, or a heading and at least one task.
    let restRows: Int

    /// Usage, the receipt line and the hints.
    static let footRows = 4

    init(size: ScreenSize, headerRows: Int, rest: Int) {
        let room = size.rows - headerRows - Self.footRows
        let sideBySide = size.columns >= 120 ? 3 : size.columns >= 70 ? 2 : 1
        let count = Snapshot.slotCount
        let used: Int
        if count / sideBySide * Card.framed.rawValue <= room {
            (card, columns, used) = (.framed, sideBySide, count / sideBySide * Card.framed.rawValue)
        } else if count * Card.pair.rawValue <= room {
            (card, columns, used) = (.pair, 1, count * Card.pair.rawValue)
        } else {
            (card, columns, used) = (.line, 1, count)
        }
        // An empty row above and below keeps the list apart.
        let left = room - used - 2
        restRows = rest > 0 && left >= 2 ? min(rest + 1, left) : 0
    }
}
