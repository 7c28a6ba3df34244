/// An answer whose head has come; its body is read from ``body``.
public struct HTTPResponse: Sendable {
    /// 200 to 999.
    public let status: Int
    public let fields: [HTTPField]
    public let body: HTTPBody
    /// Where the answer came from, after redirects.
    public let url: String

    /// Reads the rest of the body.
    ///
    /// - Parameter limit: The most bytes to accept.
    /// - Throws: ``HTTPError/bodyTooLarge(limit:)``, and what ``HTTPBody/next()`` throws.
    public func collect(limit: Int) async throws(HTTPError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await body.next() {
            guard chunk.count <= limit - bytes.count else {
                body.close()
                throw .bodyTooLarge(limit: limit)
            }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
        }
        return bytes
    }

    /// Reads the beginning of the body, for an error text, and drops the rest with its connection.
    public func prefix(_ limit: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        // What is wrong with the connection after an error answer matters to nobody.
        while bytes.count < limit, let chunk = try? await body.next() { bytes += chunk.prefix(limit - bytes.count) }
        body.close()
        return bytes
    }
}
