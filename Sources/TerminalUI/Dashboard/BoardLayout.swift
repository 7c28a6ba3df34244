import RelayProtocol

/// How the six cards and the controls share the rows below the header.
struct BoardLayout: Equatable {
    enum Card: Int {
        /// One row each, below one another.
        case line = 1
        /// Two rows each, below one another.
        case pair = 2
        /// A frame of four rows, side by side where there is room.
        case framed = 4
    }

    /// What stands below the cards; the number is its rows.
    enum Foot: Int {
        /// Usage, lower keys, receipt and hints, a row each.
        case compact = 4
        /// A row for each window of the usage, the stick and dial besides, and a second row of hints.
        case normal = 7
        /// The lower keys in frames.
        case large = 9
    }

    let card: Card
    /// Cards side by side.
    let columns: Int
    let foot: Foot
    /// Rows left for tasks without a key: 0, or a heading and at least one task.
    let restRows: Int

    /// Rows from which frames around the lower keys are no waste, and columns from which they hold their labels.
    private static let large = ScreenSize(columns: 60, rows: 32)

    init(size: ScreenSize, headerRows: Int, rest: Int) {
        let room = size.rows - headerRows
        let cardRoom = room - Foot.compact.rawValue
        let sideBySide = size.columns >= 120 ? 3 : size.columns >= 70 ? 2 : 1
        let count = Snapshot.slotCount
        let used: Int
        if count / sideBySide * Card.framed.rawValue <= cardRoom {
            (card, columns, used) = (.framed, sideBySide, count / sideBySide * Card.framed.rawValue)
        } else if count * Card.pair.rawValue <= cardRoom {
            (card, columns, used) = (.pair, 1, count * Card.pair.rawValue)
        } else {
            // One more row says the rest about the focused one.
            (card, columns, used) = (.line, 1, count + 1)
        }
        if size.rows >= Self.large.rows, size.columns >= Self.large.columns, used + Foot.large.rawValue <= room {
            foot = .large
        } else {
            foot = used + Foot.normal.rawValue <= room ? .normal : .compact
        }
        // An empty row above keeps the list apart.
        let left = room - foot.rawValue - used - 1
        restRows = rest > 0 && left >= 2 ? min(rest + 1, left) : 0
    }
}
