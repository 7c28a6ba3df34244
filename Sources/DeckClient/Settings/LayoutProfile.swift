import RelayProtocol

/// A set of the six lower keys that the client brings itself.
public enum LayoutProfile: String, Sendable, CaseIterable {
    /// The keys of the selected computer.
    case automatic
    case coding, review, mobile

    /// What lies on the keys until the user changes it; empty for ``automatic``.
    public var standard: [ActionSlot: Keycap] {
        let keycaps: [Keycap] =
            switch self {
            case .automatic: []
            case .coding: [.fast, .approve, .reject, .split, .microphone, .codex]
            case .review: [.diff, .approve, .reject, .branch, .merge, .pullRequest]
            case .mobile: [.fast, .approve, .reject, .new, .microphone, .codex]
            }
        return Dictionary(uniqueKeysWithValues: zip(ActionSlot.allCases, keycaps))
    }
}

/// One of the six lower keys as it is to be shown and pressed.
public struct LowerKey: Sendable, Hashable {
    public let slot: ActionSlot
    /// What it does; `nil` for a key of the computer that this program does not know.
    public let keycap: Keycap?
    /// The id of the keycap, on one line; empty when nobody said what lies there.
    public let label: String
    /// The client's own choice rather than the computer's.
    public let isAssigned: Bool

    /// What a press sends.
    public func plan(task: TaskKey? = nil) -> CommandPlan {
        CommandPlan.lowerKey(slot, assigned: isAssigned ? keycap : nil, shown: keycap, task: task)
    }
}

/// Which profile is in use, and what the user put on the keys of each.
public struct LayoutBook: Sendable, Hashable {
    public var active = LayoutProfile.automatic
    /// Only what differs from ``LayoutProfile/standard``.
    private var changes: [LayoutProfile: [ActionSlot: Keycap]] = [:]

    public init() {}

    /// The client's own keycap on a key; `nil` leaves it to the computer, which only ``LayoutProfile/automatic`` does.
    public func keycap(on slot: ActionSlot, in profile: LayoutProfile) -> Keycap? {
        changes[profile]?[slot] ?? profile.standard[slot]
    }

    /// What the user put on a key; `nil` when it was left as it is.
    public func change(of slot: ActionSlot, in profile: LayoutProfile) -> Keycap? { changes[profile]?[slot] }

    /// - Parameter keycap: `nil` takes back what the user put there.
    public mutating func assign(_ keycap: Keycap?, to slot: ActionSlot, in profile: LayoutProfile) {
        var keys = changes[profile] ?? [:]
        keys[slot] = keycap == profile.standard[slot] ? nil : keycap
        changes[profile] = keys.isEmpty ? nil : keys
    }

    /// Puts all keys of a profile back.
    public mutating func reset(_ profile: LayoutProfile) { changes[profile] = nil }

    /// Copies the keys of a computer into the active profile, as far as they are in the catalogue. The computer learns nothing of it.
    ///
    /// - Returns: The keys that were copied.
    @discardableResult
    public mutating func importKeys(of layout: KeyLayout) -> [ActionSlot] {
        var copied: [ActionSlot] = []
        for slot in ActionSlot.allCases {
            guard let keycap = layout.slots[slot]?.keycap else { continue }
            assign(keycap, to: slot, in: active)
            copied.append(slot)
        }
        return copied
    }

    /// The six keys of the active profile.
    ///
    /// - Parameter host: What lies on the keys of the selected computer; `nil` when none was heard.
    public func keys(host: KeyLayout?) -> [LowerKey] {
        ActionSlot.allCases.map { slot in
            if let keycap = keycap(on: slot, in: active) {
                return LowerKey(slot: slot, keycap: keycap, label: keycap.rawValue, isAssigned: true)
            }
            let shown = host?.slots[slot]
            let label = shown.map { DisplayText.sanitized($0.keycapID, maximumCharacters: 16) } ?? ""
            return LowerKey(slot: slot, keycap: shown?.keycap, label: label, isAssigned: false)
        }
    }
}
