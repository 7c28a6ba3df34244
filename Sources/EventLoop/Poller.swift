import CLinux
import Glibc

/// The epoll and timer descriptors of a loop, and who waits for which descriptor. Used on the loop's thread only.
final class Poller {
    /// Set when the timer descriptor fired; whoever runs the timers clears it.
    var timerFired = false

    private let epoll: Int32
    private let timer: Int32
    private var watches: [Watch?] = []   // by descriptor
    private var generation: UInt32 = 0
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private static let wakeData: UInt64 = .max
    private static let timerData: UInt64 = .max - 1

    init(wakeDescriptor: Int32) throws(SystemError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        if epoll < 0 { throw .last("epoll_create1") }
        timer = deck_timer_descriptor()
        if timer < 0 {
            let error = SystemError.last("timerfd_create")
            close(epoll)
            throw error
        }
        events = .allocate(capacity: 256)
        // Edge-triggered: each write or expiry is one event, and nobody needs to read the counter.
        let flags = EPOLLIN.rawValue | EPOLLET.rawValue
        for (descriptor, data) in [(wakeDescriptor, Self.wakeData), (timer, Self.timerData)]
        where deck_epoll_control(epoll, EPOLL_CTL_ADD, descriptor, flags, data) != 0 {
            throw .last("epoll_ctl")   // deinit closes the descriptors
        }
    }

    deinit {
        close(epoll)
        close(timer)
        events.deallocate()
    }

    func add(
        _ descriptor: Int32, for interest: Readiness, loop: EventLoop, handler: @escaping (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        guard descriptor >= 0 else { throw SystemError(call: "epoll_ctl", code: EBADF) }
        generation = generation == .max - 1 ? 1 : generation + 1   // never that of `wakeData`
        let watch = Watch(descriptor: descriptor, interest: interest, generation: generation, loop: loop, handler: handler)
        if !interest.isEmpty { try control(EPOLL_CTL_ADD, watch) }
        let index = Int(descriptor)
        if index >= watches.count { watches.append(contentsOf: repeatElement(nil, count: index + 1 - watches.count)) }
        if let stale = watches[index] { forget(stale) }   // its descriptor was closed without cancelling
        watches[index] = watch
        return watch
    }

    func change(_ watch: Watch, to interest: Readiness) throws(SystemError) {
        let previous = watch.interest
        watch.interest = interest
        do {
            // An empty interest leaves the epoll set altogether: errors and hang-ups are otherwise reported for ever.
            try control(previous.isEmpty ? EPOLL_CTL_ADD : interest.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, watch)
        } catch {
            watch.interest = previous
            throw error
        }
    }

    func remove(_ watch: Watch) {
        let index = Int(watch.descriptor)
        if index < watches.count, watches[index] === watch {
            watches[index] = nil
            // Fails only when the descriptor was closed first, and then the kernel has forgotten it already.
            if !watch.interest.isEmpty { _ = deck_epoll_control(epoll, EPOLL_CTL_DEL, watch.descriptor, 0, 0) }
        }
        forget(watch)
    }

    private func forget(_ watch: Watch) {
        watch.isCancelled = true
        watch.handler = nil
    }

    func removeAll() {
        let all = watches
        for case let watch? in all {
            if watch.reportsLoopEnd { watch.handler?(.loopEnded) }
            remove(watch)
        }
        watches.removeAll()
    }

    /// Waits for events, without end or not at all, and returns how many there are to ``dispatch(_:)``.
    func wait(mayBlock: Bool) -> Int {
        let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), mayBlock ? -1 : 0)
        // EINTR is the only failure a valid set has.
        return max(0, Int(count))
    }

    func dispatch(_ count: Int) {
        for index in 0..<count {
            let data = events[index].data.u64
            if data == Self.wakeData { continue }
            if data == Self.timerData {
                timerFired = true
                continue
            }
            let descriptor = Int(truncatingIfNeeded: data & 0xffff_ffff)
            guard descriptor < watches.count, let watch = watches[descriptor],
                watch.generation == UInt32(truncatingIfNeeded: data >> 32)
            else { continue }
            // An earlier handler of this batch may have narrowed the interest since the kernel reported.
            let ready = Readiness(rawValue: events[index].events).intersection(watch.interest.union([.failed, .hungUp]))
            if !ready.isEmpty && !watch.interest.isEmpty { watch.handler?(ready) }
        }
    }

    /// Makes the timer descriptor fire `delay` from now; a delay in the past fires at once.
    func armTimer(after delay: Duration) {
        let (seconds, attoseconds) = delay.components
        var setting = itimerspec()
        if delay <= .zero {
            setting.it_value.tv_nsec = 1   // zero would disarm it
        } else {
            setting.it_value.tv_sec = min(Int(seconds), 1 << 31)
            // Rounded up: waking early would only mean waking twice.
            setting.it_value.tv_nsec = min(Int((attoseconds + 999_999_999) / 1_000_000_000), 999_999_999)
        }
        // Cannot fail: the descriptor and the range of the value are ours.
        _ = timerfd_settime(timer, 0, &setting, nil)
    }

    private func control(_ operation: Int32, _ watch: Watch) throws(SystemError) {
        if deck_epoll_control(epoll, operation, watch.descriptor, watch.interest.rawValue, watch.eventData) != 0 {
            throw .last("epoll_ctl")
        }
    }
}
