import JSON
import RelayProtocol

/// What the owner decided about the deck and what the clients acknowledged: the content of `deck.json`.
public struct DeckSettings: Hashable, Sendable {
    public var mode: Snapshot.AgentSource
    /// In the owner's order, each once.
    public var pins: [TaskIdentity]
    /// A task per slot, for the mode `custom`; exactly six places.
    public var custom: [TaskIdentity?]
    public var layout: KeyLayout
    public var selection: Selection?
    /// The newest completion or failure that somebody has seen, by task. At most ``maximumAcknowledgements``.
    public var acknowledged: [TaskIdentity: Acknowledgement]

    /// The task last opened, and when a client last pressed it.
    public struct Selection: Hashable, Sendable {
        public var identity: TaskIdentity
        public var pressedAt: UnixMilliseconds

        public init(identity: TaskIdentity, pressedAt: UnixMilliseconds) {
            self.identity = identity
            self.pressedAt = pressedAt
        }
    }

    /// Which end of a turn was seen, and when; the time lets the oldest be forgotten.
    public struct Acknowledgement: Hashable, Sendable {
        public var revision: Int64
        public var at: UnixMilliseconds

        public init(revision: Int64, at: UnixMilliseconds) {
            self.revision = revision
            self.at = at
        }
    }

    public static let maximumAcknowledgements = 2_000
    public static let maximumPins = 64

    public init(
        mode: Snapshot.AgentSource = .priority, pins: [TaskIdentity] = [], custom: [TaskIdentity?] = [], layout: KeyLayout = .standard,
        selection: Selection? = nil, acknowledged: [TaskIdentity: Acknowledgement] = [:]
    ) {
        self.mode = mode
        self.pins = pins
        self.custom = (0..<Snapshot.slotCount).map { custom.indices.contains($0) ? custom[$0] : nil }
        self.layout = layout
        self.selection = selection
        self.acknowledged = acknowledged
    }

    /// Notes that `revision` was seen; the oldest notes go when there are too many.
    public mutating func acknowledge(_ identity: TaskIdentity, revision: Int64, at now: UnixMilliseconds) {
        acknowledged[identity] = Acknowledgement(revision: revision, at: now)
        guard acknowledged.count > Self.maximumAcknowledgements else { return }
        let oldest = acknowledged.sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
        for entry in oldest.prefix(acknowledged.count - Self.maximumAcknowledgements) { acknowledged[entry.key] = nil }
    }
}

/// A `deck.json` that cannot be used; the reason is one sentence.
public struct DeckSettingsError: Error, CustomStringConvertible {
    public let description: String
}

extension DeckSettings {
    /// Reads what ``json`` wrote. Missing fields take their defaults; a field of the wrong kind is an error, so that damage is noticed.
    public init(json: JSONValue) throws(DeckSettingsError) {
        guard json.object != nil else { throw DeckSettingsError(description: "The deck settings are not a JSON object.") }
        self.init()
        if let value = json["mode"] { mode = try Self.enumeration(value, "mode") }
        if let value = json["pins"] {
            guard let items = value.array, items.count <= Self.maximumPins else { throw Self.damaged("pins") }
            for item in items {
                guard let text = item.string, let identity = TaskIdentity(text) else { throw Self.damaged("pins") }
                if !pins.contains(identity) { pins.append(identity) }
            }
        }
        if let value = json["custom"] {
            guard let items = value.array, items.count == Snapshot.slotCount else { throw Self.damaged("custom") }
            for (index, item) in items.enumerated() where item != .null {
                guard let text = item.string, let identity = TaskIdentity(text) else { throw Self.damaged("custom") }
                custom[index] = identity
            }
        }
        if let value = json["layout"] { layout = try Self.layout(value) }
        if let value = json["selection"], value != .null {
            guard let text = value["task"]?.string, let identity = TaskIdentity(text),
                let at = value["pressedAt"]?.int, let time = UnixMilliseconds(at)
            else { throw Self.damaged("selection") }
            selection = Selection(identity: identity, pressedAt: time)
        }
        if let value = json["acknowledged"] { acknowledged = try Self.acknowledgements(value) }
    }

    public var json: JSONValue {
        var fields: [String: JSONValue] = [
            "version": .number(1),
            "mode": .string(mode.rawValue),
            "pins": .array(pins.map { .string($0.uuid) }),
            "custom": .array(custom.map { $0.map { .string($0.uuid) } ?? .null }),
            "layout": .object(
                Dictionary(uniqueKeysWithValues: layout.slots.map { ($0.key.rawValue, JSONValue.string($0.value.keycapID)) })),
        ]
        if let selection {
            fields["selection"] = .object([
                "task": .string(selection.identity.uuid), "pressedAt": .number(Double(selection.pressedAt.value)),
            ])
        }
        fields["acknowledged"] = .object(
            Dictionary(
                uniqueKeysWithValues: acknowledged.map {
                    ($0.key.uuid, .array([.number(Double($0.value.revision)), .number(Double($0.value.at.value))]))
                }))
        return .object(fields)
    }

    private static func layout(_ value: JSONValue) throws(DeckSettingsError) -> KeyLayout {
        guard let fields = value.object else { throw damaged("layout") }
        var layout = KeyLayout.standard
        for (key, item) in fields {
            guard let slot = ActionSlot(rawValue: key), let name = item.string, let keycap = Keycap(rawValue: name) else { throw damaged("layout") }
            layout.slots[slot] = KeyLayout.Assignment(keycap)
        }
        return layout
    }

    private static func acknowledgements(_ value: JSONValue) throws(DeckSettingsError) -> [TaskIdentity: Acknowledgement] {
        guard let fields = value.object, fields.count <= maximumAcknowledgements else { throw damaged("acknowledged") }
        var result: [TaskIdentity: Acknowledgement] = [:]
        for (key, item) in fields {
            guard let identity = TaskIdentity(key), let pair = item.array, pair.count == 2,
                let revision = pair[0].int, let at = pair[1].int, let time = UnixMilliseconds(at)
            else { throw damaged("acknowledged") }
            result[identity] = Acknowledgement(revision: revision, at: time)
        }
        return result
    }

    private static func enumeration<T: RawRepresentable<String>>(_ value: JSONValue, _ field: String) throws(DeckSettingsError) -> T {
        guard let text = value.string, let result = T(rawValue: text) else { throw damaged(field) }
        return result
    }

    private static func damaged(_ field: String) -> DeckSettingsError {
        DeckSettingsError(description: "The deck settings hold a value that cannot be read in \"\(field)\".")
    }
}
