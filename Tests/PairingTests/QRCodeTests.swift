import Foundation
import Testing

@testable import Pairing

struct QRCodeTests {
    static func link() throws -> String { try Fixture.pairingLink(name: "A rather long name of a computer").text }

    @Test func fitsAPairingLinkIntoEightyColumns() throws {
        let code = try QRCode(encoding: Self.link())
        #expect(code.size <= 69)
        let drawing = try #require(QRTerminal(columns: 80, characters: .halfBlocks, colors: .none).draw(code).drawing)
        #expect(drawing.quietZone == 4 && drawing.lines.count <= 39)
    }

    @Test func refusesWhatNoCodeHolds() {
        #expect(throws: QRCode.Problem.textDoesNotFit) { try QRCode(encoding: String(repeating: "x", count: 4000)) }
        #expect(throws: QRCode.Problem.textDoesNotFit) { try QRCode(encoding: "a\0b") }
        #expect(throws: QRCode.Problem.textDoesNotFit) { try QRCode(encoding: "") }
    }

    @Test func outsideIsLight() throws {
        let code = try QRCode(encoding: "x")
        #expect(code.size == 21 && code.isDark(row: 0, column: 0))
        for (row, column) in [(-1, 0), (0, -1), (21, 0), (0, 21), (.min, .max)] { #expect(!code.isDark(row: row, column: column)) }
    }

    @Test("The PNG is read by a scanner", arguments: [1, 3, 6, 0, 1000])
    func pngIsRead(moduleSize: Int) throws {
        let text = try Self.link()
        // One pixel a module is legal and too small for the scanner, so that size is only checked for its header.
        let png = try QRCode(encoding: text).png(moduleSize: moduleSize)
        #expect(png.starts(with: [0x89, 0x50, 0x4e, 0x47]))
        if (3...6).contains(moduleSize) { #expect(try Scanner.read(png: png) == text) }
    }

    @Test("The drawing is read from a picture of the terminal", arguments: [
        (QRTerminal.Colors.none, false, Terminal.dark), (.none, true, .light), (.sixteen, false, .dark), (.sixteen, false, .light),
        (.indexed, false, .dark), (.indexed, false, .light),
    ], [QRTerminal.Characters.halfBlocks, .ascii])
    func drawingIsRead(_ look: (colors: QRTerminal.Colors, inverted: Bool, terminal: Terminal), characters: QRTerminal.Characters) throws {
        let text = try Self.link()
        let terminal = QRTerminal(columns: 160, characters: characters, colors: look.colors, inverted: look.inverted)
        let drawing = try #require(try terminal.draw(QRCode(encoding: text)).drawing)
        #expect(try Scanner.read(png: look.terminal.picture(of: drawing.lines).png()) == text)
    }

    @Test("Inverting a coloured drawing gives its negative", arguments: [QRTerminal.Colors.sixteen, .indexed], [
        QRTerminal.Characters.halfBlocks, .ascii,
    ])
    func invertedIsTheNegative(colors: QRTerminal.Colors, characters: QRTerminal.Characters) throws {
        let text = try Self.link()
        let terminal = QRTerminal(columns: 160, characters: characters, colors: colors, inverted: true)
        let drawing = try #require(try terminal.draw(QRCode(encoding: text)).drawing)
        let picture = Terminal.dark.picture(of: drawing.lines)
        let negative = GrayPicture(width: picture.width, height: picture.height, pixels: picture.pixels.map { 255 - $0 })
        #expect(try Scanner.read(png: negative.png()) == text)
    }

    @Test("The quiet zone gives way first, the code never", arguments: [(29, 4), (28, 3), (27, 3), (26, 2), (25, 2)])
    func shrinksQuietZone(columns: Int, quietZone: Int) throws {
        let code = try QRCode(encoding: "x")
        let drawing = try #require(QRTerminal(columns: columns, characters: .halfBlocks, colors: .none).draw(code).drawing)
        #expect(drawing.quietZone == quietZone && drawing.width == 21 + 2 * quietZone && !drawing.scrolls)
        #expect(drawing.lines.allSatisfy { $0.count == drawing.width })
    }

    @Test("Too narrow a terminal gets no torn picture", arguments: [(QRTerminal.Characters.halfBlocks, 25), (.ascii, 50)])
    func saysWhatItNeeds(characters: QRTerminal.Characters, needed: Int) throws {
        let code = try QRCode(encoding: "x")
        for columns in [Int.min, 0, 1, needed - 1] {
            #expect(QRTerminal(columns: columns, characters: characters, colors: .none).draw(code) == .tooNarrow(neededColumns: needed))
        }
        #expect(QRTerminal(columns: needed, characters: characters, colors: .none).draw(code).drawing != nil)
    }

    @Test("A low terminal costs quiet zone, then scrolls", arguments: [(16, 4, false), (15, 3, false), (14, 2, false), (13, 4, true), (0, 4, true)])
    func knowsTheHeight(rows: Int, quietZone: Int, scrolls: Bool) throws {
        let code = try QRCode(encoding: "x")
        let drawing = try #require(QRTerminal(columns: 80, rows: rows, characters: .halfBlocks, colors: .none).draw(code).drawing)
        #expect(drawing.quietZone == quietZone && drawing.scrolls == scrolls)
    }

    @Test func everyColouredLineResetsItself() throws {
        for characters in [QRTerminal.Characters.halfBlocks, .ascii] {
            let terminal = QRTerminal(columns: 80, characters: characters, colors: .indexed)
            let lines = try #require(try terminal.draw(QRCode(encoding: "x")).drawing).lines
            #expect(lines.allSatisfy { $0.hasPrefix("\u{1b}[") && $0.hasSuffix("\u{1b}[0m") })
        }
    }

    @Test func asciiIsAscii() throws {
        let lines = try #require(try QRTerminal(columns: 80, characters: .ascii, colors: .none).draw(QRCode(encoding: "x")).drawing).lines
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 == 0x23 || $0 == 0x20 } })
    }

    @Test func svgDrawsEveryDarkModule() throws {
        let code = try QRCode(encoding: Self.link())
        let svg = code.svg(moduleSize: 2)
        let side = code.size + 8
        #expect(svg.contains("viewBox=\"0 0 \(side) \(side)\"") && svg.contains("width=\"\(side * 2)\""))
        var pixels = [UInt8](repeating: 255, count: side * side)
        // Each run is M<x> <y>h<width>v1h-<width>z.
        let path = try #require(svg.split(separator: "d=\"").last?.split(separator: "\"").first)
        for run in path.split(separator: "M") {
            let numbers = run.split { !$0.isNumber }.compactMap { Int($0) }
            for x in numbers[0]..<numbers[0] + numbers[2] { pixels[numbers[1] * side + x] = 0 }
        }
        let expected = (0..<side * side).map { code.isDark(row: $0 / side - 4, column: $0 % side - 4) ? UInt8(0) : 255 }
        #expect(pixels == expected)
    }
}

extension QRTerminal.Result {
    var drawing: QRTerminal.Drawing? { if case .drawing(let drawing) = self { drawing } else { nil } }
}
