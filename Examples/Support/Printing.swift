import CodexKit
import CodexKitUI
import Glibc

/// Prints text as it is, at once: an answer is to be seen while it is written.
@Sendable public func show(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { return }
    }
}

/// Prints the answer while it is written, and a line for each tool call.
public func show(_ events: AgentEventStream) async throws {
    var text = TerminalTurnText()
    for try await event in events { show(text.text(for: event)) }
}

/// Runs an example; what it throws is printed as one line, and makes it end with 1.
public func run(_ example: @Sendable () async throws -> Void) async {
    do {
        try await example()
    } catch {
        // Errors of the library and of the examples describe themselves, in a sentence without secrets.
        let line = Array("\(error)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
