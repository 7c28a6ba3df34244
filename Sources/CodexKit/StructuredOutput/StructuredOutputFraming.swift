/// Splits an answer that streams into the text for people and one JSON value for the program, which stands between two tags.
///
/// How the service cuts the text never matters: what could be the beginning of a tag is held back until it is known.
struct StructuredOutputFraming: Sendable {
    enum Piece: Equatable, Sendable {
        case text(String)
        /// More of the JSON value.
        case payload(String)
        /// The value is complete.
        case payloadEnd
    }

    static let openingTag = "<structured_output>"
    static let closingTag = "</structured_output>"
    /// The most bytes of the value.
    static let payloadLimit = 1 << 20

    private enum State { case text, payload, afterwards }

    private var state = State.text
    private var held: [UInt8] = []
    private var isInString = false
    private var isEscaped = false
    private(set) var payload: [UInt8] = []
    private(set) var isComplete = false
    /// The value was larger than allowed; the rest was dropped.
    private(set) var isTooLarge = false

    /// What the model is told about the form.
    static func instructions(for format: AgentStructuredOutputFormat, required: Bool) -> String {
        """
        Answer the user in plain text first. \(required ? "Then always" : "If the request calls for it, then") append exactly one JSON value \
        between \(openingTag) and \(closingTag), without a code fence, for the program; the user does not see it. It is \
        "\(format.name)"\(format.description.map { " (\($0))" } ?? "") and fits this JSON schema:
        \(String(decoding: format.rawSchema.encoded(), as: UTF8.self))
        """
    }

    mutating func receive(_ delta: String) -> [Piece] {
        var pieces: [Piece] = []
        var run: [UInt8] = []
        for byte in delta.utf8 { take(byte, &run, &pieces) }
        flush(&run, &pieces)
        return pieces
    }

    /// The end of the message: what was held back turns out to be text.
    mutating func finish() -> [Piece] {
        guard state != .payload, !held.isEmpty else { return [] }
        defer { held = [] }
        return [.text(String(decoding: held, as: UTF8.self))]
    }

    private mutating func take(_ byte: UInt8, _ run: inout [UInt8], _ pieces: inout [Piece]) {
        if state == .payload, isInString {
            // A tag inside of a text is text.
            isInString = isEscaped || byte != UInt8(ascii: "\"")
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            run.append(byte)
            return
        }
        let tag = Array((state == .payload ? Self.closingTag : Self.openingTag).utf8)
        if state != .afterwards, byte == tag[held.count] {
            held.append(byte)
            if held.count == tag.count { passTag(&run, &pieces) }
            return
        }
        run.append(contentsOf: held)
        held = []
        if state != .afterwards, byte == tag[0] {
            held = [byte]
            return
        }
        if state == .payload, byte == UInt8(ascii: "\"") { isInString = true }
        run.append(byte)
    }

    private mutating func passTag(_ run: inout [UInt8], _ pieces: inout [Piece]) {
        flush(&run, &pieces)
        held = []
        if state == .payload {
            state = .afterwards
            isComplete = true
            pieces.append(.payloadEnd)
        } else {
            state = .payload
        }
    }

    private mutating func flush(_ run: inout [UInt8], _ pieces: inout [Piece]) {
        guard !run.isEmpty else { return }
        defer { run = [] }
        let text = String(decoding: run, as: UTF8.self)
        guard state == .payload else { return pieces.append(.text(text)) }
        guard payload.count + run.count <= Self.payloadLimit else {
            isTooLarge = true
            return
        }
        payload += run
        pieces.append(.payload(text))
    }
}
