// What a package or a user's shell set-up asks a program for: its own completions and its own manual.
extension Program {
    static let completion = CommandSpec(
        "completion", summary: "Print the completions for a shell.",
        arguments: [ArgumentSpec("SHELL", "The shell.", kind: .choice(["bash", "zsh", "fish"]))], isHidden: true)

    static let manual = CommandSpec(
        "manual", summary: "Print the manual page, for man to format.",
        options: [OptionSpec("date", value: "DATE", "The date at its foot, such as 2026-01-31.", fallback: "none")], isHidden: true)

    /// - Parameter shell: A word that ``completion`` allows.
    func completion(for shell: String) -> String {
        switch shell {
        case "zsh": Completions.zsh(spec)
        case "fish": Completions.fish(spec)
        default: Completions.bash(spec)
        }
    }
}
