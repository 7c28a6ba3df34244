import Foundation

@testable import Pairing

/// The scanner that a user's phone stands for.
enum Scanner {
    /// Reads the one QR code of a picture with `zbarimg`.
    static func read(png: [UInt8]) throws -> String {
        let path = NSTemporaryDirectory() + UUID().uuidString + ".png"
        try Data(png).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/zbarimg")
        process.arguments = ["--quiet", "--raw", "--nodbus", "-Sdisable", "-Sqrcode.enable", path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}

/// A terminal that paints what it is sent, as far as the drawings need it: 4 × 8 pixels a cell.
enum Terminal: Sendable {
    /// White on black.
    case dark
    /// Black on white.
    case light

    func picture(of lines: [String]) -> GrayPicture {
        let text: UInt8 = self == .dark ? 220 : 20
        let background: UInt8 = 240 - text
        let rows = lines.map { cells($0, text: text, background: background) }
        let margin = 2
        let width = (rows.map(\.count).max() ?? 0) + 2 * margin
        let blank = Cell(top: background, bottom: background)
        var grid = [[Cell](repeating: blank, count: width)]
        for row in rows { grid.append([Cell](repeating: blank, count: margin) + row + [Cell](repeating: blank, count: width - margin - row.count)) }
        grid.append(grid[0])
        var pixels: [UInt8] = []
        for row in grid {
            for half in 0..<8 {
                for cell in row { for _ in 0..<4 { pixels.append(half < 4 ? cell.top : cell.bottom) } }
            }
        }
        return GrayPicture(width: width * 4, height: grid.count * 8, pixels: pixels)
    }

    private struct Cell {
        var top: UInt8
        var bottom: UInt8
    }

    private func cells(_ line: String, text: UInt8, background: UInt8) -> [Cell] {
        var cells: [Cell] = []
        var (foreground, back) = (text, background)
        var rest = line[...]
        while let character = rest.popFirst() {
            switch character {
            case "\u{1b}":
                let end = rest.firstIndex(of: "m") ?? rest.endIndex
                let codes = rest[..<end].dropFirst().split(separator: ";").compactMap { Int($0) }
                rest = rest[end...].dropFirst()
                switch codes {
                case [0]: (foreground, back) = (text, background)
                case [30, 107]: (foreground, back) = (0, 255)
                case [40]: back = 0
                case [107]: back = 255
                case [38, 5, 16, 48, 5, 231]: (foreground, back) = (0, 255)
                case [48, 5, 16]: back = 0
                case [48, 5, 231]: back = 255
                default: return []
                }
            case "█", "#": cells.append(Cell(top: foreground, bottom: foreground))
            case "▀": cells.append(Cell(top: foreground, bottom: back))
            case "▄": cells.append(Cell(top: back, bottom: foreground))
            default: cells.append(Cell(top: back, bottom: back))
            }
        }
        return cells
    }
}
