import RelayProtocol

/// The question before a credit is spent to reset the account's limit: answered with `y`, or by holding the key that asked it.
struct ResetLimitPrompt: Sendable, Equatable {
    /// Whose word on the account is the freshest.
    let host: HostID
    let hostName: String
    /// Milliseconds on the clock of keys.
    private var since: Int64
    private var last: Int64
    private var repeats = 0

    /// Milliseconds the key has to be held.
    static let hold: Int64 = 1_200
    /// Between two repetitions of a held key there is less; the first comes late on most keyboards.
    static let gap: Int64 = 700
    /// A key that is tapped comes no such number of times.
    static let leastRepeats = 5

    init(host: HostID, hostName: String, at: Int64) {
        self.host = host
        self.hostName = hostName
        (since, last) = (at, at)
    }

    /// Takes the key once more.
    ///
    /// - Returns: Whether it has been held long enough.
    mutating func again(at: Int64) -> Bool {
        if at < last || at - last > Self.gap { (since, repeats) = (at, 0) } else { repeats += 1 }
        last = at
        return at - since >= Self.hold && repeats >= Self.leastRepeats
    }

    func line(columns: Int, _ glyphs: GlyphSet) -> StyledLine {
        let name = CellText.clipped(CellText.clean(hostName, glyphs), to: max(columns - 44, 4), glyphs)
        let text = columns >= 60 ? " Spend a credit on \(name)? y/n, or hold R" : " Spend a credit? y/n, or hold R"
        return StyledLine(text, .prompt).clipped(to: columns, glyphs)
    }
}
