/// Drops escape sequences that nobody asked for: the late answer of a terminal, a pasted colour, a key that is not known.
///
/// Taken for keys, their letters would press things. A lone Escape is a key.
struct EscapeFilter: Sendable, Equatable {
    private enum State: Equatable {
        case ground, escape
        /// After `ESC [` or `ESC O`, up to the final letter.
        case control
        /// After `ESC ]` and its like, up to BEL or `ESC \`.
        case string
        case stringEscape
    }

    /// What the sequence that ended with the last character says, where it says something.
    enum Mark: Equatable { case pasteBegins, pasteEnds }

    private var state = State.ground
    private var length = 0
    /// The parameters of the present control sequence as a number; marks have three digits.
    private var number: UInt32? = 0
    private(set) var mark: Mark?

    /// A sequence longer than this is none.
    static let limit = 1_024

    /// - Returns: The character when it is one by itself.
    mutating func take(_ code: UInt32) -> UInt32? {
        mark = nil
        length = state == .ground ? 0 : length + 1
        if length > Self.limit { state = .ground }
        switch state {
        case .ground:
            guard code == 0x1b else { return code }
            state = .escape
        case .escape:
            switch code {
            case 0x5b, 0x4f: (state, number) = (.control, code == 0x5b ? 0 : nil)
            case 0x5d, 0x50, 0x58, 0x5e, 0x5f: state = .string
            // Pressed twice: one Escape, and perhaps the beginning of something.
            case 0x1b: return code
            default: state = .ground
            }
        case .control:
            switch code {
            case 0x30...0x39: number = number.flatMap { $0 < 100 ? $0 * 10 + (code - 0x30) : nil }
            case 0x7e:
                mark = number == 200 ? .pasteBegins : number == 201 ? .pasteEnds : nil
                state = .ground
            case 0x40...0x7d: state = .ground
            case 0x1b: state = .escape
            default: number = nil
            }
        case .string:
            if code == 0x07 || code == 0x9c { state = .ground } else if code == 0x1b { state = .stringEscape }
        case .stringEscape: state = code == 0x5c ? .ground : .string
        }
        return nil
    }

    /// Nothing more is there to be read now.
    ///
    /// - Returns: The Escape that was waiting for what may follow it.
    mutating func end() -> UInt32? {
        guard state == .escape else { return nil }
        state = .ground
        return 0x1b
    }
}
