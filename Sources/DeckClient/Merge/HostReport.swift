import RelayProtocol

/// A snapshot, when its host took it by its own clock, and when it came by ours.
public struct HostReport: Sendable, Equatable {
    public var snapshot: Snapshot { index.snapshot }
    /// By the clock of the host; renewed when the host says that nothing changed.
    public private(set) var observedAt: UnixMilliseconds
    /// By our clock.
    public private(set) var receivedAt: UnixMilliseconds
    /// Milliseconds to add to a time of the host to have it by our clock.
    public private(set) var clockShift: Int64
    let index: HostIndex

    /// Milliseconds by which two readings of the shift may differ before the newer one counts.
    ///
    /// Each message travels a little shorter or longer than the one before. Following that would move every time of the
    /// host at every message, redraw everything, and let two hosts that share a session take turns in owning it.
    static let shiftTolerance: Int64 = 1000

    /// - Parameter previous: The report before it on this computer, whose reading of the clock is kept while it still fits.
    public init(snapshot: Snapshot, observedAt: UnixMilliseconds, receivedAt: UnixMilliseconds, previous: HostReport? = nil) {
        self.observedAt = observedAt
        self.receivedAt = receivedAt
        clockShift = Self.shift(receivedAt.milliseconds(since: observedAt), keeping: previous?.clockShift)
        if let previous, previous.snapshot == snapshot { index = previous.index } else { index = HostIndex(snapshot) }
    }

    /// The host said that its snapshot still holds.
    public mutating func renew(observedAt: UnixMilliseconds, receivedAt: UnixMilliseconds) {
        self.observedAt = observedAt
        self.receivedAt = receivedAt
        clockShift = Self.shift(receivedAt.milliseconds(since: observedAt), keeping: clockShift)
    }

    /// `time` of this host, by our clock.
    public func local(_ time: UnixMilliseconds) -> UnixMilliseconds { time.advanced(byMilliseconds: clockShift) }

    private static func shift(_ measured: Int64, keeping held: Int64?) -> Int64 {
        guard let held, abs(measured - held) <= shiftTolerance else { return measured }
        return held
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.observedAt == right.observedAt && left.receivedAt == right.receivedAt && left.clockShift == right.clockShift
            && left.snapshot == right.snapshot
    }
}
