import CAvahi
import EventLoop
import Glibc
import Synchronization
import Testing

@testable import Discovery

/// Drives the adapter through the C functions that libavahi calls.
///
/// `@unchecked Sendable`: touched on the loop's thread only.
private final class Caller: @unchecked Sendable {
    let adapter: AvahiPollAdapter
    var ends: [Int32] = [0, 0]
    var log: [String] = []
    var watches: [OpaquePointer] = []
    var timeouts: [OpaquePointer] = []
    /// Keeps the caller alive until it is called, as C does not.
    private var onCall: (() -> Void)?

    func setOnCall(_ body: ((Caller) -> Void)?) { onCall = body.map { body in { body(self) } } }

    init(_ loop: EventLoop) {
        adapter = AvahiPollAdapter(loop: loop)
        _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends)
    }

    deinit { for end in ends { close(end) } }

    var api: AvahiPoll { adapter.api.pointee }
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    func watch(_ events: AvahiWatchEvent) -> OpaquePointer {
        let watch = api.watch_new(adapter.api, ends[0], events, { watch, _, events, context in
            guard let context, let watch else { return }
            let caller = Unmanaged<Caller>.fromOpaque(context).takeUnretainedValue()
            let place = caller.watches.firstIndex(of: watch) ?? -1
            #expect(caller.api.watch_get_events(watch) == events)
            caller.log.append("\(place):\(events.rawValue)")
            caller.onCall?()
        }, context)!
        watches.append(watch)
        return watch
    }

    func timeout(_ deadline: timeval?) -> OpaquePointer {
        let callback: AvahiTimeoutCallback = { _, context in
            guard let context else { return }
            let caller = Unmanaged<Caller>.fromOpaque(context).takeUnretainedValue()
            caller.log.append("timeout")
            caller.onCall?()
        }
        guard var deadline else { return api.timeout_new(adapter.api, nil, callback, context)! }
        return api.timeout_new(adapter.api, &deadline, callback, context)!
    }
}

struct AvahiPollAdapterTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop(name: "test") }

    /// Runs `body` on the loop, and then `check` as soon as a callback has come.
    private func onLoop(_ body: @escaping @Sendable (Caller) -> Void, check: @escaping @Sendable (Caller) -> Void) async {
        await withCheckedContinuation { continuation in
            loop.execute { [loop] in
                let caller = Caller(loop)
                caller.setOnCall { caller in
                    caller.setOnCall(nil)
                    // After every callback of this round.
                    loop.later {
                        check(caller)
                        for watch in caller.watches { caller.api.watch_free(watch) }
                        for timeout in caller.timeouts { caller.api.timeout_free(timeout) }
                        #expect(caller.adapter.watchedDescriptors == 0)
                        continuation.resume()
                    }
                }
                body(caller)
            }
        }
        loop.shutdown()
    }

    @Test func callsBothWatchesOfOneDescriptor() async {
        await onLoop { caller in
            _ = caller.watch(AVAHI_WATCH_IN)
            _ = caller.watch(AVAHI_WATCH_OUT)
            #expect(caller.adapter.watchedDescriptors == 1)
            _ = write(caller.ends[1], "x", 1)
        } check: { caller in
            #expect(caller.log == ["0:1", "1:4"])
        }
    }

    @Test func disabledWatchesSleepAndWake() async {
        await onLoop { caller in
            let reader = caller.watch(AvahiWatchEvent(0))
            let writer = caller.watch(AVAHI_WATCH_OUT)
            caller.api.watch_update(writer, AvahiWatchEvent(0))
            _ = write(caller.ends[1], "x", 1)
            caller.api.watch_update(reader, AVAHI_WATCH_IN)
        } check: { caller in
            #expect(caller.log == ["0:1"])
            #expect(caller.api.watch_get_events(caller.watches[0]).rawValue == 0)
        }
    }

    @Test func reportsHangUps() async {
        await onLoop { caller in
            _ = caller.watch(AVAHI_WATCH_IN)
            _ = close(caller.ends[1])
            caller.ends[1] = -1
        } check: { caller in
            #expect(caller.log.last.map { $0.hasPrefix("0:") && (Int($0.dropFirst(2)) ?? 0) & Int(POLLHUP) != 0 } == true)
        }
    }

    @Test func aWatchFreedByAnotherIsNotCalled() async {
        await withCheckedContinuation { continuation in
            loop.execute { [loop] in
                let caller = Caller(loop)
                caller.setOnCall { caller in
                    // The first frees all, itself included.
                    for watch in caller.watches { caller.api.watch_free(watch) }
                    caller.watches = []
                    caller.setOnCall(nil)
                    loop.later {
                        #expect(caller.log == ["0:4"])
                        #expect(caller.adapter.watchedDescriptors == 0)
                        continuation.resume()
                    }
                }
                _ = caller.watch(AVAHI_WATCH_OUT)
                _ = caller.watch(AVAHI_WATCH_OUT)
            }
        }
        loop.shutdown()
    }

    @Test func refusesWhatCannotBeWatched() async {
        await withCheckedContinuation { continuation in
            loop.execute { [loop] in
                let caller = Caller(loop)
                let watch = caller.api.watch_new(caller.adapter.api, -1, AVAHI_WATCH_IN, { _, _, _, _ in }, nil)
                #expect(watch == nil && caller.adapter.watchedDescriptors == 0)
                continuation.resume()
            }
        }
        loop.shutdown()
    }

    @Test("A time that has passed fires at once", arguments: [0, 1, 1_000_000])
    func firesOverdueTimeouts(seconds: Int) async {
        await onLoop { caller in
            let never = caller.timeout(nil)
            var far = timeval(tv_sec: .max / 4_000_000, tv_usec: 0)
            caller.api.timeout_update(never, &far)
            caller.api.timeout_update(never, nil)
            caller.api.timeout_free(never)
            caller.timeouts.append(caller.timeout(timeval(tv_sec: seconds, tv_usec: 0)))
        } check: { caller in
            #expect(caller.log == ["timeout"])
        }
    }

    @Test func firesAgainAfterItWasSetAgain() async {
        await withCheckedContinuation { continuation in
            loop.execute { [loop] in
                let caller = Caller(loop)
                var timeout: OpaquePointer?
                caller.setOnCall { caller in
                    var overdue = timeval(tv_sec: 0, tv_usec: 0)
                    if caller.log.count == 1 { return caller.api.timeout_update(timeout, &overdue) }
                    caller.setOnCall(nil)
                    caller.api.timeout_free(timeout)
                    #expect(caller.log == ["timeout", "timeout"])
                    continuation.resume()
                }
                timeout = caller.timeout(timeval(tv_sec: 0, tv_usec: 0))
            }
        }
        loop.shutdown()
    }

    @Test func textRecordsSurviveTheLibrarysList() {
        let entries: [[UInt8]] = [Array("a=1".utf8), [], [0, 0xff, 0x3d], [UInt8](repeating: 0x78, count: 255)]
        TextRecord(entries).withList { list in #expect(TextRecord(list).entries == entries) }
        #expect(TextRecord(nil).entries == [])
        TextRecord([[UInt8]](repeating: [1], count: 5000)).withList { list in #expect(TextRecord(list).entries.count == 65) }
    }
}
