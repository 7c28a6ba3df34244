/// Which terminal to open, and how it is told what to run in it.
struct DesktopTerminal: Hashable {
    /// The words before those of the command.
    let words: [String]

    /// Terminals that are known, the desktop's own choice first, with what stands before the command.
    static let known: [(name: String, prefix: [String])] = [
        ("x-terminal-emulator", ["-e"]), ("gnome-terminal", ["--"]), ("ptyxis", ["--"]), ("kgx", ["--"]), ("konsole", ["-e"]),
        ("xfce4-terminal", ["-x"]), ("mate-terminal", ["-x"]), ("tilix", ["-e"]), ("foot", []), ("ghostty", ["-e"]), ("alacritty", ["-e"]), ("kitty", []),
        ("wezterm", ["start", "--"]), ("xterm", ["-e"]),
    ]

    /// - Parameters:
    ///   - setting: ``NodeSettings/terminalCommand``; taken as it is.
    ///   - variables: Where `TERMINAL` and `PATH` are looked up.
    static func choose(setting: [String]?, variables: [String: String]) throws(DesktopError) -> DesktopTerminal {
        let search = ExecutableSearch(path: variables["PATH"])
        if let setting, let name = setting.first {
            guard let path = search.find(name) else { throw .unknownTerminal(baseName(name)) }
            return DesktopTerminal(words: [path] + setting.dropFirst())
        }
        if let words = variables["TERMINAL"].flatMap(CommandWords.split), let name = words.first, let path = search.find(name) {
            // Nearly all terminals know -e.
            let prefix = known.first { $0.name == baseName(name) }?.prefix ?? ["-e"]
            return DesktopTerminal(words: [path] + words.dropFirst() + prefix)
        }
        for terminal in known {
            if let path = search.find(terminal.name) { return DesktopTerminal(words: [path] + terminal.prefix) }
        }
        throw .noTerminal
    }

    private static func baseName(_ path: String) -> String { DisplaySafe.word(path.split(separator: "/").last.map(String.init) ?? path) }
}
