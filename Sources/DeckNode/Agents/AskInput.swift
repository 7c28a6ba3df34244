import CommandLineKit
import DeckAgents
import FoundationEssentials
import Files
import Glibc

/// Reads what `decknode ask` sends: the words of its command line, standard input, files and pictures. The command reads them, not the node, which
/// may see less of the computer.
struct AskInput {
    /// The folder that relative paths begin at.
    let folder: String

    /// - Parameters:
    ///   - words: The question; `-` alone stands for standard input.
    ///   - piped: What came through standard input beside the words; `nil` for none.
    func text(words: [String], piped: String?) throws -> String {
        guard words != ["-"] else { return piped ?? "" }
        return [words.joined(separator: " "), piped ?? ""].filter { !$0.allSatisfy(\.isWhitespace) }.joined(separator: "\n\n")
    }

    /// - Throws: ``CommandFailure`` for what is missing, too large or no text.
    func file(_ path: String) throws -> AgentAsk.File {
        let bytes = try read(path, limit: AgentAsk.Limits.textBytes)
        guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
            throw CommandFailure("\(Printable.line(path)) is no text in UTF-8; pictures go with --image.")
        }
        return AgentAsk.File(name: Printable.line(path), text: text)
    }

    func image(_ path: String) throws -> Data { Data(try read(path, limit: AgentAsk.Limits.imageBytes)) }

    /// An address to be shown to the model. Nothing is fetched, so that it may be any.
    func url(_ text: String) throws -> String {
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), text.utf8.count <= 2_048,
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7f..<0xa0).contains($0.value) })
        else { throw CommandFailure("\(DisplaySafe.word(text)) is no web address.") }
        return text
    }

    /// The absolute path of a folder that is there.
    func directory(_ path: String) throws -> String {
        guard let resolved = realpath(absolute(path), nil) else {
            throw CommandFailure("The folder \(Printable.line(path)) cannot be used: \(String(cString: strerror(errno))).")
        }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw CommandFailure("\(Printable.line(path)) is no folder.") }
        return String(cString: resolved)
    }

    private func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }

    private func read(_ path: String, limit: Int) throws -> [UInt8] {
        do throws(FileError) {
            return try File.read(absolute(path), limit: limit)
        } catch {
            throw CommandFailure(Printable.line("\(error)"))
        }
    }
}
