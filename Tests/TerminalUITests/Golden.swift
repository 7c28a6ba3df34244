import Foundation
import Testing

@testable import TerminalUI

/// Screens as they have to look. Each file has the rows and below them, after a line of dashes, one letter a column for its style.
///
/// With DECK_RECORD_GOLDEN in the environment the files are written instead of compared; read the difference before you keep it.
enum Golden {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")

    private static let letters: [TextStyle: Character] = [
        .plain: " ", .faint: ".", .heading: "H", .frame: "+", .focusFrame: "#", .off: "o", .idle: "i", .finished: "d", .working: "w", .failed: "e",
        .waiting: "a", .lastKnown: "l", .good: "G", .warning: "W", .bad: "B", .meter: "m", .meterHigh: "M", .meterFull: "F", .meterRest: "_",
        .key: "k", .prompt: "P", .chosen: "C",
    ]

    static func text(_ rows: [StyledLine]) -> String {
        let styles = rows.map { row in
            row.spans.map { span in String(repeating: letters[span.style] ?? "!", count: CellWidth.columns(span.text)) }.joined()
        }
        return (rows.map(\.text).map(trimmed) + ["----"] + styles.map(trimmed)).joined(separator: "\n") + "\n"
    }

    static func check(_ rows: [StyledLine], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = folder.appendingPathComponent(name + ".txt")
        let text = text(rows)
        if ProcessInfo.processInfo.environment["DECK_RECORD_GOLDEN"] != nil {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(text == expected, "\(name): the screen differs from Golden/\(name).txt", sourceLocation: sourceLocation)
    }

    private static func trimmed(_ line: String) -> String {
        var line = Substring(line)
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
