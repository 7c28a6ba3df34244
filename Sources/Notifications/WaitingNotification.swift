import EventLoop

/// A `notify-send` that has shown a notification and waits until its button is pressed or it is closed.
///
/// Confined to its loop; not Sendable.
final class WaitingNotification {
    enum Outcome: Equatable {
        case pressed
        case closed
        /// Nobody decided in time, or the wait was given up: the notification is still there.
        case leftAlone
    }

    private static let maximumOutput = 4096

    private let child: ConversingChild
    private var output: [UInt8] = []
    private var onID: ((UInt32?) -> Void)?
    private var onEnd: ((Outcome) -> Void)?
    private var timer: Timer?
    private let loop: EventLoop

    /// Starts the program. On the loop.
    ///
    /// - Parameters:
    ///   - onID: Called once from the loop, with what the server called the notification; `nil` when none was shown in time.
    ///   - onEnd: Called once from the loop, after `onID` gave an id.
    init(
        _ program: String, _ arguments: [String], environment: [String]?, limits: NotifySend.Limits, on loop: EventLoop,
        onID: @escaping (UInt32?) -> Void, onEnd: @escaping (Outcome) -> Void
    ) throws(ChildProcessError) {
        self.loop = loop
        child = try ConversingChild(program, arguments, environment: environment, on: loop)
        self.onID = onID
        self.onEnd = onEnd
        child.socket.onBytes = { [self] bytes in receive(bytes, limits: limits) }
        child.socket.onClose = { [self] _ in outputEnded() }
        timer = loop.schedule(after: limits.answer) { [weak self] in self?.giveUp() }
        child.socket.start()
    }

    /// Ends the program; the notification stays. Of its handlers only `onID` is still called, if it was not yet.
    func end() {
        onEnd = nil
        timer?.cancel()
        child.end(within: .zero)
        take(nil)
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, limits: NotifySend.Limits) {
        output += bytes.prefix(max(0, Self.maximumOutput - output.count))
        guard onID != nil, let newline = output.firstIndex(of: 0x0a) else { return }
        let line = Array(output[..<newline])
        // So it calls a notification that no server took; then it waits for ever.
        if line == [UInt8(ascii: "0")] { return giveUp() }
        guard let id = NotifySendArguments.id(line) else { return }
        timer?.cancel()
        timer = loop.schedule(after: limits.decision) { [weak self] in self?.giveUp() }
        take(id)
    }

    private func take(_ id: UInt32?) {
        let handler = onID
        onID = nil
        if id == nil { onEnd = nil }
        handler?(id)
    }

    /// The program has said all it will say.
    private func outputEnded() {
        timer?.cancel()
        child.end(within: .seconds(1))
        if onID != nil { return take(nil) }
        finish(NotifySendArguments.isPressed(output) ? .pressed : .closed)
    }

    private func giveUp() {
        timer?.cancel()
        child.end(within: .zero)
        if onID != nil { take(nil) } else { finish(.leftAlone) }
    }

    private func finish(_ outcome: Outcome) {
        let handler = onEnd
        onEnd = nil
        handler?(outcome)
    }
}
