import JSON

/// Why the bytes of a message could not be taken.
public enum MessageError: Error, Hashable, Sendable {
    case notJSON
    /// JSON, but neither a request nor a notification nor an answer.
    case notAMessage
}

/// Reads messages of the server, without the cost of those nobody wants: while an agent writes, most of the stream is pieces of its text.
public struct MessageReader: Sendable {
    private static let envelope = JSONSkimmer([["method"], ["id"]])
    private let wanted: Set<String>
    private let parser = JSONParser(duplicateKeys: .lastWins)

    /// - Parameter wanted: The methods of the notifications to read; all others are skipped. Requests and answers are always read.
    public init(wanted: Set<String>) { self.wanted = wanted }

    /// - Returns: `nil` for a notification that is not wanted.
    public func read(_ bytes: [UInt8]) throws(MessageError) -> RPCMessage? {
        if isUnwanted(bytes) { return nil }
        let value: JSONValue
        do throws(JSONError) { value = try parser.parse(bytes) } catch { throw .notJSON }
        return try Self.message(value)
    }

    private func isUnwanted(_ bytes: [UInt8]) -> Bool {
        do throws(JSONError) {
            let fields = try Self.envelope.fields(of: bytes)
            guard let method = fields[0]?.string, fields[1]?.isNull ?? true else { return false }
            return !wanted.contains(method)
        } catch {
            // What is wrong with it is for the whole reading to say.
            return false
        }
    }

    private static func message(_ value: JSONValue) throws(MessageError) -> RPCMessage {
        guard let object = value.object else { throw .notAMessage }
        let id = RequestID(object["id"])
        // An id that is none could not be answered under it.
        if id == nil, let given = object["id"], !given.isNull { throw .notAMessage }
        if let method = object["method"]?.string {
            let params = object["params"] ?? .object([:])
            return id.map { .request(id: $0, method: method, params: params) } ?? .notification(method: method, params: params)
        }
        if let error = RPCError(object["error"]) { return .failure(id: id, error) }
        guard let id, let result = object["result"] else { throw .notAMessage }
        return .response(id: id, result: result)
    }
}
