import Files
// `environ` is a variable in C; this program never changes it.
@preconcurrency import Glibc

/// Lets the person at the terminal edit a text with their own editor.
struct TextEditor {
    /// The program and its arguments, before the path of the file.
    let command: [String]

    /// The owner's editor: `$VISUAL`, else `$EDITOR`, else the first of the usual ones on `$PATH`.
    init?(variables: [String: String]) {
        let named = ["VISUAL", "EDITOR"].lazy.compactMap { variables[$0].flatMap(CommandWords.split) }.first { !$0.isEmpty }
        let usual = ["editor", "nano", "vi"].lazy.compactMap { ExecutableSearch(path: variables["PATH"]).find($0) }
        guard let command = named ?? usual.first.map({ [$0] }) else { return nil }
        self.command = command
    }

    /// Edits `text` in a private file in `directory`, which goes away again.
    ///
    /// - Returns: The text as the editor left it.
    /// - Throws: ``TextEditorError``, ``FileError``.
    func edit(_ text: String, in directory: String) throws -> String {
        try PrivateDirectory.ensure(directory)
        let path = "\(directory)/compose-\(getpid()).md"
        _ = try File.remove(path)
        try File.createExclusively(path, Array(text.utf8))
        // Nothing is lost by a file that stays; what matters to the owner is the draft itself.
        defer { unlink(path) }
        try run(path)
        let bytes = try File.read(path, limit: 4 * ComposerDraft.maximumBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw ComposerDraftError.notText }
        return text
    }

    /// Runs the editor in the foreground: it has the terminal, and its interrupts are not ours.
    private func run(_ path: String) throws(TextEditorError) {
        let former = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            signal(SIGINT, former.0)
            signal(SIGQUIT, former.1)
        }
        let status = try wait(for: spawn(path))
        guard status == 0 else { throw .failed(status & 0x7f == 0 ? status >> 8 & 0xff : nil) }
    }

    private func spawn(_ path: String) throws(TextEditorError) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var usual = sigset_t()
        sigemptyset(&usual)
        for signal in [SIGINT, SIGQUIT, SIGPIPE] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = (command + [path]).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, command[0], nil, &attributes, &words, environ)
        guard code == 0 else { throw .notStarted(command[0], reason: String(cString: strerror(code))) }
        return process
    }

    private func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

/// Why a text was not edited.
enum TextEditorError: Error, Equatable, CustomStringConvertible {
    case notStarted(String, reason: String)
    /// The exit code, `nil` when a signal ended it.
    case failed(Int32?)

    var description: String {
        switch self {
        case .notStarted(let name, let reason): "The editor \(DisplaySafe.word(name)) cannot be started (\(reason)); set EDITOR."
        case .failed(let code?): "The editor failed with exit code \(code); the draft is as it was."
        case .failed(nil): "The editor was ended by a signal; the draft is as it was."
        }
    }
}
