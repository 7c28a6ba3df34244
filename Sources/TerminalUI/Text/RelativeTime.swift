import RelayProtocol

/// A distance in time in one coarse unit, and how long that text stays true.
struct RelativeTime: Equatable {
    let text: String
    /// Milliseconds until the text changes; more than 0.
    let changesAfter: Int64

    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 86_400_000

    /// How long ago something was: `now` below a minute (and for the future), then minutes, from an hour hours, from two days days.
    static func age(_ milliseconds: Int64) -> RelativeTime {
        if milliseconds < minute { return RelativeTime(text: "now", changesAfter: minute - max(milliseconds, -minute)) }
        let unit = unit(milliseconds)
        return RelativeTime(text: "\(milliseconds / unit.length) \(unit.name)", changesAfter: unit.length - milliseconds % unit.length)
    }

    /// How long until something is, rounded down.
    static func until(_ milliseconds: Int64) -> RelativeTime {
        if milliseconds < minute { return RelativeTime(text: "in <1 min", changesAfter: max(milliseconds, 1)) }
        let unit = unit(milliseconds)
        return RelativeTime(text: "in \(milliseconds / unit.length) \(unit.name)", changesAfter: milliseconds % unit.length + 1)
    }

    private static func unit(_ milliseconds: Int64) -> (name: String, length: Int64) {
        if milliseconds < hour { return ("min", minute) }
        return milliseconds < 2 * day ? ("h", hour) : ("d", day)
    }
}

/// A moment on the user's own clock and calendar.
public struct LocalTime: Sendable, Equatable {
    /// 0 for Sunday … 6.
    public var weekday: Int
    /// 0 … 23.
    public var hour: Int
    /// 0 … 59.
    public var minute: Int
    /// Days since 1970-01-01 on that calendar.
    public var day: Int

    public init(weekday: Int, hour: Int, minute: Int, day: Int) {
        self.weekday = weekday
        self.hour = hour
        self.minute = minute
        self.day = day
    }

    /// Greenwich time, for tests and where no zone is known.
    public static func utc(_ time: UnixMilliseconds) -> LocalTime { LocalTime(time, secondsFromUTC: 0) }

    /// - Parameter secondsFromUTC: The offset of the zone at `time`, positive in the east.
    public init(_ time: UnixMilliseconds, secondsFromUTC: Int) {
        let seconds = time.value / 1000 + Int64(secondsFromUTC)
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let rest = seconds - days * 86_400
        day = Int(days)
        weekday = Int(((days + 4) % 7 + 7) % 7)
        hour = Int(rest / 3600)
        minute = Int(rest / 60 % 60)
    }

    private static let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// `14:05`, or `Tue 14:05` on another day than `today`.
    func text(on today: LocalTime) -> String {
        let clock = (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
        return day == today.day ? clock : Self.names[weekday % 7] + " " + clock
    }
}
