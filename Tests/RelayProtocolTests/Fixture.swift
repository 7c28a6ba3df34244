import JSON

/// A full message of a desktop node, and changes to single members of it.
enum Fixture {
    static let uuid = "0189aabb-ccdd-4eef-8011-223344556677"
    static let observedAt = 1_780_000_000_000

    static let host: JSONValue = ["hostId": .string(uuid), "hostName": "Mac mini", "platform": "darwin", "codexVersion": "0.99.0"]

    static let layout: JSONValue = [
        "version": 1, "slots": ["ACT06": ["keycapId": "FAST"], "ACT12": ["keycapId": "NOVEL", "commandId": "c"], "ACT99": ["keycapId": "X"]],
        "analogStick": ["up": "plan", "right": "next", "down": "next-slot", "left": "back"],
    ]

    static let usage: JSONValue = [
        "windows": [
            [
                "id": "primary", "kind": "five-hour", "usedPercent": 12.5, "remainingPercent": 87.5, "windowDurationMins": 300,
                "resetsAt": 1_780_000_100_000,
            ],
            ["id": "x", "kind": "other", "usedPercent": 0, "remainingPercent": 100, "windowDurationMins": nil, "resetsAt": nil],
        ],
        "observedAt": 1_780_000_000_000, "resetCreditsAvailable": 2, "resetCreditsApplicable": nil,
    ]

    static func slot(_ id: Int) -> JSONValue {
        [
            "id": .number(Double(id)), "threadKey": .string("local:\(uuid)"), "title": "A title", "status": "working", "selected": false,
            "activityAt": 1_779_999_999_000, "ownedByHost": true, "contextUsedPercent": 41,
            "workStartedAt": 1_779_999_990_000, "workStartRevision": 12,
        ]
    }

    static let session: JSONValue = [
        "threadId": .string(uuid), "activityAt": 1_779_999_999_000, "status": "complete", "completionRevision": 99, "contextUsedPercent": 7,
        "workStartedAt": 1_779_999_990_000, "workStartRevision": 0,
    ]

    static let snapshotMessage: JSONValue = [
        "type": "snapshot", "protocol": 1, "host": host, "observedAt": .number(Double(observedAt)),
        "snapshot": [
            "slots": .array((0..<6).map(slot)), "activeThreadKey": "cloud:not-a-key", "activeThreadTitle": "Open", "layout": layout,
            "agentSource": "recent", "lightingAutoOff": "5-minutes", "theme": "light", "usage": usage, "hostSessions": [session],
        ],
    ]
}

extension JSONValue {
    /// A copy with the member at `path` (keys, or indices of arrays, joined by dots) replaced; removed for `nil`.
    func with(_ path: String, _ value: JSONValue?) -> JSONValue { with(path.split(separator: ".")[...], value) }

    private func with(_ path: ArraySlice<Substring>, _ value: JSONValue?) -> JSONValue {
        guard let first = path.first else { return value ?? .null }
        switch self {
        case .object(var members):
            let key = String(first)
            members[key] = path.count == 1 ? value : members[key]?.with(path.dropFirst(), value)
            return .object(members)
        case .array(var elements):
            if let index = Int(first), elements.indices.contains(index) { elements[index] = elements[index].with(path.dropFirst(), value) }
            return .array(elements)
        default: return self
        }
    }
}
