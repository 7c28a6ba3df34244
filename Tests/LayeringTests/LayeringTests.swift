import Testing

/// The folders are the architecture: what a target may see is written in ``LayerTable`` and nowhere else decided.
struct LayeringTests {
    private let tree = SourceTree()
    private let rows = Dictionary(uniqueKeysWithValues: LayerTable.rows.map { ($0.name, $0) })

    @Test func aLayerSeesOnlyWhatStandsBelowIt() {
        var below: Set<String> = []
        for row in LayerTable.rows {
            #expect(row.imports.isSubset(of: below), "\(row.name) names \(row.imports.subtracting(below).sorted()), which do not stand below it")
            if row.isPure {
                let impure = row.imports.filter { rows[$0]?.isPure != true }
                #expect(impure.isEmpty, "\(row.name) is pure and may not build on \(impure.sorted())")
            }
            below.insert(row.name)
        }
    }

    @Test func theManifestSaysWhatTheTableSays() throws {
        let manifest = try tree.manifest()
        #expect(manifest.product.symmetricDifference(rows.keys) == [])
        for (name, row) in rows {
            #expect(manifest.targets[name, default: []].sorted() == row.imports.sorted(), "Package.swift and the layer table differ for \(name)")
        }
    }

    @Test func everyFolderIsATargetOfTheTable() throws {
        #expect(try tree.folders("Sources").filter { rows[$0] == nil } == [])
        let manifest = try tree.manifest().targets
        let tests = try tree.files("Tests").map(\.target).filter { $0.hasSuffix("Tests") }
        #expect(Set(tests).filter { manifest[$0] == nil } == [], "tests that no target runs")
    }

    @Test func sourcesImportOnlyWhatTheirRowAllows() throws {
        let files = try tree.files("Sources")
        #expect(files.count > 50)
        for file in files {
            guard let row = rows[file.target] else { continue }
            let allowed = row.isPure ? row.imports : row.imports.union(LayerTable.systemModules)
            let surplus = file.imports.subtracting(allowed)
            #expect(surplus.isEmpty, "\(file.path) may not import \(surplus.sorted())")
        }
    }

    @Test func testsImportOnlyWhatTheirTargetDependsOn() throws {
        let manifest = try tree.manifest().targets
        for file in try tree.files("Tests") {
            guard let dependencies = manifest[file.target] else { continue }
            // What is neither ours nor a dependency is the system's, of which tests may use anything.
            let surplus = file.imports.intersection(rows.keys).subtracting(dependencies)
            #expect(surplus.isEmpty, "\(file.path) imports \(surplus.sorted()), on which \(file.target) does not depend")
        }
    }

    @Test func filesStayShort() throws {
        for file in try tree.files("Sources") + tree.files("Tests") {
            // The last line break ends a line rather than beginning one.
            let count = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
            #expect(count <= LayerTable.longestFile, "\(file.path) has \(count) lines")
        }
    }
}

struct SourceTreeTests {
    @Test(arguments: [
        ("import JSON", "JSON"), ("  @testable import Relay", "Relay"), ("@preconcurrency public import Glibc", "Glibc"),
        ("import struct Foundation.URL", "Foundation"),
        ("package import CLinux // why", "CLinux"), ("import\tTLS", "TLS"), ("import A;", "A"), ("@_exported import B.C", "B"),
        ("// import JSON", nil), ("let important = 1", nil), ("importJSON", nil), ("", nil), ("/// import Foundation", nil),
    ] as [(String, String?)])
    func findsImports(line: String, module: String?) { #expect(SourceTree.File.module(importedBy: line[...]) == module) }

    @Test func readsManifests() {
        let manifest = Manifest(
            """
            func cLibrary(_ name: String) -> Target { .systemLibrary(name: name, providers: [.apt([apt])]) }
            products: [.executable(name: "tool", targets: ["tool"])],
            .systemLibrary(name: "CLinux"), cLibrary("CPNG", pkgConfig: "libpng", apt: "libpng-dev"),
            .target(name: "A"),
            .target(name: "B", dependencies: ["A", "CLinux"], swiftSettings: [.define("X")]),
            .executableTarget(
                name: "tool",
                dependencies: [
                    "A", "B",
                ]),
            .testTarget(name: "ATests", dependencies: ["A"]),
            .executableTarget(name: "probe", dependencies: ["B"], path: "Tests/probe"),
            """)
        #expect(
            manifest.targets
                == ["CLinux": [], "CPNG": [], "A": [], "B": ["A", "CLinux"], "tool": ["A", "B"], "ATests": ["A"], "probe": ["B"]])
        #expect(manifest.product == ["CLinux", "CPNG", "A", "B", "tool"])
    }
}
