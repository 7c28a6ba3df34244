// `environ` is a variable in C; this program never changes it.
@preconcurrency import Glibc

/// The environment as a dictionary, without the cost of loading Foundation for it.
public enum ProcessEnvironment {
    /// A copy of all variables; of a name that stands twice the first counts, as for `getenv`.
    public static func current() -> [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let equals = pair.firstIndex(of: "=") {
                let name = String(pair[..<equals])
                if result[name] == nil { result[name] = String(pair[pair.index(after: equals)...]) }
            }
            entry += 1
        }
        return result
    }
}
