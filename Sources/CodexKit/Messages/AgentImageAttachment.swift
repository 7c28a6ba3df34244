import FoundationEssentials

/// A picture in a message.
public struct AgentImageAttachment: Codable, Hashable, Identifiable, Sendable {
    public let id: String
    /// Such as `image/png`.
    public let mimeType: String
    /// The file's bytes; empty when the store has lost them.
    public let data: Data

    public init(id: String = UUID().uuidString, mimeType: String, data: Data) {
        self.id = id
        self.mimeType = mimeType
        self.data = data
    }

    public static func jpeg(_ data: Data) -> Self { Self(mimeType: "image/jpeg", data: data) }
    public static func png(_ data: Data) -> Self { Self(mimeType: "image/png", data: data) }
    public static func gif(_ data: Data) -> Self { Self(mimeType: "image/gif", data: data) }
    public static func webp(_ data: Data) -> Self { Self(mimeType: "image/webp", data: data) }

    /// A picture whose kind is told from its first bytes; `nil` when it is none of JPEG, PNG, GIF and WebP.
    public init?(_ data: Data) {
        guard let mimeType = Self.mimeType(of: data) else { return nil }
        self.init(mimeType: mimeType, data: data)
    }

    /// The picture as a `data:` address.
    public var dataURL: String { "data:\(mimeType);base64,\(data.base64EncodedString())" }

    static func mimeType(of data: Data) -> String? {
        let head = [UInt8](data.prefix(12))
        func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: bytes) }
        if has([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if has(Array("GIF87a".utf8)) || has(Array("GIF89a".utf8)) { return "image/gif" }
        if has(Array("RIFF".utf8)), has(Array("WEBP".utf8), at: 8) { return "image/webp" }
        return nil
    }
}
