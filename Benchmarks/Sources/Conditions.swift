import Glibc
import JSON

/// Under which circumstances rows are measured.
struct Conditions: Sendable {
    var isQuick: Bool
    /// A Codex home full of rollouts; empty for rows that need none.
    var tree = ""
    /// The built command `decknode`.
    var decknode: String?

    init(isQuick: Bool) { self.isQuick = isQuick }

    /// `full`, or less when the user is in a hurry.
    func count(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }

    // MARK: To the process of a row

    init(arguments: [String]) {
        isQuick = arguments.first == "quick"
        if arguments.count > 1 { tree = arguments[1] }
        if arguments.count > 2, !arguments[2].isEmpty { decknode = arguments[2] }
    }

    var arguments: [String] { [isQuick ? "quick" : "full", tree, decknode ?? ""] }

    // MARK: Paths

    /// The path of this program.
    static var ownPath: String {
        var buffer = [CChar](repeating: 0, count: 4_097)
        let count = readlink("/proc/self/exe", &buffer, 4_096)
        return String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The `decknode` that was built with this program, if it was.
    static var decknodeBeside: String? {
        let path = ownPath
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let beside = path[...slash] + "decknode"
        return access(String(beside), X_OK) == 0 ? String(beside) : nil
    }
}
