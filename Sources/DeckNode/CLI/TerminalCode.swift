import CommandLineKit
import Glibc
import Pairing

/// A QR code drawn for the terminal at standard output.
enum TerminalCode {
    /// - Returns: The picture, or how many columns it would need.
    static func draw(_ code: QRCode, inverted: Bool = false, _ environment: NodeEnvironment) -> QRTerminal.Result {
        let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
        let rows = rows
        let colored = ColorPolicy.automatic.allowsColor(environment: environment.variables, isTerminal: isTerminal)
        let indexed = environment.variables["TERM"]?.contains("256") == true || environment.variables["COLORTERM"] != nil
        return QRTerminal(
            columns: Terminal.columns(environment: environment.variables), rows: rows,
            characters: Terminal.isUTF8(environment: environment.variables) ? .halfBlocks : .ascii,
            colors: colored ? (indexed ? .indexed : .sixteen) : .none, inverted: inverted
        ).draw(code)
    }

    /// The height of the terminal that the code is drawn on; `nil` when it goes elsewhere.
    static var rows: Int? { Terminal.isTerminal(STDOUT_FILENO) ? Terminal.rows() : nil }

    /// What to say when the top of the code scrolls away.
    ///
    /// - Parameter below: How many lines follow the code.
    static func remark(on drawing: QRTerminal.Drawing, below: Int, rows: Int?) -> String? {
        guard let rows, drawing.scrolls || drawing.lines.count + below >= rows else { return nil }
        let what = drawing.scrolls ? "is \(drawing.lines.count) lines high" : "and what follows it are \(drawing.lines.count + below) lines high"
        return "The code \(what) and this terminal has \(rows): enlarge it, or use --png FILE."
    }
}

extension Terminal {
    /// The height of the terminal at standard output; `nil` when it is none.
    static func rows() -> Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
        return Int(size.ws_row)
    }
}
