/// The thirty keycaps a command may name.
public enum Keycap: String, Sendable, CaseIterable {
    case fast = "FAST", approve = "APPR", reject = "REJ", split = "SPLIT", microphone = "MIC", codex = "CODEX", bug = "BUG", openAI = "OAI"
    case terminal = "TERM", download = "DWN", delete = "DEL", new = "NEW", navigate = "NAV", magic = "MAGIC", diff = "DIFF", play = "PLAY"
    case git = "GIT", branch = "BRCH", merge = "MRG", pullRequest = "PR", paint = "PAINT", lab = "LAB", party = "PARTY", time = "TIME"
    case mindIncrease = "MIND+", mindDecrease = "MIND-", setup = "SETUP", folder = "FOLD", upload = "UPL", apps = "APPS"
}

/// The six lower keys.
public enum ActionSlot: String, Sendable, CaseIterable {
    case act06 = "ACT06", act07 = "ACT07", act08 = "ACT08", act09 = "ACT09", act10And11 = "ACT10_ACT11", act12 = "ACT12"
}

/// What lies on the lower keys and the stick of a host.
public struct KeyLayout: Hashable, Sendable {
    public struct Assignment: Hashable, Sendable {
        /// As the host wrote it: newer hosts may have keycaps this program does not know.
        public var keycapID: String
        public var commandID: String?

        public init(keycapID: String, commandID: String? = nil) {
            self.keycapID = keycapID
            self.commandID = commandID
        }

        public init(_ keycap: Keycap) { self.init(keycapID: keycap.rawValue) }

        public var keycap: Keycap? { Keycap(rawValue: keycapID) }
    }

    public var slots: [ActionSlot: Assignment]
    /// Names of what each direction of the stick does; free text of the host.
    public var analogStick: [JoystickDirection: String]

    public init(slots: [ActionSlot: Assignment], analogStick: [JoystickDirection: String]) {
        self.slots = slots
        self.analogStick = analogStick
    }

    /// FAST, APPR, REJ, SPLIT, NEW on the wide key, CODEX; plan, previous, next and next slot on the stick.
    public static let standard = Self(
        slots: [
            .act06: Assignment(.fast), .act07: Assignment(.approve), .act08: Assignment(.reject),
            .act09: Assignment(.split), .act10And11: Assignment(.new), .act12: Assignment(.codex),
        ],
        analogStick: [.up: "plan", .right: "next", .down: "next-slot", .left: "back"])
}

public enum JoystickDirection: String, Sendable, CaseIterable { case up, right, down, left }
public enum ReasoningDirection: String, Sendable, CaseIterable { case decrease, increase }
