/// What a terminal answers when it is asked for its background colour and then for what it is.
struct BackgroundReply: Sendable, Equatable {
    /// `nil` when the terminal did not say.
    private(set) var theme: Theme?
    /// Every terminal answers the second question: after it nothing more comes.
    private(set) var isComplete = false
    /// What was typed meanwhile.
    private(set) var rest: [UInt8] = []

    /// Asks for the colour, then for the kind of terminal.
    static let question = "\u{1b}]11;?\u{1b}\\\u{1b}[c"

    /// - Parameter bytes: All that came so far.
    init(_ bytes: [UInt8]) {
        var index = 0
        while index < bytes.count {
            guard bytes[index] == 0x1b, index + 1 < bytes.count else {
                if bytes[index] != 0x1b { rest.append(bytes[index]) }
                index += 1
                continue
            }
            switch bytes[index + 1] {
            case UInt8(ascii: "]"):
                let end = bytes[index...].firstIndex { $0 == 0x07 } ?? bytes.count
                let escape = bytes[(index + 2)...].firstIndex { $0 == 0x1b } ?? bytes.count
                let stop = min(end, escape)
                if stop < bytes.count, let found = Self.theme(bytes[(index + 2)..<stop]) { theme = found }
                index = stop == escape ? stop + 2 : stop + 1
            case UInt8(ascii: "["):
                guard let end = bytes[(index + 2)...].firstIndex(where: { (0x40...0x7e).contains($0) }) else { return }
                if bytes[end] == UInt8(ascii: "c") { isComplete = true }
                index = end + 1
            default: index += 2
            }
        }
    }

    /// `11;rgb:ffff/ffff/ffff`, with one to four digits for each part, or `11;#ffffff`.
    private static func theme(_ bytes: ArraySlice<UInt8>) -> Theme? {
        let text = String(decoding: bytes.prefix(64), as: UTF8.self)
        guard text.hasPrefix("11;") else { return nil }
        var color = text.dropFirst(3)
        let parts: [Substring]
        if color.hasPrefix("#") {
            color = color.dropFirst()
            guard color.count % 3 == 0, !color.isEmpty else { return nil }
            let digits = color.count / 3
            parts = (0..<3).map { color.dropFirst($0 * digits).prefix(digits) }
        } else {
            guard let colon = color.firstIndex(of: ":"), color.hasPrefix("rgb") else { return nil }
            parts = color[color.index(after: colon)...].split(separator: "/", omittingEmptySubsequences: false)
        }
        let values = parts.prefix(3).compactMap(share)
        guard values.count == 3 else { return nil }
        return 0.299 * values[0] + 0.587 * values[1] + 0.114 * values[2] > 0.5 ? .light : .dark
    }

    /// 0 … 1.
    private static func share(_ digits: Substring) -> Double? {
        guard (1...4).contains(digits.utf8.count), let value = UInt32(digits, radix: 16) else { return nil }
        return Double(value) / Double((1 << (4 * digits.utf8.count)) - 1)
    }
}
