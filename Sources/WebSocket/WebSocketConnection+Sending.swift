extension WebSocketConnection {
    /// Sends a text message of UTF-8 `bytes`, at most the configured limit.
    ///
    /// - Throws: ``WebSocketError/misuse(_:)``; the connection is unharmed.
    public mutating func send(text bytes: some Collection<UInt8>) throws(WebSocketError) {
        try requireSendable(bytes.count)
        guard UTF8Validator.isValid(bytes) else { throw .misuse(.textNotUTF8) }
        append(.text, payload: bytes)
    }

    /// Sends a binary message of at most the configured limit.
    ///
    /// - Throws: ``WebSocketError/misuse(_:)``; the connection is unharmed.
    public mutating func send(binary bytes: some Collection<UInt8>) throws(WebSocketError) {
        try requireSendable(bytes.count)
        append(.binary, payload: bytes)
    }

    /// Sends a message that ``FrameEncoder`` encoded once for many clients. Nothing is copied when no other output waits.
    ///
    /// - Parameter frame: A whole server frame; its contents are not checked again.
    /// - Throws: ``WebSocketError/misuse(_:)`` when this is a client or not open.
    public mutating func send(serverFrame frame: [UInt8]) throws(WebSocketError) {
        guard role == .server else { throw .misuse(.serverFrameOnClient) }
        try requireSendable(0)
        if output.isEmpty { output = frame } else { output += frame }
    }

    /// Sends a ping of the caller's own with 0…125 bytes. ``probe(now:)`` is the one that gives a silent peer up.
    ///
    /// - Throws: ``WebSocketError/misuse(_:)``; the connection is unharmed.
    public mutating func ping(_ payload: [UInt8]) throws(WebSocketError) {
        guard payload.count <= 125 else { throw .misuse(.controlPayloadTooLong(bytes: payload.count)) }
        try requireSendable(0)
        append(.ping, payload: payload)
    }

    /// Starts the closing handshake; nothing can be sent after it. Does nothing unless the connection is open.
    ///
    /// - Parameter reason: For people, cut to 123 bytes of UTF-8.
    public mutating func close(_ code: CloseCode = .normal, reason: String = "", now: Instant) {
        guard case .open = state else { return }
        append(.close, payload: ClosePayload.encode(code, reason: reason))
        state = .closing(deadline: now + configuration.closeTimeout)
    }

    private func requireSendable(_ byteCount: Int) throws(WebSocketError) {
        guard case .open = state else { throw .misuse(.notOpen) }
        guard byteCount <= configuration.maxMessageBytes else { throw .misuse(.messageTooLarge(bytes: byteCount)) }
    }
}
