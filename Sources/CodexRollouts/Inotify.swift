import CLinux
import Glibc

/// One change in a watched folder or file.
struct WatchEvent: Equatable {
    /// Which watch; -1 when events were lost.
    var watch: Int32
    /// The `IN_…` bits.
    var mask: UInt32
    /// Name of the entry inside the watched folder; empty when the watched thing itself is meant.
    var name: String

    func has(_ bits: UInt32) -> Bool { mask & bits != 0 }

    /// Reads the kernel's records; stops quietly at one that is not whole.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> [WatchEvent] {
        let header = MemoryLayout<inotify_event>.size
        var events: [WatchEvent] = []
        var place = 0
        while bytes.count - place >= header {
            let watch = bytes.loadUnaligned(fromByteOffset: place, as: Int32.self)
            let mask = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
            guard length <= bytes.count - place - header else { break }
            let name = bytes[(place + header)..<(place + header + length)].prefix { $0 != 0 }
            events.append(WatchEvent(watch: watch, mask: mask, name: String(decoding: name, as: UTF8.self)))
            place += header + length
        }
        return events
    }
}

/// What ``RolloutWatcher`` needs of the kernel; a test can refuse it.
protocol WatchSystem {
    /// Readable when events wait; -1 when there is nothing to wait for.
    var descriptor: Int32 { get }
    /// Watches a folder or file. Watching the same one again gives the same number and replaces the mask.
    func add(_ path: String, mask: UInt32) throws(FileFailure) -> Int32
    func remove(_ watch: Int32)
    /// The events that wait now; does not block.
    func read() -> [WatchEvent]
}

/// An inotify instance.
final class Inotify: WatchSystem {
    let descriptor: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    /// - Throws: EMFILE when this user or process has no instance left.
    init() throws(FileFailure) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileFailure(code: errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    func add(_ path: String, mask: UInt32) throws(FileFailure) -> Int32 {
        let watch = inotify_add_watch(descriptor, path, mask)
        guard watch >= 0 else { throw FileFailure(code: errno) }
        return watch
    }

    func remove(_ watch: Int32) { _ = inotify_rm_watch(descriptor, watch) }

    func read() -> [WatchEvent] {
        var events: [WatchEvent] = []
        // Bounded: a folder that is written to without end must not keep the rest waiting.
        for _ in 0..<16 {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { break }
            events += WatchEvent.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            if count < buffer.count / 2 { break }
        }
        return events
    }
}
