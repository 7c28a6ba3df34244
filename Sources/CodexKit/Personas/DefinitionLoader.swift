import Files
import FoundationEssentials
import JSON

/// Reads definitions of personas and skills.
struct DefinitionLoader: Sendable {
    /// More is no instruction that anybody wrote.
    static let limit = 1 << 20

    let fetcher: any AgentResourceFetching

    /// A persona: JSON of an ``AgentPersonaStack``, or plain text, which becomes its only layer.
    func persona(from source: AgentDefinitionSource) async throws(AgentRuntimeError) -> AgentPersonaStack {
        let text = try await text(of: source)
        guard text.first == "{" else {
            return AgentPersonaStack(layers: [AgentPersonaLayer(name: Self.name(of: source), instructions: text)])
        }
        return try Self.decode(AgentPersonaStack.self, from: text, what: "persona")
    }

    /// A skill: JSON, or plain text when the caller gives id and name.
    func skill(from source: AgentDefinitionSource, id: String?, name: String?) async throws(AgentRuntimeError) -> AgentSkill {
        let text = try await text(of: source)
        if text.first == "{" {
            let skill = try Self.decode(AgentSkill.self, from: text, what: "skill")
            return AgentSkill(id: id ?? skill.id, name: name ?? skill.name, instructions: skill.instructions, executionPolicy: skill.executionPolicy)
        }
        guard let id, let name else {
            throw AgentRuntimeError(
                code: .definitionInvalid, message: "The skill at \(Self.name(of: source)) is plain text; give its id and name to register it.")
        }
        return AgentSkill(id: id, name: name, instructions: text)
    }

    private func text(of source: AgentDefinitionSource) async throws(AgentRuntimeError) -> String {
        let bytes: [UInt8]
        switch source {
        case .file(let url): bytes = try Self.read(url)
        case .remote(let url): bytes = try await fetch(url)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AgentRuntimeError(code: .definitionInvalid, message: "The definition at \(Self.name(of: source)) is no UTF-8 text.")
        }
        // A byte-order mark of some editors is no part of the text.
        let content = (text.first == "\u{FEFF}" ? text.dropFirst() : text[...]).drop(while: \.isWhitespace)
        guard let end = content.lastIndex(where: { !$0.isWhitespace }) else {
            throw AgentRuntimeError(code: .definitionInvalid, message: "The definition at \(Self.name(of: source)) is empty.")
        }
        return String(content[...end])
    }

    private static func read(_ url: URL) throws(AgentRuntimeError) -> [UInt8] {
        guard url.isFileURL else {
            throw AgentRuntimeError(code: .definitionUnavailable, message: "A definition from a file needs a file address.")
        }
        do throws(FileError) {
            return try File.read(url.path, limit: limit)
        } catch {
            throw AgentRuntimeError(code: .definitionUnavailable, message: error.description)
        }
    }

    private func fetch(_ url: URL) async throws(AgentRuntimeError) -> [UInt8] {
        guard Self.mayFetch(url) else {
            throw AgentRuntimeError(
                code: .definitionUnavailable, message: "Definitions are loaded over https only, as they decide what the model is told.")
        }
        do {
            return [UInt8](try await fetcher.fetch(url, limit: Self.limit).data)
        } catch let error as AgentRuntimeError {
            throw AgentRuntimeError(
                code: error.code == .cancelled ? .cancelled : .definitionUnavailable, message: error.message, status: error.status)
        } catch {
            throw AgentRuntimeError(code: .definitionUnavailable, message: "The definition at \(Self.name(of: .remote(url))) cannot be loaded.")
        }
    }

    static func mayFetch(_ url: URL) -> Bool {
        switch url.scheme?.lowercased() {
        case "https": true
        case "http": ["localhost", "127.0.0.1", "::1", "[::1]"].contains(url.host() ?? "")
        default: false
        }
    }

    /// The last part of the path: the rest of an address may hold a secret.
    private static func name(of source: AgentDefinitionSource) -> String {
        switch source {
        case .file(let url), .remote(let url): url.lastPathComponent.isEmpty ? "the address" : url.lastPathComponent
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, from text: String, what: String) throws(AgentRuntimeError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw AgentRuntimeError(code: .definitionInvalid, message: "The JSON is no \(what): \(DecodingReason(error)).")
        }
    }
}

/// Why decoding failed, by the place and never by the value that stood there.
struct DecodingReason: CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description =
            switch error as? DecodingError {
            case .keyNotFound(let key, let context): "\(Self.path(context.codingPath + [key])) is missing"
            case .valueNotFound(_, let context): "\(Self.path(context.codingPath)) is null"
            case .typeMismatch(let type, let context): "\(Self.path(context.codingPath)) is no \(type)"
            case .dataCorrupted(let context) where context.codingPath.isEmpty: "it is no valid JSON"
            case .dataCorrupted(let context): "\(Self.path(context.codingPath)) has an unexpected value"
            default: "it has an unexpected form"
            }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the value" : keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
}
