import Foundation
import Testing

/// The guide shows only code that is compiled: each of its Swift blocks stands, line for line, in a file of this folder or of `Examples`.
struct GuideTests {
    private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let pages = ["README", "getting-started", "tools-and-approvals", "structured-output", "threads-and-storage", "auth",
        "memory-and-context", "background", "former-names"]

    @Test func thereAreNoOtherPages() throws {
        let found = try FileManager.default.contentsOfDirectory(atPath: Self.root.path + "/docs/codexkit")
        #expect(found.sorted() == Self.pages.map { $0 + ".md" }.sorted())
    }

    @Test(arguments: pages)
    func everySnippetIsCompiled(page: String) throws {
        let sources = try Self.sources()
        let blocks = Self.blocks(try Self.lines(of: Self.root.appendingPathComponent("docs/codexkit/\(page).md")))
        // The manifest of the reader's own package is evaluated by the integration suite.
        for block in blocks where block.first?.hasPrefix("// swift-tools-version") != true {
            #expect(sources.contains { Self.contains($0, block) }, "no source of the guide holds:\n\(block.joined(separator: "\n"))")
        }
        #expect(page == "README" || page == "former-names" || !blocks.isEmpty)
    }

    @Test(arguments: pages)
    func everyLinkLeadsSomewhere(page: String) throws {
        let folder = Self.root.appendingPathComponent("docs/codexkit")
        let text = try Self.lines(of: folder.appendingPathComponent("\(page).md")).joined(separator: "\n")
        for match in text.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
            let target = folder.appendingPathComponent(String(match.1)).standardized
            #expect(FileManager.default.fileExists(atPath: target.path), "\(page).md leads to \(match.1), which is not there")
        }
    }

    // MARK: Reading

    private static func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func sources() throws -> [[Substring]] {
        var files: [URL] = []
        for folder in ["Tests/CodexKitSamplesTests/Guide", "Examples"] {
            let base = root.appendingPathComponent(folder)
            let paths = try #require(FileManager.default.subpaths(atPath: base.path))
            files += paths.filter { $0.hasSuffix(".swift") && $0 != "GuideTests.swift" }.map { base.appendingPathComponent($0) }
        }
        return try files.map(lines)
    }

    private static func blocks(_ lines: [Substring]) -> [[Substring]] {
        var blocks: [[Substring]] = []
        var isInside = false
        for line in lines {
            if isInside, line == "```" {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].append(line)
            } else if line == "```swift" {
                isInside = true
                blocks.append([])
            }
        }
        return blocks
    }

    /// Whether the block stands in the source, all of it moved to the right by the same number of spaces.
    private static func contains(_ source: [Substring], _ block: [Substring]) -> Bool {
        guard let first = block.first, !first.isEmpty, source.count >= block.count else { return false }
        return (0...(source.count - block.count)).contains { start in
            guard source[start].hasSuffix(first) else { return false }
            let margin = source[start].dropLast(first.count)
            guard margin.allSatisfy({ $0 == " " }) else { return false }
            return zip(source[start...], block).allSatisfy { $0 == ($1.isEmpty ? "" : margin + $1) }
        }
    }

    @Test func aBlockIsFoundOnlyAsAWhole() {
        let source: [Substring] = ["func f() {", "    let a = 1", "", "    if a > 0 {", "        print(a)", "    }", "}"]
        #expect(Self.contains(source, ["let a = 1", "", "if a > 0 {", "    print(a)", "}"]))
        #expect(!Self.contains(source, ["let a = 1", "if a > 0 {"]))
        #expect(!Self.contains(source, ["if a > 0 {", "print(a)"]))
        #expect(!Self.contains(source, ["a = 1"]))
        #expect(!Self.contains(source, []))
    }
}
