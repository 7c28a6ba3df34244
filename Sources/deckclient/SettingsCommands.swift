import CommandLineKit
import DeckClient
import JSON
import RelayProtocol

/// `deckclient settings`, `layout` and `host`: they change the file of the settings and tell the running engine, if there is one.
enum SettingsCommands {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let store = ClientStore(environment)
        switch invocation.command {
        case "settings get":
            let setting = try setting(invocation)
            Output.print(setting.text(try settings(store)))
        case "settings set":
            let setting = try setting(invocation)
            let value = try setting.value(ofWord: invocation.argument("VALUE") ?? "")
            try await change(environment) { $0.set(setting, to: value) }
        case "settings unset":
            let setting = try setting(invocation)
            try await change(environment) { $0.set(setting, to: nil) }
        default: try list(invocation, store, environment)
        }
    }

    private static func setting(_ invocation: Invocation) throws -> ClientSetting {
        let key = invocation.argument("KEY") ?? ""
        guard let setting = ClientSetting.named(key) else { throw SettingsError.unknown(key: key) }
        return setting
    }

    /// The settings, with a remark on standard error for each thing that is wrong in the file.
    static func settings(_ store: ClientStore) throws -> ClientSettings {
        let (settings, problems) = try store.settingsDocument().settings()
        for problem in problems { Output.error("deckclient: \(store.settingsPath): \(problem)") }
        return settings
    }

    static func change<Result>(
        _ environment: ClientEnvironment, _ change: (inout SettingsDocument) throws -> Result
    ) async throws -> Result {
        let result = try ClientStore(environment).updateSettings(change)
        await ClientSession.tell(.settings, environment: environment)
        return result
    }

    private static func list(_ invocation: Invocation, _ store: ClientStore, _ environment: ClientEnvironment) throws {
        let document = try store.settingsDocument()
        let settings = try settings(store)
        let rows = ClientSetting.all.filter { invocation.flag("all") || !$0.key.hasPrefix("layouts.") || document.holds($0) }
        if invocation.flag("json") {
            return Output.json(.object(Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.value(settings) ?? .null) })))
        }
        var table = Table([.init("SETTING"), .init("VALUE"), .init(""), .init("MEANING", isFlexible: true)])
        for row in rows { table.rows.append([row.key, row.text(settings), document.holds(row) ? "set" : "", row.summary]) }
        for line in table.render(width: Output.width(environment)) { Output.print(line) }
    }

    // MARK: - Layout

    static func layout(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        switch invocation.command {
        case "layout use":
            guard let active = ClientSetting.named("layout") else { return }
            let value = try active.value(ofWord: invocation.argument("PROFILE") ?? "")
            try await change(environment) { $0.set(active, to: value) }
        case "layout set": try await assign(invocation, environment)
        case "layout reset":
            let profile = invocation.option("profile").flatMap(LayoutProfile.init(rawValue:))
            try await edit(environment) { $0.reset(profile ?? $0.active) }
        case "layout import": return try await importKeys(environment)
        default: break
        }
        try await show(invocation, environment)
    }

    private static func assign(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        guard let slot = invocation.argument("KEY").flatMap({ ActionSlot(rawValue: $0.uppercased()) }),
            let keycap = invocation.argument("KEYCAP").flatMap({ Keycap(rawValue: $0.uppercased()) })
        else { throw invocation.refusal("there is no such key") }
        let profile = invocation.option("profile").flatMap(LayoutProfile.init(rawValue:))
        try await edit(environment) { $0.assign(keycap, to: slot, in: profile ?? $0.active) }
    }

    /// Copies the keys of the selected computer; nothing is sent to it.
    private static func importKeys(_ environment: ClientEnvironment) async throws {
        let state = try await OneShot.state(environment)
        guard let layout = state.board.layout else { throw CommandFailure("The selected computer was not heard yet, so its keys are not known.") }
        let copied = try await edit(environment) { $0.importKeys(of: layout) }
        Output.print(copied.isEmpty ? "None of its keys are in the catalogue." : "Copied \(copied.map(\.rawValue).joined(separator: ", ")).")
    }

    @discardableResult
    private static func edit<Result>(_ environment: ClientEnvironment, _ body: (inout LayoutBook) -> Result) async throws -> Result {
        try await change(environment) { document in
            var layouts = document.settings().settings.layouts
            let result = body(&layouts)
            document.set(layouts: layouts)
            return result
        }
    }

    private static func show(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let settings = try settings(ClientStore(environment))
        let host = settings.layouts.active == .automatic ? try await OneShot.state(environment).board.layout : nil
        let keys = settings.layouts.keys(host: host)
        if invocation.flag("json") {
            let slots = keys.map { ($0.slot.rawValue, JSONValue.object(["keycap": .string($0.label), "own": .bool($0.isAssigned)])) }
            return Output.json(
                .object(["profile": .string(settings.layouts.active.rawValue), "keys": .object(Dictionary(uniqueKeysWithValues: slots))]))
        }
        Output.print("Profile \(settings.layouts.active.rawValue)")
        for key in keys {
            Output.print("\(key.slot.rawValue)  \(key.label.isEmpty ? "as on the computer" : key.label)\(key.isAssigned ? "" : "  (the computer's)")")
        }
    }

    // MARK: - Host

    static func host(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        guard let authority = ClientSetting.named("authority") else { return }
        let state = try await OneShot.state(environment)
        if invocation.flag("first") {
            guard invocation.argument("NODE") == nil else { throw invocation.refusal("a node and --first exclude each other") }
            return try await change(environment) { $0.set(authority, to: nil) }
        }
        if let words = invocation.argument("NODE") {
            let host = try ComputerFinder.find(words, in: state)
            return try await change(environment) { $0.set(authority, to: .string(host.uuid)) }
        }
        guard let selected = state.board.selectedHost, let computer = state.board.computer(selected) else {
            return Output.print("No computer was heard yet.")
        }
        if invocation.flag("json") {
            return Output.json(.object(["host": .string(selected.uuid), "chosen": .bool(state.settings.authority == selected)]))
        }
        let why = state.settings.authority == selected ? "chosen" : "the first paired"
        Output.print("\(computer.badge.rawValue) \(DisplayText.singleLine(computer.name)) (\(why))")
    }
}
