import Glibc

/// One parser under test: takes any bytes, must not trap, and keeps what it promises.
struct FuzzTarget: Sendable {
    let name: String
    /// The longest input worth trying, in bytes.
    let maximumLength: Int
    /// The bytes lie in a block of exactly their size, so that the address sanitizer sees a read beyond them.
    let run: @Sendable (UnsafeRawBufferPointer) -> Void

    init(_ name: String, maximumLength: Int = 4096, _ run: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
        self.name = name
        self.maximumLength = maximumLength
        self.run = run
    }
}

/// Ends the program when a promise is broken; the fuzzer then keeps the input.
func expect(_ condition: Bool, _ promise: @autoclosure () -> String) {
    guard !condition else { return }
    let line = Array("broken promise: \(promise())\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    abort()
}

extension UnsafeRawBufferPointer {
    /// The bytes cut into pieces of 0 … 16 bytes. How depends on the bytes alone, so that an input always does the same.
    var pieces: [UnsafeRawBufferPointer] {
        var state = UInt32(truncatingIfNeeded: count) &+ UInt32(last ?? 0) << 8
        var pieces: [UnsafeRawBufferPointer] = []
        var rest = self[...]
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let piece = rest.prefix(Int(state >> 24) % 17)
            pieces.append(UnsafeRawBufferPointer(rebasing: piece))
            rest = rest[piece.endIndex...]
        }
        return pieces
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
