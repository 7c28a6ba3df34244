import DeckClient
import RelayProtocol

/// Why a task is on no board.
enum Absence: Equatable, CustomStringConvertible {
    /// A computer that may have it has not told its tasks so far; `nil` when not even the computers are known.
    case notYet(String?)
    /// A computer that may have it was never reached.
    case unreachable(String)
    /// All computers were heard.
    case gone

    var description: String {
        switch self {
        case .notYet(nil): "not known yet"
        case .notYet(let name?): "not known yet: \(name) has not told its tasks so far"
        case .unreachable(let name): "not known: \(name) was not reached so far"
        case .gone: "not on a key now: no computer shows this task"
        }
    }
}

extension DashboardScreen {
    /// Of a task that is not on the board.
    ///
    /// - Parameter wasSeen: Whether the board has shown it before.
    func absence(of task: TaskIdentity, wasSeen: Bool) -> Absence {
        guard hasState else { return .notYet(nil) }
        var unheard = state.nodes.filter { $0.profile.duplicateOf == nil && $0.lastSnapshotAt == nil }
        if let event = state.attention.first(where: { $0.task == task }) {
            unheard = unheard.filter { ($0.host?.id ?? $0.profile.hostID) == event.host }
        } else if wasSeen {
            return .gone
        }
        if let coming = unheard.first(where: { $0.health == .connecting || $0.health.isConnected }) { return .notYet(coming.profile.name) }
        return unheard.first.map { .unreachable($0.profile.name) } ?? .gone
    }
}
