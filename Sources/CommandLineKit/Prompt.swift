import Glibc

/// Why a question has no answer.
public enum PromptError: Error, Equatable, CustomStringConvertible {
    /// There is nobody to ask.
    case noTerminal
    /// There is nobody to ask whether it shall be done.
    case unconfirmed
    /// The input ended first.
    case endOfInput
    /// The line is longer than the bytes allowed, or not UTF-8.
    case unreadable(limit: Int)
    /// A signal asked the process to end, and something in it decided otherwise.
    case interrupted(signal: Int32)
    case failed(errno: Int32)
    /// Another question is being asked.
    case busy

    public var description: String {
        switch self {
        case .noTerminal: "There is no terminal to ask on; give the answer on standard input or by an option."
        case .unconfirmed: "There is no terminal to ask on, so nothing was done; --yes does it without a question."
        case .endOfInput: "The input ended before an answer was given."
        case .unreadable(let limit): "The answer is longer than \(limit) bytes or not UTF-8; give a shorter one."
        case .interrupted: "The question was interrupted; nothing was changed."
        case .failed(let code): "The terminal cannot be read (error \(code)); give the answer on standard input."
        case .busy: "Another question is being asked; answer it first."
        }
    }
}

/// Questions to the person at the terminal.
public enum Prompt {
    /// The longest answer in bytes.
    public static let limit = 4096

    /// Asks for a token or password without showing what is typed; the echo comes back on every way out, signals included.
    ///
    /// - Parameters:
    ///   - question: Written to the terminal, with a space after it.
    ///   - terminal: The terminal to ask on.
    /// - Returns: The line without its newline.
    public static func hidden(_ question: String, terminal path: String = "/dev/tty") throws(PromptError) -> String {
        let terminal = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw .noTerminal }
        defer { close(terminal) }
        guard isatty(terminal) == 1 else { throw .noTerminal }
        return try HiddenInput(terminal: terminal, question: question).ask()
    }

    /// Asks a yes-or-no question; anything but a clear yes or no is asked again, at most three times.
    ///
    /// - Parameters:
    ///   - fallback: The meaning of an empty line.
    /// - Throws: ``PromptError`` `.unconfirmed` when `input` is no terminal: the caller should have an option `--yes`.
    public static func confirm(
        _ question: String, fallback: Bool = false, input: CInt = STDIN_FILENO, output: CInt = STDERR_FILENO
    ) throws(PromptError) -> Bool {
        guard isatty(input) == 1 else { throw .unconfirmed }
        for _ in 0..<3 {
            show(question + (fallback ? " [Y/n] " : " [y/N] "), on: output)
            if let answer = answer(try line(from: input), fallback: fallback) { return answer }
        }
        return false
    }

    /// What a line means, `nil` when it is neither yes nor no.
    static func answer(_ line: String, fallback: Bool) -> Bool? {
        let words = line.split(whereSeparator: \.isWhitespace)
        if words.isEmpty { return fallback }
        guard words.count == 1 else { return nil }
        switch words[0].lowercased() {
        case "y", "yes": return true
        case "n", "no": return false
        default: return nil
        }
    }

    /// Reads one line, byte by byte, so that nothing after it is taken from a pipe that others read on.
    ///
    /// - Returns: The line without its line end. The end of the input counts as one, unless nothing stands before it.
    public static func line(from descriptor: CInt = STDIN_FILENO, limit: Int = limit) throws(PromptError) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count < 0 {
                if errno == EINTR { continue }
                throw .failed(errno: errno)
            }
            if count == 0, bytes.isEmpty { throw .endOfInput }
            if count == 0 || byte == UInt8(ascii: "\n") { return try text(bytes, limit: limit) }
            guard bytes.count <= limit else { throw .unreadable(limit: limit) }
            bytes.append(byte)
        }
    }

    static func text(_ bytes: [UInt8], limit: Int) throws(PromptError) -> String {
        let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...]
        guard line.count <= limit, let text = String(validating: line, as: UTF8.self) else { throw .unreadable(limit: limit) }
        return text
    }

    static func show(_ text: String, on descriptor: CInt) {
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { done += count } else if errno != EINTR { return }
        }
    }
}
