import DeckClient
import EventLoop
import Relay
import RelayProtocol
import Synchronization

/// Sixteen computers that keep changing, and their clock. Tasks come, work, wait, finish and go; some are mirrored, some have a temporary
/// key at first; clocks are wrong; connections end.
///
/// `@unchecked Sendable`: all but the clock is used on the loop of the client.
final class WeekWorld: @unchecked Sendable {
    static let firstPort = 50_000

    private let step: Int64
    private let time = Mutex<Int64>(1_796_000_000_000)
    private var computers: [Computer]
    private var connections: [Int: WeekConnection] = [:]
    private var random = SplitMix(state: 7)
    private var lastTask = 0

    private struct Computer {
        let host: Host
        /// Milliseconds by which its clock is wrong.
        let clock: Int64
        var slots: [WeekTask?] = Array(repeating: nil, count: Snapshot.slotCount)
        var selected = 0
    }

    private struct WeekTask {
        var number: Int
        var owner: Int
        var status: TaskStatus
        var activity: Int64
        var revision: Int64
        var isTemporary: Bool
    }

    private static let words: [TaskStatus] = [.working, .thinking, .complete, .unread, .awaitingApproval, .awaitingResponse, .error, .idle]

    init(computers: Int, step: Int64) {
        self.step = step
        self.computers = (0..<computers).map { number in
            let id = HostID(SampleSnapshot.uuid(0x900_000 + number)) ?? SampleSnapshot.host.id
            return Computer(
                host: Host(id: id, name: "host \(number)", platform: number % 3 == 0 ? .windows : .mac, os: number % 3 == 1 ? "linux" : nil),
                clock: Int64(number % 3 - 1) * 5 * 3_600_000)
        }
    }

    var now: UnixMilliseconds { UnixMilliseconds(clamping: time.withLock { $0 }) }

    func connect(_ target: RelayTarget, on loop: EventLoop) -> any NodeConnection {
        let number = Int(target.port) - Self.firstPort
        let connection = WeekConnection(loop)
        connection.onStart = { [unowned self] in
            connections[number] = connection
            connection.say(.ready(host: computers[number].host, capabilities: Capability.allCases.map(\.rawValue), bridge: "week"))
            connection.say(snapshot(of: number))
        }
        return connection
    }

    // MARK: - Changes

    /// One computer changes; the others say that nothing did.
    func change(_ number: Int) {
        time.withLock { $0 += step }
        let changing = random.below(computers.count)
        for (other, connection) in connections where other != changing { connection.say(.fresh(observedAt: clock(of: other))) }
        if number % 500 == 499 {
            connections.removeValue(forKey: changing)?.lose()
            return
        }
        alter(changing)
        connections[changing]?.say(snapshot(of: changing))
    }

    private func alter(_ computer: Int) {
        let slot = random.below(Snapshot.slotCount)
        let present = computers[computer].slots[slot]
        switch random.below(20) {
        case 0: computers[computer].slots[slot] = nil
        case 1, 2:
            // Another computer's task is shown here too.
            let other = random.below(computers.count)
            computers[computer].slots[slot] = computers[other].slots[random.below(Snapshot.slotCount)]
        case 3: computers[computer].selected = slot
        default:
            var task = present ?? new(on: computer)
            if random.below(12) == 0 { task = new(on: computer) }
            if task.isTemporary, random.below(3) == 0 { task.isTemporary = false }
            task.status = Self.words[random.below(Self.words.count)]
            if task.status.meaning == .finished { task.revision += 1 }
            task.activity = now.value
            computers[computer].slots[slot] = task
        }
    }

    private func new(on computer: Int) -> WeekTask {
        lastTask += 1
        return WeekTask(number: lastTask, owner: computer, status: .working, activity: now.value, revision: 1, isTemporary: random.below(10) == 0)
    }

    // MARK: - What a computer says

    private func clock(of computer: Int) -> UnixMilliseconds { UnixMilliseconds(clamping: now.value + computers[computer].clock) }

    private func snapshot(of number: Int) -> RelayEvent {
        let computer = computers[number]
        func local(_ time: Int64) -> UnixMilliseconds { UnixMilliseconds(clamping: time + computer.clock) }
        var snapshot = Snapshot.empty
        snapshot.agentSource = Snapshot.AgentSource.allCases[number % Snapshot.AgentSource.allCases.count]
        for (id, task) in computer.slots.enumerated() {
            guard let task else { continue }
            let uuid = SampleSnapshot.uuid(task.number)
            snapshot.slots[id] = Slot(
                id: id, threadKey: task.isTemporary ? "local:client-new-thread:" + SampleSnapshot.uuid(task.number + 0x1000_0000) : "local:" + uuid,
                title: "Task number \(task.number) of this week, with a title of usual length", status: task.status,
                selected: id == computer.selected, activityAt: local(task.activity), ownedByHost: task.owner == number, contextUsedPercent: 40,
                workStartRevision: nil)
        }
        snapshot.activeThreadKey = computer.slots[computer.selected].map { "local:" + SampleSnapshot.uuid($0.number) }
        snapshot.hostSessions = computer.slots.compactMap { task in
            guard let task, task.owner == number else { return nil }
            return HostSession(
                threadID: SampleSnapshot.identity(task.number), activityAt: local(task.activity), status: .idle, completionRevision: task.revision,
                contextUsedPercent: 40)
        }
        return .snapshot(host: computer.host, observedAt: clock(of: number), snapshot)
    }
}

/// A connection without a wire.
final class WeekConnection: NodeConnection {
    var onEvent: ((RelayEvent) -> Void)?
    var onStart: (() -> Void)?
    private let loop: EventLoop
    private var requests = 0
    private var isEnded = false

    init(_ loop: EventLoop) { self.loop = loop }

    func start() { loop.later { [self] in if !isEnded { onStart?() } } }

    func send(_ command: Command) -> String? {
        guard !isEnded else { return nil }
        requests += 1
        let request = "c\(requests)"
        loop.later { [self] in say(.result(requestID: request, error: nil)) }
        return request
    }

    func probe() {}
    func close() { end(.closedHere) }
    func lose() { end(.lost("the week has its accidents")) }
    func say(_ event: RelayEvent) { if !isEnded { onEvent?(event) } }

    private func end(_ reason: RelayConnectionError) {
        guard !isEnded else { return }
        isEnded = true
        onStart = nil
        let handler = onEvent
        onEvent = nil
        loop.later { handler?(.ended(reason)) }
    }
}

/// The same numbers in every run.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
