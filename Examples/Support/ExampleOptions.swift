import FoundationEssentials

/// The command line of an example: words, and options of the form `--name value`.
public struct ExampleOptions: Sendable {
    private var options: [String: [String]] = [:]
    /// What is no option, in its order.
    public private(set) var words: [String] = []

    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - switches: Options without a value.
    ///   - names: Options with a value.
    /// - Throws: ``ExampleFailure`` for an option that is none of these, or lacks its value.
    public init(_ arguments: [String] = Array(CommandLine.arguments.dropFirst()), switches: Set<String> = [], names: Set<String> = []) throws {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                words.append(word)
                continue
            }
            let name = String(word.dropFirst(2))
            if switches.contains(name) {
                options[name] = []
            } else if names.union(Self.common).contains(name), let value = rest.popFirst() {
                options[name, default: []].append(value)
            } else {
                let known = switches.union(names).union(Self.common).sorted().map { "--" + $0 }
                throw ExampleFailure("\(word) is no option, or has no value. There are: \(known.joined(separator: ", ")).")
            }
        }
    }

    /// What all examples understand.
    private static let common: Set<String> = ["base-url", "issuer", "sign-in", "model", "state"]

    public func has(_ name: String) -> Bool { options[name] != nil }

    /// The values of an option that may be given several times.
    public func all(_ name: String) -> [String] { options[name] ?? [] }

    /// The option, else the variable of the environment, else `nil`.
    public func value(_ name: String, variable: String? = nil) -> String? {
        options[name]?.last ?? variable.flatMap { ProcessInfo.processInfo.environment[$0] }
    }
}

/// Why an example cannot go on, as a sentence.
public struct ExampleFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
