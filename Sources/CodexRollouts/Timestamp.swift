import RelayProtocol

/// Reads the RFC 3339 times of rollout records.
enum Timestamp {
    /// The time that `text` names, in whole milliseconds (further digits are cut off).
    ///
    /// Accepts `2026-11-30T03:48:10.941Z`, any number of fraction digits, an offset instead of `Z`, and a leap second.
    /// - Returns: `nil` for anything else and for times outside ``UnixMilliseconds``.
    static func parse(_ text: some Collection<UInt8>) -> UnixMilliseconds? {
        var digits = Digits(rest: text[...])
        guard let year = digits.number(4), digits.skip("-"), let month = digits.number(2), digits.skip("-"), let day = digits.number(2),
            digits.skip("T") || digits.skip("t") || digits.skip(" "),
            let hour = digits.number(2), digits.skip(":"), let minute = digits.number(2), digits.skip(":"), let second = digits.number(2),
            (1...12).contains(month), (1...31).contains(day), hour <= 23, minute <= 59, second <= 60
        else { return nil }
        let milliseconds = digits.fraction()
        guard let offset = digits.offset(), digits.rest.isEmpty else { return nil }
        let seconds = daysSinceEpoch(year: year, month: month, day: day) * 86400 + hour * 3600 + (minute - offset) * 60 + second
        return UnixMilliseconds(seconds * 1000 + milliseconds)
    }

    /// Days from 1970-01-01 to a date of the Gregorian calendar; the year begins in March so that leap days come last.
    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private struct Digits<Text: Collection> where Text.Element == UInt8, Text.SubSequence == Text {
        var rest: Text

        mutating func number(_ count: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<count {
                guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
                rest.removeFirst()
            }
            return value
        }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard let byte = rest.first, UInt32(byte) == character.value else { return false }
            rest.removeFirst()
            return true
        }

        /// Milliseconds of `.123…`; 0 without a fraction.
        mutating func fraction() -> Int64 {
            guard skip(".") else { return 0 }
            var value: Int64 = 0
            var scale: Int64 = 100
            while let digit = number(1) {
                value += digit * scale
                scale /= 10
            }
            return value
        }

        /// Minutes east of UTC; `nil` when neither `Z` nor a valid offset follows.
        mutating func offset() -> Int64? {
            if skip("Z") || skip("z") { return 0 }
            let sign: Int64 = skip("+") ? 1 : skip("-") ? -1 : 0
            guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours <= 23, minutes <= 59 else { return nil }
            return sign * (hours * 60 + minutes)
        }

    }
}
