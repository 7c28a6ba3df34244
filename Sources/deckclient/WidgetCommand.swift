import CommandLineKit
import DeckClient
import EventLoop
import Files
import Glibc
import RelayProtocol

/// `deckclient widget`: a line for a bar, from the file that the engine keeps.
enum WidgetCommand {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let widget = try widget(invocation)
        let format = invocation.option("format").flatMap(WidgetFormat.init(rawValue:)) ?? .plain
        if let press = try clicked(widget, format, environment) { try await Self.press(press, environment) }
        let printer = WidgetPrinter(
            widget: widget, format: format, path: ClientStore(environment).widgetPath, titleLimit: invocation.integer("width") ?? 24,
            now: environment.now)
        guard invocation.flag("tail") else { return Output.print(printer.text().text) }
        try await tail(printer)
    }

    private static func widget(_ invocation: Invocation) throws -> Widget {
        let target: Widget.Target = invocation.option("target").map { $0 == "selected" ? .selected : .named($0) } ?? .selected
        let keys = invocation.arguments("KEY").compactMap { Keycap(rawValue: $0.uppercased()) }
        switch invocation.command {
        case "widget capacity": return .capacity(both: invocation.flag("both"))
        case "widget agent": return .agent
        case "widget board": return .board(count: invocation.flag("three") ? 3 : 6)
        case "widget command":
            guard let key = keys.first else { throw invocation.refusal("name a key") }
            return .command(key, target)
        case "widget deck":
            guard keys.count <= Widget.deckCapacity else { throw invocation.refusal("a deck has at most \(Widget.deckCapacity) keys") }
            return .deck(keys, target)
        default: return .follow
        }
    }

    // MARK: - Clicks

    /// i3blocks runs the command again with the number of the mouse button; the first presses the key, and of a deck each its own.
    private static func clicked(_ widget: Widget, _ format: WidgetFormat, _ environment: ClientEnvironment) throws -> (Keycap, Widget.Target)? {
        guard format == .i3blocks, let button = environment.variables["BLOCK_BUTTON"].flatMap({ Int($0) }), button > 0 else { return nil }
        switch widget {
        case .command(let keycap, let target): return button == 1 ? (keycap, target) : nil
        case .deck(let keycaps, let target): return keycaps.indices.contains(button - 1) ? (keycaps[button - 1], target) : nil
        case .capacity, .agent, .board, .follow: return nil
        }
    }

    private static func press(_ press: (keycap: Keycap, target: Widget.Target), _ environment: ClientEnvironment) async throws {
        let outcome = try await OneShot.with(environment) { session, state in
            let aim: ClientRequest.Aim =
                switch press.target {
                case .selected: .selected
                case .named(let name): .host(try ComputerFinder.find(name, in: state))
                }
            return await TaskCommands.perform(.control(.keycap(press.keycap), aim), in: session)
        }
        // A bar shows no error text; its log keeps it.
        if outcome.kind != .success { Output.error("deckclient: \(outcome)") }
    }

    // MARK: - Following

    /// Prints a line now and whenever something but an age changed, until the process is asked to stop or its reader has gone.
    private static func tail(_ printer: WidgetPrinter) async throws {
        let loop = try EventLoop(name: "widget")
        defer { loop.shutdown() }
        let (ends, end) = AsyncStream<Void>.makeStream()
        let signals = try await withCheckedContinuation { (continuation: CheckedContinuation<Result<SignalSource, SystemError>, Never>) in
            loop.execute {
                continuation.resume(
                    returning: Result { () throws(SystemError) in try SignalSource([.interrupt, .terminate, .hangUp], on: loop) { _ in end.finish() }
                    })
            }
        }.get()
        let tail = WidgetTail(printer, loop: loop) { end.finish() }
        loop.execute { tail.look() }
        for await _ in ends {}
        loop.execute { signals.cancel() }
    }
}

/// Reads the file and puts the widget into words.
struct WidgetPrinter: Sendable {
    let widget: Widget
    let format: WidgetFormat
    let path: String
    let titleLimit: Int
    let now: @Sendable () -> UnixMilliseconds

    /// - Returns: The text, and what decides whether it differs from another one but for its ages.
    func text() -> (text: String, material: Material) {
        // A file that cannot be read says as much as none.
        let state = (try? File.read(path, limit: WidgetState.maximumBytes)).flatMap { WidgetState(decoding: $0) }
        let now = now()
        let face = WidgetFace(widget, state, now: now, titleLimit: titleLimit, age: Age.text)
        let material = Material(state: state?.material, isStale: state?.isStale(now: now) ?? true)
        return (WidgetText.render(face, widget, state, as: format), material)
    }

    struct Material: Equatable {
        let state: WidgetState?
        let isStale: Bool
    }
}

/// Looks at the file, and for its reader, once a second.
///
/// `@unchecked Sendable`: used on its loop's thread only.
private final class WidgetTail: @unchecked Sendable {
    private let printer: WidgetPrinter
    private let loop: EventLoop
    private let onEnd: () -> Void
    private var last: WidgetPrinter.Material?
    private var stamp: FileStamp?
    private var checksAge = 0

    init(_ printer: WidgetPrinter, loop: EventLoop, onEnd: @escaping @Sendable () -> Void) {
        self.printer = printer
        self.loop = loop
        self.onEnd = onEnd
    }

    func look() {
        // A bar that was killed stops nobody, and without a change nothing is written that could fail.
        guard Output.isRead else { return onEnd() }
        let present = FileStamp(printer.path)
        checksAge += 1
        // An unchanged file is read again only to see that it has grown old.
        if last == nil || present != stamp || checksAge >= 10 {
            checksAge = 0
            stamp = present
            let (text, material) = printer.text()
            if material != last {
                last = material
                guard write(text + "\n") else { return onEnd() }
            }
        }
        loop.schedule(after: .seconds(1)) { self.look() }
    }

    /// - Returns: Whether somebody reads it.
    private func write(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Which version of a file stands at a path.
private struct FileStamp: Equatable {
    private let inode: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
