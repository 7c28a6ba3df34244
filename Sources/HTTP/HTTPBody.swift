import EventLoop

/// The body of an answer, received as it is read: a reader that stops reading stops the sender.
///
/// Letting go of it closes the connection unless the body was read to its end.
public final class HTTPBody: Sendable {
    private let transfer: Transfer
    /// Closes its connections when it goes.
    private let client: HTTPClient

    init(_ transfer: Transfer, of client: HTTPClient) {
        self.transfer = transfer
        self.client = client
    }

    deinit {
        let transfer = transfer
        transfer.loop.execute { transfer.abandon() }
    }

    /// The bytes that have come since the last call, or the next that come; `nil` at the end. One reader at a time.
    ///
    /// - Throws: ``HTTPError``: `.cancelled` when the task is cancelled, which also closes the connection; `.connectionLost`,
    ///   `.idleTimedOut`, `.totalTimedOut`, `.bodyTooLarge`.
    public func next() async throws(HTTPError) -> [UInt8]? {
        let transfer = transfer
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.loop.execute { transfer.read(continuation) }
            }
        } onCancel: {
            transfer.cancelFromAnywhere()
        }
        return try result.get()
    }

    /// Lets the rest come and drops it, so that the connection can serve the next request; gives up after a second or 64 KiB.
    public func drain() {
        let transfer = transfer
        transfer.loop.execute { transfer.drain() }
    }

    /// Closes the connection unless the body was received to its end; reads under way and later ones throw `.cancelled`.
    public func close() { transfer.cancelFromAnywhere() }
}
