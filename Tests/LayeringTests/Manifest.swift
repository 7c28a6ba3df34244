/// The targets of a `Package.swift`, read from its text.
struct Manifest {
    /// Names of dependencies by target, tests included.
    private(set) var targets: [String: Set<String>] = [:]
    /// The targets below `Sources`, where a target lies that names no path: what the product consists of.
    private(set) var product: Set<String> = []

    init(_ text: String) {
        for call in ["arget(", "systemLibrary(", "cLibrary("] {
            var rest = text[...]
            while let range = rest.firstRange(of: call) {
                rest = rest[range.upperBound...]
                let arguments = Self.balanced(rest)
                guard let name = Self.name(in: arguments) else { continue }
                targets[name, default: []].formUnion(Self.dependencies(in: arguments))
                let isElsewhere = arguments.contains("path:") && !arguments.contains("path: \"Sources/")
                if !name.hasSuffix("Tests"), !isElsewhere { product.insert(name) }
            }
        }
    }

    /// Up to the parenthesis that closes the call.
    private static func balanced(_ text: Substring) -> Substring {
        var depth = 1
        let end = text.firstIndex { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth == 0
        }
        return text[..<(end ?? text.endIndex)]
    }

    /// The first argument, when it is a string.
    private static func name(in arguments: Substring) -> String? {
        let first = arguments.prefix { $0 != "," }.trimming(" \n")
        let value = first.hasPrefix("name:") ? first.dropFirst(5).trimming(" ") : first
        return value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 2 ? String(value.dropFirst().dropLast()) : nil
    }

    private static func dependencies(in arguments: Substring) -> [String] {
        guard let label = arguments.firstRange(of: "dependencies:") else { return [] }
        let list = arguments[label.upperBound...].drop { $0 != "[" }.prefix { $0 != "]" }
        return list.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}

extension Substring {
    fileprivate func trimming(_ characters: String) -> Substring {
        var rest = self
        while let first = rest.first, characters.contains(first) { rest.removeFirst() }
        while let last = rest.last, characters.contains(last) { rest.removeLast() }
        return rest
    }
}
