/// Completion scripts for shells, made from the table of commands.
public enum Completions {
    /// For bash: source it, or install it as `/usr/share/bash-completion/completions/<program>`.
    public static func bash(_ spec: CommandSpec) -> String { BashCompletion(spec).source }
    /// For zsh: install it as `_<program>` in a folder of `fpath`.
    public static func zsh(_ spec: CommandSpec) -> String { ZshCompletion(spec).source }
    /// For fish: install it as `<program>.fish` in a folder of completions.
    public static func fish(_ spec: CommandSpec) -> String { FishCompletion(spec).source }
}

/// One command as completions see it.
struct CompletionNode {
    /// The names after the program's.
    let path: [String]
    let command: CommandSpec
    /// From the program down to this command: what it accepts.
    let flags: [FlagSpec]
    let options: [OptionSpec]

    /// The command and all below it.
    static func all(_ spec: CommandSpec) -> [CompletionNode] {
        var result: [CompletionNode] = []
        func add(_ command: CommandSpec, path: [String], flags: [FlagSpec], options: [OptionSpec]) {
            let node = CompletionNode(path: path, command: command, flags: flags + command.flags, options: options + command.options)
            result.append(node)
            for next in command.listedSubcommands { add(next, path: path + [next.name], flags: node.flags, options: node.options) }
        }
        add(spec, path: [], flags: [], options: [])
        return result
    }

    /// The path as one word; names hold no slash.
    var key: String { path.joined(separator: "/") }
}

extension OptionSpec {
    /// All spellings, with hyphens.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + name] }
}

extension FlagSpec {
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + name] }
}

/// A name as part of a shell function's.
func shellIdentifier(_ name: String) -> String { String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }

/// A word in single quotes, for bash, zsh and, with its other rule for quotes, fish.
func shellQuoted(_ text: String, fish: Bool = false) -> String {
    let body = fish ? text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") : text.replacing("'", with: "'\\''")
    return "'" + body + "'"
}
