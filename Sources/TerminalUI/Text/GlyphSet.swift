import RelayProtocol

/// The ornaments of the screen: one set for terminals that show Unicode, one for those that do not.
public struct GlyphSet: Sendable, Equatable {
    /// Whether text from outside may hold more than ASCII.
    let isUnicode: Bool
    let ellipsis: Character
    let corners: Corners
    let focusCorners: Corners
    let meterFull: Character
    let meterRest: Character
    /// Stands before what has the focus.
    let pointer: Character
    /// Stands before the followed task.
    let followed: Character
    /// Up, right, down and left.
    private let arrows: [Character]
    let openQuote: String
    let closeQuote: String

    /// The pieces of a frame.
    struct Corners: Sendable, Equatable {
        let topLeft: Character
        let topRight: Character
        let bottomLeft: Character
        let bottomRight: Character
        let horizontal: Character
        let vertical: Character
    }

    func arrow(_ direction: JoystickDirection) -> Character {
        switch direction {
        case .up: arrows[0]
        case .right: arrows[1]
        case .down: arrows[2]
        case .left: arrows[3]
        }
    }

    public static let unicode = Self(
        isUnicode: true, ellipsis: "…",
        corners: Corners(topLeft: "┌", topRight: "┐", bottomLeft: "└", bottomRight: "┘", horizontal: "─", vertical: "│"),
        focusCorners: Corners(topLeft: "┏", topRight: "┓", bottomLeft: "┗", bottomRight: "┛", horizontal: "━", vertical: "┃"),
        meterFull: "█", meterRest: "░", pointer: "▶", followed: "◆", arrows: ["↑", "→", "↓", "←"], openQuote: "“", closeQuote: "”")

    public static let ascii = Self(
        isUnicode: false, ellipsis: "~",
        corners: Corners(topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", horizontal: "-", vertical: "|"),
        focusCorners: Corners(topLeft: "#", topRight: "#", bottomLeft: "#", bottomRight: "#", horizontal: "=", vertical: "#"),
        meterFull: "#", meterRest: ".", pointer: ">", followed: "*", arrows: ["^", ">", "v", "<"], openQuote: "\"", closeQuote: "\"")
}
