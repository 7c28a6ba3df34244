extension CommandSpec {
    /// What is wrong with the table itself, one sentence each; for a test over the tables of a program. Empty when all is well.
    public func problems() -> [String] { problems(path: name, names: ["help", "version"], letters: ["h"]) }

    private func problems(path: String, names: Set<String>, letters: Set<Character>) -> [String] {
        var result: [String] = [], names = names, letters = letters
        func report(_ condition: Bool, _ text: String) { if condition { result.append("\(path): \(text).") } }
        let options = flags.map { ($0.name, $0.short, $0.summary) } + self.options.map { ($0.name, $0.short, $0.summary) }
        for (name, letter, summary) in options {
            report(!Self.isName(name), "--\(name) is no name of lower-case letters, digits and hyphens")
            report(!names.insert(name).inserted, "--\(name) stands twice, here or above")
            if let letter { report(!letters.insert(letter).inserted, "-\(letter) stands twice, here or above") }
            report(!summary.hasSuffix("."), "the summary of --\(name) is no sentence")
        }
        report(!Self.isName(name), "the name is not of lower-case letters, digits and hyphens")
        report(!summary.hasSuffix("."), "the summary is no sentence")
        report(arguments.count { $0.repeats } > 1, "two arguments repeat, so that words cannot be shared out")
        report(Set(arguments.map(\.name)).count < arguments.count, "an argument stands twice")
        report(Set(subcommands.map(\.name)).count < subcommands.count, "a subcommand stands twice")
        report(!runsAlone && !arguments.isEmpty, "it has arguments but cannot be called by itself")
        report(examples.contains { !$0.line.hasPrefix(path) }, "an example is about another command")
        return result + subcommands.flatMap { $0.problems(path: path + " " + $0.name, names: names, letters: letters) }
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.first != "-" && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
}
