/// One part of a persona.
public struct AgentPersonaLayer: Codable, Hashable, Sendable {
    /// What the part is about, such as `style`.
    public let name: String
    public let instructions: String

    public init(name: String, instructions: String) {
        self.name = name
        self.instructions = instructions
    }
}

/// How the model should be, in layers; later layers refine earlier ones.
public struct AgentPersonaStack: Codable, Hashable, Sendable {
    public let layers: [AgentPersonaLayer]

    public init(layers: [AgentPersonaLayer]) { self.layers = layers }
}

/// What becomes of a wider persona when there is a narrower one. From wide to narrow: the runtime's base instructions, the thread's
/// persona, the turn's.
public enum AgentPersonaComposition: String, Codable, Hashable, Sendable {
    /// All apply, and where they contradict each other the narrower one holds.
    case layered
    /// Only the narrowest one applies.
    case replacing
}
