import JSON

/// What holds for the next turn of a thread.
public struct ThreadSettings: Equatable, Sendable {
    /// `other`: a word of a later version. Where a version does not say, it counts as `standard`.
    public enum Mode: String, Hashable, Sendable { case plan, standard = "default", other }

    public var model: String
    /// As `high`; `nil`: the model's own.
    public var effort: String?
    /// As `priority`; `nil` or `default`: the usual one.
    public var serviceTier: String?
    public var mode: Mode
    /// What commands of the thread may touch, as the server says it and takes it back.
    public var sandboxPolicy: JSONValue?

    /// Reads the `threadSettings` of a notification.
    init?(_ value: JSONValue?) {
        guard let value, let model = value["model"]?.string else { return nil }
        self.model = model
        effort = value["effort"]?.string
        serviceTier = value["serviceTier"]?.string
        mode = Self.mode(value["collaborationMode"])
        sandboxPolicy = value["sandboxPolicy"]
    }

    /// Reads the answer to starting, resuming or forking a thread, which names some members differently.
    public init?(answer value: JSONValue) {
        guard let model = value["model"]?.string else { return nil }
        self.model = model
        effort = value["reasoningEffort"]?.string
        serviceTier = value["serviceTier"]?.string
        mode = Self.mode(value["collaborationMode"])
        sandboxPolicy = value["sandbox"]
    }

    private static func mode(_ value: JSONValue?) -> Mode {
        guard let word = value?["mode"]?.string else { return .standard }
        return Mode(rawValue: word) ?? .other
    }

    /// The tier the server keeps when it was asked for `fast`.
    public static let fastTier = "priority"
    public var isFast: Bool { serviceTier == Self.fastTier }
}

/// A model of the server's catalogue. Settings are not validated by the server, so only what stands here may be asked for.
public struct ModelRecord: Hashable, Sendable {
    public var name: String
    /// From the least to the most.
    public var efforts: [String]
    public var defaultEffort: String?
    public var offersFast: Bool

    init?(_ value: JSONValue) {
        guard let name = value["model"]?.string ?? value["id"]?.string else { return nil }
        self.name = name
        efforts = (value["supportedReasoningEfforts"]?.array ?? []).compactMap { $0["reasoningEffort"]?.string }
        defaultEffort = value["defaultReasoningEffort"]?.string
        let tiers = (value["serviceTiers"]?.array ?? []).compactMap { $0["id"]?.string }
        let speeds = (value["additionalSpeedTiers"]?.array ?? []).compactMap(\.string)
        offersFast = tiers.contains(ThreadSettings.fastTier) || speeds.contains("fast")
    }

    /// The next effort up or down from `current`; the same at the end of the row, and `nil` when the row does not hold it.
    public func effort(after current: String?, upwards: Bool) -> String? {
        guard let current = current ?? defaultEffort, let index = efforts.firstIndex(of: current) else { return nil }
        return efforts[min(max(index + (upwards ? 1 : -1), 0), efforts.count - 1)]
    }
}
