/// Joins the fragments of a message. The decoder has already checked their order and their size.
struct MessageAssembly: Sendable {
    private var isText = false
    private var bytes: [UInt8] = []

    /// - Returns: The message once its last frame is added; an unfragmented one passes through without a copy.
    mutating func add(_ frame: Frame) -> WebSocketEvent? {
        if frame.opcode != .continuation {
            isText = frame.opcode == .text
            bytes = frame.payload
        } else {
            bytes += frame.payload
        }
        guard frame.isFinal else { return nil }
        var message: [UInt8] = []
        swap(&message, &bytes)
        return isText ? .text(message) : .binary(message)
    }
}
