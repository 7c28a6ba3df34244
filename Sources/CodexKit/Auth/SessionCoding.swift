import FoundationEssentials

/// The stored form of a session: JSON, dates as seconds since 1970.
enum SessionCoding {
    static func encode(_ session: ChatGPTSession) throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(session), as: UTF8.self)
    }

    /// - Throws: ``AgentRuntimeError`` `sessionDamaged`.
    static func decode(_ text: String) throws(AgentRuntimeError) -> ChatGPTSession {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        // The decoder's own error might quote what it read.
        guard let session = try? decoder.decode(ChatGPTSession.self, from: Data(text.utf8)), TokenAnswer.isToken(session.accessToken) else {
            throw AgentRuntimeError(code: .sessionDamaged, message: "The stored session is damaged; sign in again.")
        }
        return session
    }
}
