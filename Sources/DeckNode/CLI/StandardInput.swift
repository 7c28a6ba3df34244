import CommandLineKit
import Glibc

/// Standard input as text: a part of a question, or a draft.
enum StandardInput {
    /// Whether a pipe or a file stands there, rather than a person or nothing.
    static var holdsText: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFIFO || kind == S_IFREG || kind == S_IFSOCK
    }

    /// All of it.
    ///
    /// - Throws: ``CommandFailure`` when it is longer than `limit` bytes or no text.
    static func text(limit: Int) throws -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandFailure("Standard input cannot be read: \(String(cString: strerror(errno))).") }
            if count == 0 { break }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw CommandFailure("Standard input is longer than \(limit) bytes; give less.") }
        }
        guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
            throw CommandFailure("Standard input is no text in UTF-8.")
        }
        return text
    }
}
