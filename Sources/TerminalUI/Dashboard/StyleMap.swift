/// Whether the terminal's background is dark or light.
public enum Theme: String, Sendable, CaseIterable { case dark, light }

/// How a style looks: a colour of the terminal's palette and attributes.
public struct Look: Sendable, Equatable {
    /// A number of the 16 or 256 colours; `nil` is the terminal's own.
    public var color: Int?
    public var isBold = false
    public var isDim = false
    public var isReversed = false
}

/// How styles look with so many colours. Without colours the attributes alone carry the emphasis.
public struct StyleMap: Sendable, Equatable {
    public let colors: Int
    public let theme: Theme

    /// - Parameter colors: 0 for none, else 8 or more.
    public init(colors: Int, theme: Theme) {
        self.colors = colors
        self.theme = theme
    }

    public func look(_ style: TextStyle) -> Look {
        var look = attributes(style)
        guard colors >= 8 else { return look }
        look.color = colors >= 256 ? rich(style) : basic(style)
        // Dim is invisible on some terminals; with 256 colours a grey says the same.
        if colors >= 256, look.color != nil { look.isDim = false }
        return look
    }

    private func attributes(_ style: TextStyle) -> Look {
        switch style {
        case .heading, .key, .waiting, .failed, .focusFrame, .bad: Look(isBold: true)
        case .prompt, .chosen: Look(isBold: true, isReversed: true)
        case .faint, .off, .idle, .lastKnown, .frame, .meterRest: Look(isDim: true)
        case .plain, .finished, .working, .good, .warning, .meter, .meterHigh, .meterFull: Look()
        }
    }

    private func basic(_ style: TextStyle) -> Int? {
        switch style {
        case .waiting, .warning, .meterHigh: theme == .dark ? 3 : 5
        case .failed, .bad, .meterFull: 1
        case .working: theme == .dark ? 6 : 4
        case .finished, .good, .meter: 2
        case .focusFrame: theme == .dark ? 6 : 4
        case .plain, .faint, .heading, .frame, .off, .idle, .lastKnown, .meterRest, .key, .prompt, .chosen: nil
        }
    }

    private func rich(_ style: TextStyle) -> Int? {
        let dark = theme == .dark
        return switch style {
        case .waiting, .warning: dark ? 214 : 130
        case .meterHigh: dark ? 208 : 166
        case .failed, .bad, .meterFull: dark ? 203 : 160
        case .working, .focusFrame: dark ? 75 : 26
        case .finished, .good, .meter: dark ? 114 : 28
        case .faint, .idle, .off, .lastKnown: dark ? 245 : 242
        case .frame, .meterRest: dark ? 240 : 250
        case .plain, .heading, .key, .prompt, .chosen: nil
        }
    }
}
