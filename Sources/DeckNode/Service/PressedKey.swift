import RelayProtocol

/// The names under which `decknode press` knows what a screen can press.
enum PressedKey {
    /// All names: the keycaps, the six places, the directions, the encoder and the reset of the limits.
    static let names = Keycap.allCases.map(\.rawValue) + ActionSlot.allCases.map(\.rawValue) + directions.map(\.0) + ["ENCODER", "RESET"]

    private static let directions: [(String, JoystickDirection)] = [("UP", .up), ("RIGHT", .right), ("DOWN", .down), ("LEFT", .left)]

    /// The command a name stands for, in upper or lower case; `nil` for no key.
    static func command(_ name: String) -> Command? {
        let name = name.uppercased()
        if let keycap = Keycap(rawValue: name) { return .keycap(keycap, task: nil) }
        if let slot = ActionSlot(rawValue: name) { return .action(slot: slot, phase: .press, task: nil) }
        if let direction = directions.first(where: { $0.0 == name })?.1 { return .joystick(direction: direction, distance: .press, task: nil) }
        switch name {
        case "ENCODER": return .encoder(phase: .press, task: nil)
        case "RESET": return .rateLimitReset
        default: return nil
        }
    }
}
