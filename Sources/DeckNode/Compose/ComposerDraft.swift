import Files

/// The text that the key CODEX sends, kept in `composer.txt` so that commands and the node share it without talking to each other.
///
/// Its words are the owner's: they go to the task they are sent to, and nowhere else. No log and no error holds a part of them.
public struct ComposerDraft: Sendable {
    /// The most bytes of a draft.
    public static let maximumBytes = 32 * 1_024

    public let path: String
    /// Held while the file changes, so that a draft edited during a send is not taken for the one that was sent.
    private let lock: String

    /// - Parameter directory: The state directory of the node.
    public init(directory: String) {
        path = directory + "/composer.txt"
        lock = directory + "/composer.lock"
    }

    /// The draft; `nil` when there is none.
    ///
    /// - Throws: ``ComposerDraftError`` when the file cannot be read or trusted.
    public func load() throws(ComposerDraftError) -> String? {
        let bytes: [UInt8]
        do throws(FileError) {
            guard try PrivateFile.check(path) != .missing else { return nil }
            bytes = try File.read(path, limit: Self.maximumBytes, followingLink: false)
        } catch {
            if case .missing = error { return nil }
            if case .tooLarge = error { throw .tooLong }
            throw .file(error)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// Replaces the draft.
    ///
    /// - Throws: ``ComposerDraftError`` `.blank`, `.tooLong`, `.notText` (for control characters that no prompt needs) or `.file`.
    public func save(_ text: String) throws(ComposerDraftError) {
        let text = try Self.cleaned(text)
        try locked { () throws(FileError) in try AtomicFile.write(text, to: path) }
    }

    /// Removes the draft; whether there was one.
    @discardableResult
    public func clear() throws(ComposerDraftError) -> Bool {
        try locked { () throws(FileError) in try File.remove(path) }
    }

    /// Removes the draft if it is still the one that was sent; one that was written meanwhile stays.
    ///
    /// - Parameter text: What ``load()`` returned.
    /// - Returns: Whether it was removed.
    @discardableResult
    public func clear(ifStill text: String) throws(ComposerDraftError) -> Bool {
        try locked { () throws(FileError) in
            do throws(FileError) {
                guard try File.read(path, limit: Self.maximumBytes, followingLink: false) == Array(text.utf8) else { return false }
            } catch {
                switch error {
                case .missing, .tooLarge: return false
                default: throw error
                }
            }
            return try File.remove(path)
        }
    }

    /// The text as it is kept: Unix line ends, no blank lines around it, no control characters.
    static func cleaned(_ text: String) throws(ComposerDraftError) -> String {
        guard text.utf8.count <= 4 * maximumBytes else { throw .tooLong }
        var scalars = Array(text.replacing("\r\n", with: "\n").unicodeScalars)
        if scalars.first?.value == 0xfeff { scalars.removeFirst() }
        guard scalars.allSatisfy({ $0 == "\n" || $0 == "\t" || !($0.value < 0x20 || (0x7f..<0xa0).contains($0.value)) }) else { throw .notText }
        let lines = scalars.split(separator: "\n", omittingEmptySubsequences: false)
        func isBlank(_ line: ArraySlice<Unicode.Scalar>) -> Bool { line.allSatisfy(\.properties.isWhitespace) }
        guard let first = lines.firstIndex(where: { !isBlank($0) }), let last = lines.lastIndex(where: { !isBlank($0) }) else { throw .blank }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: lines[first...last].joined(separator: ["\n"]))
        guard kept.reduce(0, { $0 + UTF8.width($1) }) <= maximumBytes else { throw .tooLong }
        return String(kept)
    }

    private func locked<Result>(_ body: () throws(FileError) -> Result) throws(ComposerDraftError) -> Result {
        do throws(FileError) {
            let folder = path.dropLast("/composer.txt".utf8.count)
            try PrivateDirectory.ensure(String(folder))
        } catch {
            throw .file(error)
        }
        let held: AdvisoryLock
        do throws(LockError) { held = try AdvisoryLock(lock, waiting: true) } catch { throw .lock(error) }
        do throws(FileError) { return try withExtendedLifetime(held, body) } catch { throw .file(error) }
    }
}

/// Why a draft cannot be kept or read.
public enum ComposerDraftError: Error, Equatable, CustomStringConvertible {
    case blank
    case tooLong
    case notText
    case file(FileError)
    case lock(LockError)

    public var description: String {
        switch self {
        case .blank: "The draft is blank; write something, or remove it with `decknode compose --clear`."
        case .tooLong: "The draft is longer than \(ComposerDraft.maximumBytes / 1_024) KiB; shorten it."
        case .notText: "The draft is no plain text in UTF-8; remove the control characters."
        case .file(let error): "The draft cannot be kept: \(error)"
        case .lock(let error): "The draft cannot be kept: \(error)"
        }
    }
}
