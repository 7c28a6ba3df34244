/// The `Retry-After` field: a number of seconds, or a date of HTTP's preferred form.
enum RetryAfter {
    /// - Parameter now: Seconds since 1970.
    /// - Returns: At most a day and not less than nothing; `nil` for what is neither form.
    static func parse(_ text: String, now: Double) -> Duration? {
        let text = text.split(separator: " ", omittingEmptySubsequences: true)
        guard let first = text.first else { return nil }
        if text.count == 1 {
            guard first.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
            return .seconds(Int(first).map { min($0, 86_400) } ?? 86_400)
        }
        guard let date = seconds(of: text) else { return nil }
        return .milliseconds(Int64(min(max(Double(date) - now, 0), 86_400) * 1000))
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func seconds(of parts: [Substring]) -> Int? {
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), (1...31).contains(day),
            let month = months.firstIndex(where: { $0 == parts[2] }), let year = Int(parts[3]), (1970...9999).contains(year)
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2]) else { return nil }
        // Days since 1970 with March as the first month, so that the leap day comes last.
        let shifted = month < 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 10) % 12) + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }
}
