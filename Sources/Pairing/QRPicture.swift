import CPNG

extension QRCode {
    /// Light modules that a reader expects round the code.
    public static let quietZone = 4

    /// The code as an SVG document, black on white, that scales to any size.
    ///
    /// - Parameter moduleSize: The width and height of one module in the picture's default size, in pixels: 1 … 64.
    public func svg(moduleSize: Int = 6) -> String {
        let side = size + 2 * Self.quietZone
        let pixels = side * moduleSize.clamped(to: Self.moduleSizes)
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(row: row, column: column) { column += 1 }
                if column > start { path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1h-\(column - start)z" }
                column += 1
            }
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(pixels)" height="\(pixels)" viewBox="0 0 \(side) \(side)" \
            shape-rendering="crispEdges">
            <rect width="\(side)" height="\(side)" fill="#fff"/>
            <path d="\(path)" fill="#000"/>
            </svg>

            """
    }

    /// The code as the bytes of a PNG file, black on white.
    ///
    /// - Parameter moduleSize: Pixels along one side of a module: 1 … 64.
    /// - Throws: ``PNGError`` when the library could not write it.
    public func png(moduleSize: Int = 6) throws(PNGError) -> [UInt8] {
        let scale = moduleSize.clamped(to: Self.moduleSizes)
        let side = (size + 2 * Self.quietZone) * scale
        var pixels: [UInt8] = []
        pixels.reserveCapacity(side * side)
        for y in 0..<side {
            for x in 0..<side {
                let dark = isDark(row: y / scale - Self.quietZone, column: x / scale - Self.quietZone)
                pixels.append(dark ? 0 : 255)
            }
        }
        return try GrayPicture(width: side, height: side, pixels: pixels).png()
    }

    private static let moduleSizes = 1...64
}

/// libpng could not write a picture.
public struct PNGError: Error, Equatable, CustomStringConvertible {
    public var description: String { "The QR picture could not be written as PNG; ask for SVG instead." }
}

/// A picture of one byte a pixel, 0 black to 255 white, row by row.
struct GrayPicture {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// The bytes of a PNG file. libpng's simplified interface is used because it reports errors by value instead of by `longjmp`.
    func png() throws(PNGError) -> [UInt8] {
        guard width > 0, height > 0, pixels.count == width * height else { throw PNGError() }
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(width)
        image.height = png_uint_32(height)
        image.format = 0 // PNG_FORMAT_GRAY
        defer { png_image_free(&image) }
        var size = 0
        guard png_image_write_to_memory(&image, nil, &size, 0, pixels, 0, nil) != 0 else { throw PNGError() }
        var bytes = [UInt8](repeating: 0, count: size)
        guard png_image_write_to_memory(&image, &bytes, &size, 0, pixels, 0, nil) != 0, size <= bytes.count else { throw PNGError() }
        return Array(bytes[..<size])
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int { Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}
