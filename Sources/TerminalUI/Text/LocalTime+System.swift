import Glibc
import RelayProtocol

extension LocalTime {
    /// The time on the clocks of this computer.
    public static func here(_ time: UnixMilliseconds) -> LocalTime {
        var seconds = time_t(time.value / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return .utc(time) }
        return LocalTime(time, secondsFromUTC: parts.tm_gmtoff)
    }
}
