import EventLoop
import Files
import Log
import RelayProtocol

/// Keeps the file that widgets read: written anew when something they show changed, and at most every 30 s when only time passed.
///
/// Confined to its loop; not Sendable.
final class WidgetWriter {
    static let pause = Duration.seconds(30)

    private let path: String
    private let loop: EventLoop
    private let fileLoop: EventLoop
    private let logger: Logger
    private let now: () -> UnixMilliseconds
    private var written: WidgetState?
    private var latest: ClientState?
    private var timer: Timer?

    init(path: String, loop: EventLoop, fileLoop: EventLoop, logger: Logger, now: @escaping () -> UnixMilliseconds) {
        self.path = path
        self.loop = loop
        self.fileLoop = fileLoop
        self.logger = logger
        self.now = now
    }

    func update(_ state: ClientState) {
        latest = state
        let widget = WidgetState(state, now: now())
        if written?.material != widget.material { write(widget) }
    }

    func stop() {
        timer?.cancel()
        if let latest { write(WidgetState(latest, now: now())) }
        timer?.cancel()
    }

    private func write(_ widget: WidgetState) {
        written = widget
        let bytes = widget.encoded()
        guard bytes.count <= WidgetState.maximumBytes else { return logger.logOnce("widget", .error, "The state for widgets would be too large.") }
        fileLoop.execute { [path, logger] in
            do { try AtomicFile.write(bytes, to: path) } catch { logger.logOnce("widget", .warning, "Widgets are not kept up to date: \(error)") }
        }
        timer?.cancel()
        timer = loop.schedule(after: Self.pause) { [weak self] in
            guard let self, let latest else { return }
            write(WidgetState(latest, now: now()))
        }
    }
}
