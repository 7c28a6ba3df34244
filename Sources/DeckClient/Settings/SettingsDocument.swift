import JSON
import RelayProtocol

/// The file of the settings as a value: what the user wrote stays, also what this version does not know.
public struct SettingsDocument: Sendable, Equatable {
    /// The largest file that is read, in bytes.
    public static let maximumBytes = 65_536

    private var root: [String: JSONValue]

    public init() { root = [:] }

    /// Holds what `settings` say, as far as it is not the default.
    public init(_ settings: ClientSettings) {
        self.init()
        let defaults = ClientSettings()
        for setting in ClientSetting.all where setting.value(settings) != setting.value(defaults) { set(setting, to: setting.value(settings)) }
    }

    /// - Throws: ``SettingsError/damaged``.
    public init(decoding bytes: [UInt8]) throws(SettingsError) {
        guard bytes.count <= Self.maximumBytes, let value = try? JSONParser(maximumDepth: 8).parse(bytes), let root = value.object else {
            throw .damaged
        }
        self.root = root
    }

    /// Indented, for people edit it.
    public func encoded() -> [UInt8] {
        var text = ""
        Self.write(.object(root), indent: 0, to: &text)
        return Array((text + "\n").utf8)
    }

    /// The settings, and what is wrong in the file, a sentence each. A value that does not fit counts as its default.
    public func settings() -> (settings: ClientSettings, problems: [String]) {
        var settings = ClientSettings()
        var problems: [String] = []
        var rest = root
        for setting in ClientSetting.all {
            guard let value = Self.find(setting.path[...], in: rest) else { continue }
            if !setting.store(&settings, value) {
                problems.append("\(SettingsError.invalid(key: setting.key, requirement: setting.kind.requirement))")
            }
            rest = Self.replaced(setting.path[...], with: nil, in: rest)
        }
        problems += rest.keys.sorted().map { "\(SettingsError.unknown(key: $0))" }
        return (settings, problems)
    }

    /// Whether the file itself says something about a setting.
    public func holds(_ setting: ClientSetting) -> Bool { Self.find(setting.path[...], in: root) != nil }

    /// Writes a value, or with `nil` takes it out, so that the default counts.
    public mutating func set(_ setting: ClientSetting, to value: JSONValue?) { root = Self.replaced(setting.path[...], with: value, in: root) }

    /// Writes all keys of the profiles as they are in `layouts`.
    public mutating func set(layouts: LayoutBook) {
        for setting in ClientSetting.all where setting.path.first == "layouts" {
            let path = setting.path
            guard path.count == 3, let profile = LayoutProfile(rawValue: path[1]), let slot = ActionSlot(rawValue: path[2]) else { continue }
            set(setting, to: layouts.change(of: slot, in: profile).map { .string($0.rawValue) })
        }
    }

    // MARK: - Paths

    private static func find(_ path: ArraySlice<String>, in object: [String: JSONValue]) -> JSONValue? {
        guard let first = path.first, let value = object[first] else { return nil }
        let rest = path.dropFirst()
        if rest.isEmpty { return value.isNull ? nil : value }
        return value.object.flatMap { find(rest, in: $0) }
    }

    private static func replaced(_ path: ArraySlice<String>, with value: JSONValue?, in object: [String: JSONValue]) -> [String: JSONValue] {
        guard let first = path.first else { return object }
        var object = object
        let rest = path.dropFirst()
        if rest.isEmpty {
            object[first] = value
        } else {
            if value == nil, object[first]?.object == nil { return object }
            let inner = replaced(rest, with: value, in: object[first]?.object ?? [:])
            object[first] = inner.isEmpty ? nil : .object(inner)
        }
        return object
    }

    private static func write(_ value: JSONValue, indent: Int, to text: inout String) {
        guard case .object(let members) = value, !members.isEmpty else {
            text += String(decoding: value.encoded(), as: UTF8.self)
            return
        }
        let margin = String(repeating: "  ", count: indent + 1)
        text += "{\n"
        for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { text += ",\n" }
            text += margin + String(decoding: JSONValue.string(member.key).encoded(), as: UTF8.self) + ": "
            write(member.value, indent: indent + 1, to: &text)
        }
        text += "\n" + String(repeating: "  ", count: indent) + "}"
    }
}
