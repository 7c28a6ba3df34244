/// A command line that fits its table: what to run, with which values.
public struct Invocation: Sendable, Equatable {
    /// The names from the program to the command, such as `["decknode", "relay", "enable"]`.
    public let path: [String]
    var flagCounts: [String: Int] = [:]
    var optionValues: [String: [String]] = [:]
    var argumentValues: [String: [String]] = [:]

    /// The names after the program's, separated by spaces: `relay enable`; empty for the program itself.
    public var command: String { path.dropFirst().joined(separator: " ") }

    /// Whether a flag was given; names without hyphens.
    public func flag(_ name: String) -> Bool { flagCounts[name] != nil }
    /// How often a flag was given.
    public func count(_ name: String) -> Int { flagCounts[name] ?? 0 }
    /// The last value of an option.
    public func option(_ name: String) -> String? { optionValues[name]?.last }
    /// All values of an option in their order.
    public func options(_ name: String) -> [String] { optionValues[name] ?? [] }
    /// The last value of an option of the kind ``ValueKind/integer(_:)``, which has been checked.
    public func integer(_ name: String) -> Int? { option(name).flatMap { Int($0) } }
    /// The value of an argument.
    public func argument(_ name: String) -> String? { argumentValues[name]?.first }
    /// All values of an argument that may repeat.
    public func arguments(_ name: String) -> [String] { argumentValues[name] ?? [] }
    /// The value of an argument of the kind ``ValueKind/integer(_:)``, which has been checked.
    public func integerArgument(_ name: String) -> Int? { argument(name).flatMap { Int($0) } }

    /// An error about this command line that the table cannot see, such as two options that exclude each other.
    public func refusal(_ sentence: String) -> UsageError { UsageError(sentence, path: path) }
}
