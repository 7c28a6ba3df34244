import CCurses
import Glibc

/// Finds out whether the terminal is dark or light.
public enum TerminalBackground {
    /// Asks the terminal, and believes the environment where it does not answer. Before ``Dashboard`` takes the terminal over.
    ///
    /// - Parameters:
    ///   - environment: `COLORFGBG` is what some terminals set.
    ///   - patience: Milliseconds to wait for the answer. A later one does no harm.
    /// - Returns: ``Theme/dark`` where nobody says.
    public static func theme(environment: [String: String], patience: Int32 = 400) -> Theme {
        // These two do not know the question, and would show it.
        let isMute = ["", "dumb", "linux"].contains(environment["TERM"] ?? "")
        return (isMute ? nil : ask(patience: patience)) ?? theme(colors: environment["COLORFGBG"]) ?? .dark
    }

    /// `15;0` or `0;default;15`: the last part is the background.
    static func theme(colors: String?) -> Theme? {
        guard let last = colors?.split(separator: ";").last, let number = Int(last), (0...15).contains(number) else { return nil }
        return number == 7 || number >= 9 ? .light : .dark
    }

    private static func ask(patience: Int32) -> Theme? {
        var before = termios()
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0 else { return nil }
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
        let question = Array(BackgroundReply.question.utf8)
        guard write(STDOUT_FILENO, question, question.count) == question.count else { return nil }
        var answer: [UInt8] = []
        var reply = BackgroundReply([])
        let deadline = ContinuousClock.now + .milliseconds(patience)
        while !reply.isComplete, answer.count < 4_096 {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { break }
            var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(left.rounded(.up))) > 0 else { break }
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { break }
            answer += buffer[..<count]
            reply = BackgroundReply(answer)
        }
        return reply.theme
    }
}
