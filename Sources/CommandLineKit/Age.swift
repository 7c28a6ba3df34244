/// A length of time in one short word, such as `5 min`.
public enum Age {
    /// - Parameter milliseconds: A negative length, of clocks that disagree, counts as none.
    public static func text(milliseconds: Int64) -> String {
        let seconds = max(milliseconds, 0) / 1_000
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
