/// What a piece of text means. How that looks is decided by a ``StyleMap``, and never carries meaning alone: every state has its word.
public enum TextStyle: String, Hashable, Sendable, CaseIterable {
    case plain
    /// Less important: labels, ages, empty keys.
    case faint
    case heading
    case frame, focusFrame
    case off, idle, finished, working, failed, waiting
    /// Not live: the last that is known.
    case lastKnown
    case good, warning, bad
    case meter, meterHigh, meterFull, meterRest
    /// The name of a key to press.
    case key
    /// A question that waits for an answer.
    case prompt
    /// The entry of a list that would be chosen.
    case chosen
}
