/// One message to the service manager: assignments, a line each.
struct ServiceNotice: Equatable {
    enum State: Equatable {
        /// The service does its work; also the end of a reload.
        case ready(processID: Int32)
        /// It reads its settings again; with the monotonic clock, which tells the manager that the answer is not an old one.
        case reloading(monotonicMicroseconds: Int64)
        case stopping
        /// Nothing new: it is alive.
        case alive
    }

    /// The longest status, in characters.
    static let longestStatus = 200

    var state: State?
    /// What `systemctl status` shows; `nil` leaves it.
    var status: String?

    var bytes: [UInt8] {
        var lines: [String] = []
        switch state {
        case .ready(let processID): lines += ["READY=1", "MAINPID=\(processID)"]
        case .reloading(let microseconds): lines += ["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"]
        case .stopping: lines.append("STOPPING=1")
        case .alive: lines.append("WATCHDOG=1")
        case nil: break
        }
        if let status { lines.append("STATUS=" + Self.line(status)) }
        return lines.flatMap { Array($0.utf8) + [0x0a] }
    }

    /// A line break would begin another assignment.
    private static func line(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longestStatus) {
            result.append(scalar.properties.generalCategory == .control || scalar.value == 0x2028 || scalar.value == 0x2029 ? " " : scalar)
        }
        return String(result)
    }
}
