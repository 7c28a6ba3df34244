import CBenchmarkFloor
import DeckClient
import Glibc
import RelayProtocol
import TerminalUI

/// A frame of the dashboard: what is known anew goes in, the rows of a large terminal and the moment of the next change come out.
enum FrameRow {
    private static let size = ScreenSize(columns: 200, rows: 50)

    static func measure(_ conditions: Conditions) -> [Measurement] {
        let now = UnixMilliseconds(clamping: SampleHosts.now + 100)
        // Taken in turn, so that each frame differs from the one before.
        let states = (0..<8).map { state(round: $0 * 1_000, now: now) }
        var screen = DashboardScreen(size: size, glyphs: .unicode, now: now)
        var frames: [Double] = []
        var deadlines: [Double] = []
        for round in 0..<conditions.count(3_000, quick: 500) {
            let state = states[round % states.count]
            let started = threadTime()
            _ = screen.update(.state(state, now: now))
            let rows = screen.render()
            _ = screen.nextChange
            let drawn = threadTime()
            let next = screen.nextChange
            let ended = threadTime()
            precondition(rows.count == size.rows && next != nil)
            frames.append(drawn - started)
            deadlines.append(ended - drawn)
        }
        return [
            Measurement("CPU p50", frames.median, .nanoseconds),
            Measurement("CPU p99", frames.quantile(0.99), .nanoseconds, target: .value(3_000_000)),
            Measurement("of it the next change", deadlines.median, .nanoseconds),
        ]
    }

    /// CPU of this thread in nanoseconds: who else uses the machine does not count.
    private static func threadTime() -> Double { Double(floor_clock(CLOCK_THREAD_CPUTIME_ID)) }

    private static func state(round: Int, now: UnixMilliseconds) -> ClientState {
        let board = DeckMerge.merge(hosts: SampleHosts.make(round: round), authority: nil, now: now)
        precondition(board.tasks.count == SampleHosts.count * Snapshot.slotCount)
        var state = ClientState(board: board, nodes: [])
        state.attention = (0..<100).map { number in
            AttentionEvent(
                id: Int64(100 - number), kind: .approval, task: SampleSnapshot.identity(number), title: "Task number \(number) of this computer",
                host: SampleSnapshot.host.id, hostName: "host 0", badge: .linux, at: now.advanced(byMilliseconds: -Int64(number) * 60_000))
        }
        return state
    }
}
