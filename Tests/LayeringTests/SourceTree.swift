import Foundation
import Testing

/// The Swift files of the repository this test was compiled from.
struct SourceTree {
    struct File {
        /// From the root of the repository.
        let path: String
        /// The folder below `Sources` or `Tests`.
        let target: String
        let lines: [Substring]

        /// The modules the file imports, in any of the forms of the language.
        var imports: Set<String> { Set(lines.compactMap(Self.module)) }

        static func module(importedBy line: Substring) -> String? {
            var words = line.split { $0 == " " || $0 == "\t" || $0 == ";" }[...]
            let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
            while let word = words.first, word.hasPrefix("@") || modifiers.contains(word) { words.removeFirst() }
            guard words.popFirst() == "import", var module = words.popFirst() else { return nil }
            let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
            if kinds.contains(module), let next = words.popFirst() { module = next }
            return String(module.prefix { $0 != "." })
        }
    }

    let root: URL

    /// - Parameter file: Where this package's tests lie; links are followed.
    init(file: String = #filePath) {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().resolvingSymlinksInPath()
        root = folder.deletingLastPathComponent().deletingLastPathComponent()
    }

    func manifest() throws -> Manifest {
        Manifest(try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8))
    }

    /// The folders directly below `Sources` or `Tests`.
    func folders(_ part: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(part).path).filter { !$0.hasPrefix(".") }.sorted()
    }

    func files(_ part: String) throws -> [File] {
        let base = root.appendingPathComponent(part).path
        let paths = try #require(FileManager.default.subpaths(atPath: base)).filter { $0.hasSuffix(".swift") }.sorted()
        return try paths.map { path in
            let text = try String(contentsOfFile: "\(base)/\(path)", encoding: .utf8)
            return File(
                path: "\(part)/\(path)", target: path.split(separator: "/").first.map(String.init) ?? "",
                lines: text.split(separator: "\n", omittingEmptySubsequences: false))
        }
    }
}
