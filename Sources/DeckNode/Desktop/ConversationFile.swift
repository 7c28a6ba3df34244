import Files
import Glibc
import RelayProtocol

/// Keeps a conversation as a file that only its owner can read.
public enum ConversationFile {
    /// The most files of one name.
    private static let maximumNumber = 1_000

    /// Writes the document beside what is there already; nothing is overwritten.
    ///
    /// - Parameters:
    ///   - folder: From ``folder(variables:directories:)``.
    ///   - title: What the file is called after, as screens show it.
    ///   - date: Unix seconds, for the name.
    /// - Returns: The name of the file, without its folder: fit for a sentence on a screen.
    /// - Throws: ``FileError``.
    public static func write(_ document: ConversationMarkdown, title: String, date: Int64, to folder: String) throws(FileError) -> String {
        let stem = name(title) + (CalendarTime(unixSeconds: date).map { "-" + $0.date } ?? "")
        let bytes = Array(document.text.utf8)
        for number in 1...maximumNumber {
            let file = stem + (number == 1 ? "" : "-\(number)") + ".md"
            do throws(FileError) {
                try File.createExclusively(folder + "/" + file, bytes)
                return file
            } catch {
                guard case .alreadyExists = error else { throw error }
            }
        }
        throw .alreadyExists(folder + "/" + stem + ".md")
    }

    /// Where conversations go: the folder for downloads of this user, else one of ours, which is made if it is missing.
    public static func folder(variables: [String: String], directories: BaseDirectories) throws(FileError) -> String {
        for candidate in [variables["XDG_DOWNLOAD_DIR"], userFolder(variables: variables, home: directories.home)] {
            guard var candidate else { continue }
            while candidate.count > 1, candidate.hasSuffix("/") { candidate.removeLast() }
            // The home folder itself stands in user-dirs.dirs for "none".
            if candidate.hasPrefix("/"), candidate != directories.home, isWritableFolder(candidate) { return candidate }
        }
        let own = directories.dataHome + "/conversations"
        try PrivateDirectory.ensure(directories.dataHome)
        try PrivateDirectory.ensure(own)
        return own
    }

    /// Letters, digits and a few signs of the title; never a path, a hidden file or an option.
    static func name(_ title: String) -> String {
        var result = ""
        for character in DisplayText.singleLine(title) {
            let isPlain = character.isLetter || character.isNumber || "._+".contains(character)
            if isPlain { result.append(character) } else if !result.isEmpty, result.last != "-" { result.append("-") }
            if result.utf8.count >= 120 { break }
        }
        while let last = result.last, "-.".contains(last) { result.removeLast() }
        let trimmed = result.drop { "-.".contains($0) }
        // One character may be long by itself.
        return trimmed.isEmpty || trimmed.utf8.count > 200 ? "conversation" : String(trimmed)
    }

    /// The folder that the desktop wrote down in `user-dirs.dirs`.
    private static func userFolder(variables: [String: String], home: String) -> String? {
        let config = variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        // No desktop, no such file.
        guard let bytes = try? File.read(config + "/user-dirs.dirs", limit: 65_536) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("XDG_DOWNLOAD_DIR=") {
            guard let words = CommandWords.split(String(line.dropFirst("XDG_DOWNLOAD_DIR=".count))), words.count == 1 else { return nil }
            return words[0].hasPrefix("$HOME/") ? home + words[0].dropFirst("$HOME".count) : words[0]
        }
        return nil
    }

    private static func isWritableFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && access(path, W_OK | X_OK) == 0
    }
}
