import Glibc

/// The clock of the calendar, which people and other computers go by; it may jump. Deadlines go by `ContinuousClock`.
public enum WallClock {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    public static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
