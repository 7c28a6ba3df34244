import CBenchmarkFloor
import CommandLineKit
import Files
import Glibc
import JSON

/// The program `benchmarks`: measures each row in a process of its own and prints what came out.
enum BenchmarkProgram {
    static let spec = CommandSpec(
        "benchmarks", summary: "Measure the node and its client against their floors.",
        discussion: """
            Each row runs in a process of its own, its clients in another, and what it is compared with in the same minute. Build with -c release.
            Rows: \(Row.allCases.map(\.rawValue).joined(separator: ", ")).
            """,
        arguments: [ArgumentSpec("ROW", "What to measure; all rows when none is named.", kind: .choice(Row.allCases.map(\.rawValue)), count: .any)],
        options: [
            OptionSpec("json", value: "FILE", "Also write the results as JSON.", kind: .file),
            OptionSpec("decknode", value: "FILE", "The built command for the row \"status\".", kind: .file, fallback: "the one beside this program"),
            OptionSpec("tree", value: "FOLDER", "Keep the generated rollouts there for the next run.", kind: .directory),
        ],
        flags: [
            FlagSpec("quick", "Fewer repetitions, for a first look."),
            FlagSpec("check", "Fail when a target is missed."),
        ])

    /// - Returns: The exit code of the process.
    static func run(_ arguments: [String]) -> Int32 {
        floor_raise_descriptor_limit()
        do {
            switch arguments.first {
            case Peer.argument: try Peer.run(Array(arguments.dropFirst()))
            case RowProcess.argument: try RowProcess.measure(Array(arguments.dropFirst()))
            default: return try command(arguments)
            }
            return ExitCode.done.rawValue
        } catch {
            Output.note("benchmarks: \(error)")
            return ExitCode.failed.rawValue
        }
    }

    private static func command(_ arguments: [String]) throws -> Int32 {
        let columns = Terminal.columns(environment: ProcessEnvironment.current())
        switch Program(spec, version: "1").interpret(arguments, columns: columns) {
        case .show(let text):
            Output.print(text)
            return ExitCode.done.rawValue
        case .refuse(let text):
            Output.note(text)
            return ExitCode.usage.rawValue
        case .run(let invocation): return try measure(invocation)
        }
    }

    private static func measure(_ invocation: Invocation) throws -> Int32 {
        let named = invocation.arguments("ROW").compactMap(Row.init)
        var conditions = Conditions(isQuick: invocation.flag("quick"))
        conditions.decknode = invocation.option("decknode") ?? Conditions.decknodeBeside
        let rows = (named.isEmpty ? Row.allCases : named).filter { $0 != .status || conditions.decknode != nil }
        let kept = invocation.option("tree")
        let folder = try kept ?? TemporaryFolder.make()
        defer { if kept == nil { floor_remove_tree(folder) } }
        if rows.contains(where: \.needsTree) {
            Output.note("Making the rollouts …")
            conditions.tree = try RolloutTree(path: folder, fileCount: conditions.isQuick ? 2_000 : 10_000).make()
        }
        var report = Report(conditions: conditions)
        for row in rows {
            Output.note("Measuring \(row.rawValue) …")
            report.add(row, RowProcess.run(row, conditions))
        }
        Output.print(report.text)
        if let path = invocation.option("json") { try AtomicFile.write(report.json.encoded() + [0x0a], to: path, mode: 0o644) }
        return (report.hasFailures || invocation.flag("check") && report.hasMisses ? ExitCode.failed : .done).rawValue
    }
}

/// A reason why a row could not be measured; one sentence.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

enum TemporaryFolder {
    /// A new private folder; whoever makes it removes it.
    ///
    /// - Parameter base: Where; `nil` for the usual place.
    static func make(in base: String? = nil) throws -> String {
        let base = base ?? ProcessEnvironment.current()["TMPDIR"] ?? "/tmp"
        var template = Array((base + "/deck-benchmark-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkError("No folder could be made in \(base).") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

enum Output {
    static func print(_ text: String) { write(text, STDOUT_FILENO) }
    /// One line beside the results.
    static func note(_ line: String) { write(line + "\n", STDERR_FILENO) }

    private static func write(_ text: String, _ descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
