/// Masks what looks like a secret in text that came from outside, before it is logged or shown.
///
/// Masked are PEM blocks, `Bearer …`, the values of names that end in a word such as `token` or `password` (in URLs, headers and
/// JSON), JSON web tokens, `sk-…` keys, and any run of 32 or more base64url characters; a UUID is let through, as it names a task.
/// One pass, so that the time grows with the length of the text only.
public func redact(_ text: String) -> String {
    var redaction = Redaction(Array(text.utf8))
    return redaction.run()
}

struct Redaction {
    static let mask = "[hidden]"
    private static let longestPlainRun = 31
    private static let sensitiveEndings = [
        "token", "password", "passwd", "secret", "authorization", "apikey", "api_key", "api-key", "privatekey", "private_key", "cookie",
    ].map { Array($0.utf8) }

    /// Headers whose value is the rest of the line.
    private static let wholeLineNames = ["authorization", "cookie"].map { Array($0.utf8) }
    private static let bearer = Array("bearer".utf8), encodedEquals = Array("%3d".utf8)

    private let input: [UInt8]
    private var output: [UInt8] = []
    private var position = 0

    init(_ input: [UInt8]) {
        self.input = input
        output.reserveCapacity(input.count)
    }

    mutating func run() -> String {
        while position < input.count {
            if Self.isRunByte(input[position]) {
                takeRun()
            } else {
                output.append(input[position])
                position += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Handles the run of base64url characters at the position and, when it announces a secret, the secret after it.
    private mutating func takeRun() {
        let start = position
        let end = endOfRun(from: start)
        let run = input[start..<end]
        if run.ends(with: "-----BEGIN"), end < input.count, input[end] == Self.space {
            return takePEM(from: start, to: end)
        }
        if run.hasFoldedSuffix(Self.bearer), let value = skip(Self.space, from: end), value > end {
            return hideWord(keepingThrough: value, stops: Self.wordStops)
        }
        if let value = valueStart(after: run, end: end) { return takeValue(from: value, name: run) }
        if run.looksSecret {
            output.append(contentsOf: Self.mask.utf8)
            position = endOfToken(from: end, web: run.starts(with: "eyJ"))
            return
        }
        output.append(contentsOf: run)
        position = end
    }

    /// Where the value begins when the run is a sensitive name followed by `=`, `:` or `%3D`; quotes and spaces may stand between.
    private func valueStart(after run: ArraySlice<UInt8>, end: Int) -> Int? {
        guard Self.sensitiveEndings.contains(where: run.hasFoldedSuffix) else { return nil }
        var index = end
        while index < input.count, Self.isQuote(input[index]) || input[index] == Self.space { index += 1 }
        guard index < input.count else { return nil }
        if input[index] == UInt8(ascii: "=") || input[index] == UInt8(ascii: ":") {
            index += 1
        } else if input[index...].hasFoldedPrefix(Self.encodedEquals) {
            index += 3
        } else {
            return nil
        }
        return skip(Self.space, from: index) ?? input.count
    }

    private mutating func takeValue(from start: Int, name: ArraySlice<UInt8>) {
        var start = start
        var quotes: [UInt8] = []
        while start < input.count, Self.isQuote(input[start]) {
            quotes.append(input[start])
            start += 1
        }
        if let quote = quotes.last, quotes.first == quote {
            hideWord(keepingThrough: start, stops: [quote, Self.newline], skippingEscapes: true)
        } else if Self.wholeLineNames.contains(where: name.hasFoldedSuffix) {
            hideWord(keepingThrough: start, stops: [Self.newline, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\")])
        } else {
            hideWord(keepingThrough: start, stops: Self.wordStops)
        }
    }

    /// Copies up to `start`, then puts the mask in place of everything before the next stop; one after a backslash is none if asked.
    private mutating func hideWord(keepingThrough start: Int, stops: Set<UInt8>, skippingEscapes: Bool = false) {
        output.append(contentsOf: input[position..<start])
        position = start
        while position < input.count, !stops.contains(input[position]) {
            position += skippingEscapes && input[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position, input.count)
        if position > start { output.append(contentsOf: Self.mask.utf8) }
    }

    /// Hides everything to the end of the block, or of the text when the block was cut off.
    private mutating func takePEM(from start: Int, to end: Int) {
        output.append(contentsOf: Self.mask.utf8)
        position = end
        while position < input.count {
            guard input[position] == UInt8(ascii: "-") else {
                position += 1
                continue
            }
            let runEnd = endOfRun(from: position)
            let closes = input[position..<runEnd].ends(with: "-----END")
            position = runEnd
            guard closes else { continue }
            while position < input.count, input[position] != UInt8(ascii: "-"), input[position] != Self.newline { position += 1 }
            while position < input.count, input[position] == UInt8(ascii: "-") { position += 1 }
            return
        }
    }

    private func endOfRun(from start: Int) -> Int {
        var end = start
        while end < input.count, Self.isRunByte(input[end]) { end += 1 }
        return end
    }

    /// The end of a secret that begins as a run: its padding, and the further parts of a web token.
    private func endOfToken(from runEnd: Int, web: Bool) -> Int {
        var end = runEnd
        while end < input.count, input[end] == UInt8(ascii: "=") || (web && (input[end] == UInt8(ascii: ".") || Self.isRunByte(input[end]))) {
            end += 1
        }
        return end
    }

    private func skip(_ byte: UInt8, from start: Int) -> Int? {
        var index = start
        while index < input.count, input[index] == byte { index += 1 }
        return index < input.count ? index : nil
    }

    private static let space = UInt8(ascii: " ")
    private static let newline = UInt8(ascii: "\n")
    private static let wordStops = Set<UInt8>([0x09, 0x0A, 0x0D] + Array(" &;,\"'\\<>)]}".utf8))

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") }

    private static func isRunByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"):
            true
        default: false
        }
    }

    fileprivate static func looksSecret(_ run: ArraySlice<UInt8>) -> Bool {
        if run.count > longestPlainRun { return !isUUID(run) }
        return run.count >= 20 && (run.starts(with: "sk-") || run.starts(with: "eyJ"))
    }

    private static func isUUID(_ run: ArraySlice<UInt8>) -> Bool {
        guard run.count == 36 else { return false }
        return run.enumerated().allSatisfy { offset, byte in
            if [8, 13, 18, 23].contains(offset) { return byte == UInt8(ascii: "-") }
            return Character(Unicode.Scalar(byte)).isHexDigit
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var looksSecret: Bool { Redaction.looksSecret(self) }

    fileprivate func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { starts(with: $0) }
    }

    fileprivate func ends(with text: StaticString) -> Bool {
        text.withUTF8Buffer { suffix($0.count).elementsEqual($0) }
    }

    /// Whether it ends in these lower-case letters, in any case.
    fileprivate func hasFoldedSuffix(_ lower: [UInt8]) -> Bool { suffix(lower.count).elementsEqual(lower) { $0 | 0x20 == $1 | 0x20 } }

    fileprivate func hasFoldedPrefix(_ lower: [UInt8]) -> Bool { prefix(lower.count).elementsEqual(lower) { $0 | 0x20 == $1 | 0x20 } }
}
