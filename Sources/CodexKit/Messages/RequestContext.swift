import FoundationEssentials

/// A kind of value that a request hands to its tools.
public protocol RequestContextKey {
    associatedtype Value: Sendable
    /// What tools see when the request says nothing.
    static var defaultValue: Value { get }
}

/// What a request carries besides its message: typed values for the tools that run in its turn, which the model never sees, and
/// named data for the model, which is shown in this turn only and does not become part of the thread.
public struct RequestContext: Sendable {
    /// Data for the model.
    public struct Section: Hashable, Sendable {
        public let name: String
        public let value: JSONValue
    }

    private var values: [ObjectIdentifier: any Sendable] = [:]
    /// What the model is shown, in this order.
    public private(set) var sections: [Section] = []

    public init() {}

    public subscript<Key: RequestContextKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// The context with a value for the tools.
    public func with<Key: RequestContextKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
        var copy = self
        copy[key] = value
        return copy
    }

    /// Shows a value to the model, as JSON under a name.
    ///
    /// - Throws: ``AgentRuntimeError`` `invalidConfiguration` when it cannot be encoded.
    public mutating func show(_ value: some Encodable, as name: String) throws(AgentRuntimeError) {
        sections.append(Section(name: name, value: try JSONCoding.value(of: value)))
    }

    /// The data as text, or `nil` when there is none.
    var textForModel: String? {
        guard !sections.isEmpty else { return nil }
        let parts = sections.map { "\($0.name): \(String(decoding: $0.value.encoded(), as: UTF8.self))" }
        return "Context of this request, given by the program:\n" + parts.joined(separator: "\n")
    }
}
