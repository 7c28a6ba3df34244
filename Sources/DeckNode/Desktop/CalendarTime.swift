/// A moment in UTC, in the numbers people write.
struct CalendarTime: Hashable {
    let year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64

    /// - Parameter seconds: Since 1970-01-01T00:00Z; `nil` comes back for years that are not of four digits.
    init?(unixSeconds seconds: Int64) {
        guard (-62_167_219_200...253_402_300_799).contains(seconds) else { return nil }
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let second = seconds - days * 86_400
        hour = second / 3_600
        minute = second % 3_600 / 60
        // The year begins in March here, so that leap days come last; an era has 400 years.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// `2026-11-30`.
    var date: String { "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))" }
    /// `08:05`.
    var time: String { "\(Self.digits(hour, 2)):\(Self.digits(minute, 2))" }

    private static func digits(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
