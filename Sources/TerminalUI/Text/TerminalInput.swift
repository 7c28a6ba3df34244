/// Tells what is typed from what is pasted, and drops escape sequences that nobody asked for.
///
/// A terminal that was asked to marks the beginning and the end of a paste. Without the marks every pasted letter would be a key, and
/// keys open, approve and send.
struct TerminalInput: Sendable, Equatable {
    enum Piece: Sendable, Equatable {
        /// A character that is a key by itself.
        case key(UInt32)
        /// All that was pasted at once, at most ``limit`` characters of it.
        case paste(String)
    }

    /// More than anything that can be pasted here; the rest of a longer text is dropped.
    static let limit = 16_384
    /// Milliseconds after which a paste is over whose end was lost: an Escape that comes later is a key again.
    static let silence: Int64 = 1_000

    private var filter = EscapeFilter()
    private var pasted = ""
    private var count = 0
    private var last: Int64 = 0
    private var cameLate = false
    private(set) var isPasting = false

    /// - Parameters:
    ///   - code: A character as the terminal sent it.
    ///   - at: Milliseconds on a clock that never goes back.
    mutating func take(_ code: UInt32, at: Int64) -> Piece? {
        cameLate = at - last > Self.silence
        last = at
        guard let code = filter.take(code) else {
            switch filter.mark {
            case .pasteBegins where !isPasting: isPasting = true
            case .pasteEnds where isPasting: return .paste(finish())
            default: break
            }
            return nil
        }
        guard isPasting else { return .key(code) }
        if count < Self.limit, let scalar = Unicode.Scalar(code) {
            pasted.unicodeScalars.append(scalar)
            count += 1
        }
        return nil
    }

    /// Nothing more is there to be read now.
    ///
    /// - Returns: The Escape that was waiting for what may follow it. One in the middle of a paste is part of it.
    mutating func end() -> UInt32? {
        guard let code = filter.end(), !isPasting || cameLate else { return nil }
        _ = finish()
        return code
    }

    private mutating func finish() -> String {
        defer { (pasted, count, isPasting) = ("", 0, false) }
        return pasted
    }
}
