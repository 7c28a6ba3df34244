import JSON
import RelayProtocol
import Secrets

/// One setting: everything that the file, the commands, their help and the dashboard need to know of it.
public struct ClientSetting: Sendable {
    public enum Kind: Sendable, Equatable {
        case boolean
        case choice([String])
        /// The id of a computer.
        case host

        /// What a value must be, as the end of a sentence.
        public var requirement: String {
            switch self {
            case .boolean: "must be true or false"
            case .choice(let words): "must be one of " + words.joined(separator: ", ")
            case .host: "must be the id of a computer"
            }
        }
    }

    /// Dots stand for objects in objects: `layouts.coding.ACT06` is `{"layouts": {"coding": {"ACT06": …}}}`.
    public let key: String
    public let kind: Kind
    /// One sentence.
    public let summary: String
    /// The present value; `nil` when nothing is set and there is no default that could be written.
    public let value: @Sendable (ClientSettings) -> JSONValue?
    /// Puts a value in; `false` when it does not fit.
    let store: @Sendable (inout ClientSettings, JSONValue) -> Bool

    var path: [String] { key.split(separator: ".").map(String.init) }

    /// The value as a command shows it.
    public func text(_ settings: ClientSettings) -> String {
        switch value(settings) {
        case .bool(let flag): flag ? "true" : "false"
        case .string(let text): text
        case nil, .some: ""
        }
    }

    /// The value that a word of a command line stands for.
    ///
    /// - Throws: ``SettingsError/invalid(key:requirement:)``.
    public func value(ofWord word: String) throws(SettingsError) -> JSONValue {
        let value: JSONValue
        switch (kind, word.lowercased()) {
        case (.boolean, "true"), (.boolean, "yes"), (.boolean, "on"): value = true
        case (.boolean, "false"), (.boolean, "no"), (.boolean, "off"): value = false
        case (.choice(let words), let lowered): value = .string(words.first { $0.lowercased() == lowered } ?? word)
        default: value = .string(word)
        }
        var probe = ClientSettings()
        guard store(&probe, value) else { throw .invalid(key: key, requirement: kind.requirement) }
        return value
    }
}

extension ClientSetting {
    /// Every setting, in the order of lists.
    public static let all: [ClientSetting] = general + keys

    public static func named(_ key: String) -> ClientSetting? {
        let lowered = key.lowercased()
        return all.first { $0.key.lowercased() == lowered }
    }

    private static let general: [ClientSetting] = [
        flag("notifications", "Desktop notifications for what needs attention.", \.notifications),
        flag("showTaskTitles", "Titles of tasks in notifications.", \.showTaskTitles),
        choice("receipts", "How much a command tells of its progress.", \.receipts),
        flag("alwaysShowCriticalErrors", "Failures of commands show also when receipts are off.", \.alwaysShowCriticalErrors),
        flag("contextRings", "How full the context of each task is.", \.contextRings),
        flag("bell", "The bell of the terminal rings when a command succeeded.", \.bell),
        choice("theme", "Colours for a dark or a light terminal; automatic asks the terminal.", \.theme),
        choice("secrets", "Where tokens are kept; service refuses files.", \.secrets),
        ClientSetting(
            key: "authority", kind: .host, summary: "The computer whose order and lower keys count; by default the first paired.",
            value: { $0.authority.map { .string($0.uuid) } },
            store: { settings, value in
                guard let host = value.string.flatMap({ HostID($0) }) else { return false }
                settings.authority = host
                return true
            }),
        ClientSetting(
            key: "layout", kind: .choice(LayoutProfile.allCases.map(\.rawValue)), summary: "The profile of the six lower keys.",
            value: { .string($0.layouts.active.rawValue) },
            store: { settings, value in
                guard let profile = value.string.flatMap(LayoutProfile.init(rawValue:)) else { return false }
                settings.layouts.active = profile
                return true
            }),
    ]

    private static let keys: [ClientSetting] = LayoutProfile.allCases.flatMap { profile in
        ActionSlot.allCases.map { slot in
            ClientSetting(
                key: "layouts.\(profile.rawValue).\(slot.rawValue)", kind: .choice(Keycap.allCases.map(\.rawValue)),
                summary: "The key \(slot.rawValue) of the profile \(profile.rawValue).",
                value: { $0.layouts.keycap(on: slot, in: profile).map { .string($0.rawValue) } },
                store: { settings, value in
                    guard let keycap = value.string.flatMap(Keycap.init(rawValue:)) else { return false }
                    settings.layouts.assign(keycap, to: slot, in: profile)
                    return true
                })
        }
    }

    private static func flag(_ key: String, _ summary: String, _ path: WritableKeyPath<ClientSettings, Bool> & Sendable) -> ClientSetting {
        ClientSetting(
            key: key, kind: .boolean, summary: summary, value: { .bool($0[keyPath: path]) },
            store: { settings, value in
                guard let flag = value.bool else { return false }
                settings[keyPath: path] = flag
                return true
            })
    }

    private static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ key: String, _ summary: String, _ path: WritableKeyPath<ClientSettings, Value> & Sendable
    ) -> ClientSetting {
        ClientSetting(
            key: key, kind: .choice(Value.allCases.map(\.rawValue)), summary: summary, value: { .string($0[keyPath: path].rawValue) },
            store: { settings, value in
                guard let word = value.string, let chosen = Value(rawValue: word) else { return false }
                settings[keyPath: path] = chosen
                return true
            })
    }
}

/// Why a setting was not taken or the file not read.
public enum SettingsError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknown(key: String)
    /// `requirement` is the end of a sentence.
    case invalid(key: String, requirement: String)
    /// The file is no JSON object.
    case damaged

    public var description: String {
        switch self {
        case .unknown(let key):
            "There is no setting \"\(DisplayText.sanitized(key, maximumCharacters: 64))\"; `deckclient settings list` shows all."
        case .invalid(let key, let requirement): "The setting \"\(key)\" \(requirement)."
        case .damaged: "The settings are no JSON object; mend or remove the file."
        }
    }
}
