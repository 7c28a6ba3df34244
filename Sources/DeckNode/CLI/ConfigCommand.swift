import CommandLineKit
import Files
import Glibc
import JSON

/// `decknode config`: shows and changes the settings. Works without a node and with settings that it cannot use, so that they can be mended.
enum ConfigCommand {
    static func run(_ invocation: Invocation, _ directories: BaseDirectories, variables: [String: String]) throws {
        let file = SettingsFile(path: directories.configHome + "/node.json")
        switch invocation.command {
        case "config get": try get(setting(invocation), file, invocation)
        case "config set":
            let setting = try setting(invocation)
            guard let word = invocation.argument("VALUE") else { throw invocation.refusal("VALUE is missing.") }
            let value = setting.kind.value(ofWord: word)
            guard setting.kind.accepts(value) else { throw invocation.refusal("\(setting.key) \(setting.kind.requirement).") }
            try change(setting, to: value, file, directories)
        case "config unset": try change(setting(invocation), to: nil, file, directories)
        default: try list(file, invocation, variables)
        }
    }

    /// The parser has checked the key.
    private static func setting(_ invocation: Invocation) throws -> Setting {
        guard let setting = SettingTable.row(invocation.argument("KEY") ?? "") else { throw invocation.refusal("KEY is no setting.") }
        return setting
    }

    private static func get(_ setting: Setting, _ file: SettingsFile, _ invocation: Invocation) throws {
        let value = try file.value(of: setting)
        if invocation.flag("json") { return Output.json(json(setting, value)) }
        Output.print(shown(value) ?? setting.fallback)
    }

    private static func list(_ file: SettingsFile, _ invocation: Invocation, _ variables: [String: String]) throws {
        let rows = try SettingTable.rows.map { ($0, try file.value(of: $0)) }
        if invocation.flag("json") { return Output.json(.array(rows.map(json))) }
        var table = Table([.init("SETTING"), .init("VALUE", isFlexible: true), .init("SET")])
        for (setting, value) in rows { table.rows.append([setting.key, shown(value) ?? setting.fallback, value == nil ? "" : "yes"]) }
        let width = Terminal.isTerminal(STDOUT_FILENO) ? Terminal.columns(environment: variables) : nil
        for line in table.render(width: width) { Output.print(line) }
        // The rows are shown even of a file that the node would refuse; that it would is worth a word.
        try remark(file)
    }

    /// Says on standard error what the file holds that is no setting.
    private static func remark(_ file: SettingsFile) throws {
        if let remark = file.remark(on: try file.load()) { Output.error("decknode: \(remark)") }
    }

    private static func change(_ setting: Setting, to value: JSONValue?, _ file: SettingsFile, _ directories: BaseDirectories) throws {
        let changed = try write(setting, to: value, file, directories)
        let state = Printable.line("\(setting.key) is " + (shown(value) ?? "at its default (\(setting.fallback))"))
        guard changed else { return Output.print("\(state) already.") }
        Output.print("\(state) now; \(try tellNode(setting, directories)).")
        try remark(file)
    }

    /// Writes a setting while no other command does.
    ///
    /// - Returns: Whether that changed anything.
    static func write(_ setting: Setting, to value: JSONValue?, _ file: SettingsFile, _ directories: BaseDirectories) throws -> Bool {
        try PrivateDirectory.ensure(directories.runtimeDirectory)
        return try AdvisoryLock.hold(directories.runtimeDirectory + "/settings.lock") { try file.set(setting, to: value) }
    }

    /// Has a running node read the settings; what is said about that.
    private static func tellNode(_ setting: Setting, _ directories: BaseDirectories) throws -> String {
        let node = ControlClient(path: directories.runtimeDirectory + "/node.sock")
        var reply = try node.askIfRunning(ControlRequest("reload"))
        if case .success? = reply, setting.key.hasPrefix("agents.") { reply = try node.askIfRunning(ControlRequest("agents.session")) }
        switch reply {
        case nil: return "no node is running, the next one takes it"
        case .failure(let sentence)?: throw CommandFailure("The setting is written, but the running node refuses it: \(sentence)")
        case .success?:
            switch setting.effect {
            case .atOnce: return "the running node uses it"
            case .nextStart: return "the running node keeps the former one until it is started again"
            }
        }
    }

    private static func json(_ setting: Setting, _ value: JSONValue?) -> JSONValue {
        .object([
            "key": .string(setting.key), "value": value ?? .null, "default": .string(setting.fallback), "kind": .string(setting.kind.name),
            "summary": .string(setting.summary), "takesEffect": .string(setting.effect.rawValue),
        ])
    }

    private static func shown(_ value: JSONValue?) -> String? {
        guard let value else { return nil }
        return value.string ?? String(decoding: value.encoded(), as: UTF8.self)
    }
}
