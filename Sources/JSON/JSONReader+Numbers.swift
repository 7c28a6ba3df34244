extension JSONReader {
    private static let longestNumber = 1024
    /// The powers of ten a `Double` holds exactly.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// The digits of a number, as far as they fit into 19 places.
    private struct Decimal {
        var significand: UInt64 = 0
        var digits = 0
        var exponent = 0

        /// Whether ``significand`` holds every digit.
        var isComplete: Bool { digits <= 19 }

        @inline(__always)
        mutating func append(_ byte: UInt8) {
            if significand != 0 || byte != UInt8(ascii: "0") { digits += 1 }
            if digits <= 19 { significand = significand &* 10 &+ UInt64(byte &- UInt8(ascii: "0")) }
        }
    }

    /// Reads the number that begins here; the next byte is a digit or a minus.
    mutating func number() throws(JSONError) -> Double {
        let start = position
        var decimal = Decimal()
        let negative = base[position] == UInt8(ascii: "-")
        if negative { position += 1 }
        try integerPart(&decimal)
        let isInteger = try fractionAndExponent(&decimal)
        guard position - start <= Self.longestNumber else { throw JSONError(.numberOutOfRange, at: start) }
        let magnitude: Double
        if isInteger, decimal.isComplete {
            magnitude = Double(decimal.significand)
        } else if decimal.isComplete, decimal.significand <= 1 << 53, (-22...22).contains(decimal.exponent) {
            // Both factors are exact, so the one rounding of the product or quotient is the right one.
            let power = Self.powersOfTen[abs(decimal.exponent)]
            magnitude = decimal.exponent < 0 ? Double(decimal.significand) / power : Double(decimal.significand) * power
        } else {
            // The standard library's conversion is correctly rounded and ignores the locale.
            let text = String(decoding: UnsafeBufferPointer(start: base + start, count: position - start), as: UTF8.self)
            guard let value = Double(text), value.isFinite else { throw JSONError(.numberOutOfRange, at: start) }
            return value
        }
        return negative ? -magnitude : magnitude
    }

    @inline(__always)
    private var digit: UInt8? {
        guard position < count, case UInt8(ascii: "0")...UInt8(ascii: "9") = base[position] else { return nil }
        return base[position]
    }

    @inline(__always)
    private mutating func integerPart(_ decimal: inout Decimal) throws(JSONError) {
        guard let first = digit else { throw failure(position < count ? .unexpectedByte : .unexpectedEnd) }
        position += 1
        if first == UInt8(ascii: "0") {
            guard digit == nil else { throw failure(.unexpectedByte) }
            return
        }
        decimal.append(first)
        while let next = digit {
            decimal.append(next)
            position += 1
        }
    }

    /// - Returns: `true` when there was neither a fraction nor an exponent.
    @inline(__always)
    private mutating func fractionAndExponent(_ decimal: inout Decimal) throws(JSONError) -> Bool {
        var isInteger = true
        if position < count, base[position] == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            let start = position
            while let next = digit {
                decimal.append(next)
                position += 1
            }
            guard position > start else { throw failure(position < count ? .unexpectedByte : .unexpectedEnd) }
            decimal.exponent -= position - start
        }
        if position < count, base[position] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            decimal.exponent += try exponent()
        }
        return isInteger
    }

    private mutating func exponent() throws(JSONError) -> Int {
        var negative = false
        if position < count, base[position] == UInt8(ascii: "+") || base[position] == UInt8(ascii: "-") {
            negative = base[position] == UInt8(ascii: "-")
            position += 1
        }
        let start = position
        var value = 0
        while let next = digit {
            // Anything beyond this is out of the fast path's range whatever follows.
            if value < 100_000 { value = value * 10 + Int(next - UInt8(ascii: "0")) }
            position += 1
        }
        guard position > start else { throw failure(position < count ? .unexpectedByte : .unexpectedEnd) }
        return negative ? -value : value
    }
}
