import CommandLineKit
import EventLoop
import Glibc
import JSON

/// Carries a question to the node and what comes of it to the terminal; ``AskScreen`` decides what is done.
///
/// `@unchecked Sendable`: everything that changes is touched on the loop's thread only.
final class AskRunner: @unchecked Sendable {
    /// The longest line that a node may send: a message of the model, escaped.
    private static let maximumLineBytes = 16 << 20
    private static let longestTypedLine = 4_096

    private let loop: EventLoop
    private let terminal: CInt?
    private var screen: AskScreen
    private var socket: StreamSocket?
    private var reader = LineReader(limit: maximumLineBytes)
    private var typed = LineReader(limit: longestTypedLine)
    private var keyboard: Watch?
    private var signals: SignalSource?
    private var completion: ((Int32) -> Void)?

    /// - Parameter terminal: Where a person types; `nil` when there is none. Not closed.
    init(screen: AskScreen, terminal: CInt?, loop: EventLoop) {
        self.screen = screen
        self.terminal = terminal
        self.loop = loop
    }

    /// Sends the request and returns when all is said, with what the command is to return.
    ///
    /// - Parameter socket: Connected to a node and not started.
    func run(_ request: ControlRequest, over socket: StreamSocket) async -> Int32 {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.completion = { continuation.resume(returning: $0) }
                self.begin(request, socket)
            }
        }
    }

    private func begin(_ request: ControlRequest, _ socket: StreamSocket) {
        self.socket = socket
        socket.onBytes = { self.receive($0) }
        socket.onClose = { _ in self.perform(self.screen.lost()) }
        socket.start()
        socket.write(request.line)
        do throws(SystemError) {
            signals = try SignalSource([.interrupt, .terminate, .hangUp], on: loop) { signal in
                self.perform(self.screen.stop(code: 128 + signal.rawValue))
            }
        } catch {
            Output.error("decknode: Signals end this command without a goodbye: \(error)")
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard let lines = reader.receive(bytes) else { return perform(screen.lost()) }
        for line in lines where completion != nil {
            switch ControlLine(line: line) {
            case .event(let event)?: perform(screen.take(event))
            case .end(let reply)?: perform(screen.finish(reply))
            case nil: perform(screen.lost())
            }
        }
    }

    // MARK: Doing

    private func perform(_ actions: [AskScreen.Action]) {
        for action in actions where completion != nil {
            switch action {
            case .out(let text): write(text, STDOUT_FILENO)
            case .note(let text): write(text, STDERR_FILENO)
            case .listen(let wanted): if wanted { listen() } else { stopListening() }
            case .answer(let approval, let approved):
                socket?.write(ControlRequest("agents.answer", ["approval": .string(approval), "approved": .bool(approved)]).line)
            case .interrupt: socket?.write(ControlRequest("agents.interrupt").line)
            case .leave(let code): leave(code)
            }
        }
    }

    private func leave(_ code: Int32) {
        let completion = completion
        self.completion = nil
        stopListening()
        signals?.cancel()
        signals = nil
        socket?.onClose = nil
        socket?.close()
        completion?(code)
    }

    private func write(_ text: String, _ descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                // Whoever read the answer has gone, so nobody wants the rest of it.
                if descriptor == STDOUT_FILENO { leave(1) }
                return
            }
        }
    }

    // MARK: The person

    private func listen() {
        guard let terminal, keyboard == nil else { return }
        // What was typed before the question was there is no answer to it.
        tcflush(terminal, TCIFLUSH)
        typed = LineReader(limit: Self.longestTypedLine)
        do throws(SystemError) {
            keyboard = try loop.watch(terminal, .readable) { _ in self.readKeyboard(terminal) }
        } catch {
            perform(screen.typed(nil))
        }
    }

    private func stopListening() {
        keyboard?.cancel()
        keyboard = nil
    }

    private func readKeyboard(_ terminal: CInt) {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = read(terminal, &chunk, chunk.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0, let lines = chunk.withUnsafeBytes({ typed.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }) else {
            return perform(screen.typed(nil))
        }
        for line in lines where keyboard != nil { perform(screen.typed(String(decoding: line, as: UTF8.self))) }
    }
}
