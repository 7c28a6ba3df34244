import RelayProtocol

/// A computer as the rules see it.
struct MergeHost {
    let isLive: Bool
    /// By our clock; 0 when it never said anything.
    let receivedAt: Int64
    let clockShift: Int64
    let index: HostIndex?

    init(_ view: HostView) {
        isLive = view.isLive
        receivedAt = view.report?.receivedAt.value ?? 0
        clockShift = view.report?.clockShift ?? 0
        index = view.report?.index
    }

    /// `time` of the computer, by our clock.
    func local(_ time: UnixMilliseconds) -> UnixMilliseconds { time.advanced(byMilliseconds: clockShift) }
}
