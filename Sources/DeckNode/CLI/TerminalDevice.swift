import CommandLineKit
import Glibc

/// The terminal of the person who asks: standard input, or, when that carries text, the one that the command runs in.
final class TerminalDevice: Sendable {
    let descriptor: CInt
    private let isOwn: Bool

    /// `nil` when nobody could see a question or answer it.
    init?() {
        guard Terminal.isTerminal(STDERR_FILENO) else { return nil }
        if Terminal.isTerminal(STDIN_FILENO) {
            (descriptor, isOwn) = (STDIN_FILENO, false)
            return
        }
        let device = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard device >= 0 else { return nil }
        (descriptor, isOwn) = (device, true)
    }

    deinit { if isOwn { close(descriptor) } }
}
