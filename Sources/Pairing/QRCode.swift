import CQREncode
import Glibc

/// The modules of a QR code: a square of dark and light, without the quiet zone.
public struct QRCode: Equatable, Sendable {
    /// Modules along one side: 21 … 177.
    public let size: Int
    /// Row by row from the top left; `true` is dark.
    private let modules: [Bool]

    /// Why no code could be made.
    public enum Problem: Error, Equatable, CustomStringConvertible {
        /// More text than the largest code holds, or a NUL in it.
        case textDoesNotFit
        /// The library had no memory.
        case outOfMemory

        public var description: String {
            switch self {
            case .textDoesNotFit: "This text is too long for a QR code; use it as text instead."
            case .outOfMemory: "There was not enough memory to draw the QR code; use the link as text instead."
            }
        }
    }

    /// The smallest code that holds `text`, with as much error correction as costs no further size.
    public init(encoding text: String) throws(Problem) {
        guard !text.isEmpty, !text.utf8.contains(0) else { throw .textDoesNotFit }
        var best = try Self(text, level: QR_ECLEVEL_L)
        for level in [QR_ECLEVEL_M, QR_ECLEVEL_Q, QR_ECLEVEL_H] {
            guard let stronger = try? Self(text, level: level), stronger.size == best.size else { break }
            best = stronger
        }
        self = best
    }

    private init(_ text: String, level: QRecLevel) throws(Problem) {
        guard let code = QRcode_encodeString(text, 0, level, QR_MODE_8, 1) else {
            throw errno == ENOMEM ? .outOfMemory : .textDoesNotFit
        }
        defer { QRcode_free(code) }
        let side = Int(code.pointee.width)
        size = side
        // The lowest bit of each byte is the module; the others say what kind of module it is.
        modules = UnsafeBufferPointer(start: code.pointee.data, count: side * side).map { $0 & 1 == 1 }
    }

    /// Whether the module is dark; everything outside the square is light, as the quiet zone is.
    public func isDark(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column]
    }
}
