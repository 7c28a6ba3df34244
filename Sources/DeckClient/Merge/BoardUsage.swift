import RelayProtocol

/// The account's limits as the computer heard them that heard them last. All times by our clock.
public struct BoardUsage: Sendable, Equatable {
    /// One of the two main windows.
    public enum Window: Sendable, Equatable {
        /// Nobody said; not the same as zero.
        case unavailable
        case known(Usage.Window)
        /// Its reset time is over: the number is from before.
        case stale(Usage.Window)

        /// The numbers, where there are any, stale or not.
        public var window: Usage.Window? {
            switch self {
            case .unavailable: nil
            case .known(let window), .stale(let window): window
            }
        }
    }

    /// Whose word this is; where `rate-limit-reset` goes.
    public let host: HostID
    public let observedAt: UnixMilliseconds
    public let fiveHour: Window
    public let weekly: Window
    /// Further limits of the account; they never stand in for a main window.
    public let others: [Usage.Window]
    public let resetCreditsAvailable: Int?
    public let resetCreditsApplicable: Int?

    init(_ usage: Usage, host: HostID, report: HostReport, now: UnixMilliseconds) {
        self.host = host
        observedAt = report.local(usage.observedAt)
        let windows = usage.windows.map { window in
            var local = window
            local.resetsAt = window.resetsAt.map(report.local)
            return local
        }
        // Of several windows of one kind the first is the account's own; hosts list extra limits after it.
        let five = windows.firstIndex { $0.kind == .fiveHour }
        let week = windows.firstIndex { $0.kind == .weekly }
        fiveHour = Self.judged(five.map { windows[$0] }, now: now)
        weekly = Self.judged(week.map { windows[$0] }, now: now)
        others = windows.indices.filter { $0 != five && $0 != week }.map { windows[$0] }
        resetCreditsAvailable = usage.resetCreditsAvailable
        resetCreditsApplicable = usage.resetCreditsApplicable
    }

    private static func judged(_ window: Usage.Window?, now: UnixMilliseconds) -> Window {
        guard let window else { return .unavailable }
        if let resetsAt = window.resetsAt, resetsAt <= now { return .stale(window) }
        return .known(window)
    }

    /// The freshest of all hosts, live or not; of equally fresh ones that of a live host, then of the first.
    static func freshest(in views: [HostView], now: UnixMilliseconds) -> BoardUsage? {
        var best: (view: HostView, report: HostReport, usage: Usage, at: UnixMilliseconds)?
        for view in views {
            guard let report = view.report, let usage = report.snapshot.usage else { continue }
            let at = report.local(usage.observedAt)
            if let present = best, present.at > at || (present.at == at && (present.view.isLive || !view.isLive)) { continue }
            best = (view, report, usage, at)
        }
        return best.map { BoardUsage($0.usage, host: $0.view.host.id, report: $0.report, now: now) }
    }
}
