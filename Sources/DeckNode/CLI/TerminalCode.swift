import CommandLineKit
import Glibc
import Pairing

/// A QR code drawn for the terminal at standard output.
enum TerminalCode {
    /// - Returns: The picture, or how many columns it would need.
    static func draw(_ code: QRCode, inverted: Bool = false, _ environment: NodeEnvironment) -> QRTerminal.Result {
        let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
        let colored = ColorPolicy.automatic.allowsColor(environment: environment.variables, isTerminal: isTerminal)
        let indexed = environment.variables["TERM"]?.contains("256") == true || environment.variables["COLORTERM"] != nil
        return QRTerminal(
            columns: Terminal.columns(environment: environment.variables), rows: isTerminal ? Terminal.rows() : nil,
            characters: Terminal.isUTF8(environment: environment.variables) ? .halfBlocks : .ascii,
            colors: colored ? (indexed ? .indexed : .sixteen) : .none, inverted: inverted
        ).draw(code)
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
