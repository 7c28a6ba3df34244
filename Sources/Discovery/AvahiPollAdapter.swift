import CAvahi
import EventLoop
import Glibc

/// libavahi's idea of an event loop, on top of ours. Everything happens on the loop's thread.
///
/// It must outlive the Avahi client that uses it.
final class AvahiPollAdapter {
    private let loop: EventLoop
    private let table: UnsafeMutablePointer<AvahiPoll>
    private var descriptors: [Int32: Descriptor] = [:]

    /// What `avahi_client_new` wants.
    var api: UnsafePointer<AvahiPoll> { UnsafePointer(table) }

    init(loop: EventLoop) {
        self.loop = loop
        table = .allocate(capacity: 1)
        table.initialize(to: AvahiPoll(
            userdata: nil,
            watch_new: { api, descriptor, events, callback, context in
                guard let adapter = AvahiPollAdapter.from(api), let callback else { return nil }
                return adapter.addWatch(descriptor, PollEvents(events), callback, context)
            },
            watch_update: { watch, events in AvahiPollAdapter.WatchBox.from(watch)?.update(PollEvents(events)) },
            watch_get_events: { watch in (AvahiPollAdapter.WatchBox.from(watch)?.happened ?? []).avahi },
            watch_free: { watch in
                AvahiPollAdapter.WatchBox.from(watch)?.remove()
                AvahiPollAdapter.release(watch, as: AvahiPollAdapter.WatchBox.self)
            },
            timeout_new: { api, deadline, callback, context in
                guard let adapter = AvahiPollAdapter.from(api), let callback else { return nil }
                let box = TimeoutBox(loop: adapter.loop, callback: callback, context: context)
                box.update(deadline)
                return OpaquePointer(Unmanaged.passRetained(box).toOpaque())
            },
            timeout_update: { timeout, deadline in AvahiPollAdapter.TimeoutBox.from(timeout)?.update(deadline) },
            timeout_free: { timeout in
                AvahiPollAdapter.TimeoutBox.from(timeout)?.update(nil)
                AvahiPollAdapter.release(timeout, as: AvahiPollAdapter.TimeoutBox.self)
            }))
        table.pointee.userdata = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit { table.deallocate() }

    /// How many descriptors are watched now; for tests.
    var watchedDescriptors: Int { descriptors.count }

    private static func from(_ api: UnsafePointer<AvahiPoll>?) -> AvahiPollAdapter? {
        api?.pointee.userdata.map { Unmanaged<AvahiPollAdapter>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func release<Box: AnyObject>(_ pointer: OpaquePointer?, as type: Box.Type) {
        guard let pointer else { return }
        Unmanaged<Box>.fromOpaque(UnsafeRawPointer(pointer)).release()
    }

    private func addWatch(
        _ number: Int32, _ events: PollEvents, _ callback: @escaping AvahiWatchCallback, _ context: UnsafeMutableRawPointer?
    ) -> OpaquePointer? {
        let box = WatchBox(adapter: self, descriptor: number, events: events, callback: callback, context: context)
        let descriptor = descriptors[number] ?? Descriptor()
        descriptor.boxes.append(box)
        descriptors[number] = descriptor
        guard apply(descriptor, number) else {
            remove(box)
            return nil
        }
        return OpaquePointer(Unmanaged.passRetained(box).toOpaque())
    }

    /// Watches a descriptor for what all its boxes want. D-Bus has one box for reading and one for writing of the same socket.
    @discardableResult
    private func apply(_ descriptor: Descriptor, _ number: Int32) -> Bool {
        let wanted = descriptor.boxes.reduce(into: PollEvents()) { $0.formUnion($1.events) }.readiness
        do {
            if let watch = descriptor.watch {
                try watch.modify(wanted)
            } else {
                descriptor.watch = try loop.watch(number, wanted) { [weak descriptor] ready in descriptor?.dispatch(PollEvents(ready)) }
            }
            return true
        } catch {
            return false
        }
    }

    private func remove(_ box: WatchBox) {
        guard let descriptor = descriptors[box.descriptor] else { return }
        box.isRemoved = true
        descriptor.boxes.removeAll { $0 === box }
        if descriptor.boxes.isEmpty {
            descriptor.watch?.cancel()
            descriptors[box.descriptor] = nil
        } else {
            apply(descriptor, box.descriptor)
        }
    }

    /// A descriptor with everyone who waits for it: the loop takes one watch a descriptor.
    private final class Descriptor {
        var boxes: [WatchBox] = []
        var watch: Watch?

        func dispatch(_ ready: PollEvents) {
            // A callback may free any box, its own included.
            for box in boxes where !box.isRemoved { box.dispatch(ready) }
        }
    }

    /// What an `AvahiWatch` is to us.
    private final class WatchBox {
        let descriptor: Int32
        private(set) var events: PollEvents
        private(set) var happened: PollEvents = []
        var isRemoved = false
        private unowned let adapter: AvahiPollAdapter
        private let callback: AvahiWatchCallback
        private let context: UnsafeMutableRawPointer?

        init(
            adapter: AvahiPollAdapter, descriptor: Int32, events: PollEvents, callback: @escaping AvahiWatchCallback,
            context: UnsafeMutableRawPointer?
        ) {
            self.adapter = adapter
            self.descriptor = descriptor
            self.events = events
            self.callback = callback
            self.context = context
        }

        static func from(_ pointer: OpaquePointer?) -> WatchBox? {
            pointer.map { Unmanaged<WatchBox>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
        }

        func update(_ events: PollEvents) {
            self.events = events
            if let descriptor = adapter.descriptors[descriptor] { adapter.apply(descriptor, self.descriptor) }
        }

        func remove() { adapter.remove(self) }

        func dispatch(_ ready: PollEvents) {
            guard !events.isEmpty else { return }
            happened = ready.intersection(events.union([.failed, .hungUp]))
            guard !happened.isEmpty else { return }
            callback(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), descriptor, happened.avahi, context)
            happened = []
        }
    }

    /// What an `AvahiTimeout` is to us.
    private final class TimeoutBox {
        private let loop: EventLoop
        private let callback: AvahiTimeoutCallback
        private let context: UnsafeMutableRawPointer?
        private var timer: Timer?

        init(loop: EventLoop, callback: @escaping AvahiTimeoutCallback, context: UnsafeMutableRawPointer?) {
            self.loop = loop
            self.callback = callback
            self.context = context
        }

        static func from(_ pointer: OpaquePointer?) -> TimeoutBox? {
            pointer.map { Unmanaged<TimeoutBox>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
        }

        /// Sets the time, by the wall clock as libavahi has it; `nil` disarms.
        func update(_ deadline: UnsafePointer<timeval>?) {
            timer?.cancel()
            timer = nil
            guard let deadline else { return }
            var now = timeval()
            gettimeofday(&now, nil)
            let microseconds = (deadline.pointee.tv_sec - now.tv_sec) * 1_000_000 + Int(deadline.pointee.tv_usec - now.tv_usec)
            timer = loop.schedule(after: .microseconds(max(0, microseconds))) { [weak self] in self?.fire() }
        }

        private func fire() {
            timer = nil
            callback(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), context)
        }
    }
}

/// The events of poll(2), in which libavahi thinks.
struct PollEvents: OptionSet {
    let rawValue: UInt32

    static let readable = PollEvents(rawValue: AVAHI_WATCH_IN.rawValue)
    static let writable = PollEvents(rawValue: AVAHI_WATCH_OUT.rawValue)
    static let failed = PollEvents(rawValue: AVAHI_WATCH_ERR.rawValue)
    static let hungUp = PollEvents(rawValue: AVAHI_WATCH_HUP.rawValue)

    init(rawValue: UInt32) { self.rawValue = rawValue }
    init(_ events: AvahiWatchEvent) { rawValue = events.rawValue }

    init(_ ready: Readiness) {
        var events: PollEvents = []
        if ready.contains(.readable) { events.insert(.readable) }
        if ready.contains(.writable) { events.insert(.writable) }
        if ready.contains(.failed) { events.insert(.failed) }
        if ready.contains(.hungUp) { events.insert(.hungUp) }
        self = events
    }

    var avahi: AvahiWatchEvent { AvahiWatchEvent(rawValue: rawValue) }

    var readiness: Readiness {
        var ready: Readiness = []
        if contains(.readable) { ready.insert(.readable) }
        if contains(.writable) { ready.insert(.writable) }
        return ready
    }
}
